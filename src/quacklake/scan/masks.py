"""Filters at work: which rows of a piece of the table are wanted.

A filter travels to other processes with its task, so it holds values only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from quacklake.format import casting
from quacklake.format.arrow import arrow_type
from quacklake.format.predicate import (
    AllOf,
    AnyOf,
    Compare,
    Comparison,
    Constant,
    IsNotNull,
    IsNull,
    OneOf,
    Predicate,
    all_of,
)
from quacklake.format.sqltypes import quoted
from quacklake.format.types import FLOATS, Column, Kind, Scalar
from quacklake.kernel.errors import UsageError
from quacklake.kernel.ids import ColumnId
from quacklake.storage.selection import Keep

_COMPARED = {
    Comparison.EQ: pc.equal,
    Comparison.NE: pc.not_equal,
    Comparison.LT: pc.less,
    Comparison.LE: pc.less_equal,
    Comparison.GT: pc.greater,
    Comparison.GE: pc.greater_equal,
}


class RowFilter(Protocol):
    """Decides row by row which rows of a table are wanted.

    Called once per row group, from several threads at a time and in other processes: it
    pickles, and holds no state that a call changes.
    """

    @property
    def columns(self) -> tuple[Column, ...]:
        """The top-level columns the filter reads."""

    @property
    def predicate(self) -> Predicate:
        """What holds for every row it lets through."""

    def mask(self, rows: pa.Table) -> pa.ChunkedArray:
        """True for wanted rows, False for all others, never NULL."""


def kept_by(chosen: RowFilter, read: Mapping[ColumnId, pa.ChunkedArray], count: int) -> Keep:
    """Which of `count` rows a filter wants, whose columns have been `read`."""
    names = [column.name for column in chosen.columns]
    seen = pa.table([read[column.id] for column in chosen.columns], names=names)
    wanted: Keep = chosen.mask(seen if names else pa.table({"": pa.nulls(count)})).to_numpy()
    return wanted


@dataclass(frozen=True, slots=True)
class PredicateFilter:
    """A filter that its predicate says completely, with DuckDB's order: NaN above all numbers."""

    columns: tuple[Column, ...]
    predicate: Predicate

    def mask(self, rows: pa.Table) -> pa.ChunkedArray:
        """True for wanted rows."""
        return pc.fill_null(_truth(self.predicate, rows), fill_value=False)


@dataclass(frozen=True, slots=True)
class SqlFilter:
    """A filter that DuckDB evaluates; a `simple` one has operators only."""

    columns: tuple[Column, ...]
    predicate: Predicate
    condition: str
    alias: str
    simple: bool = False

    def checked(self) -> SqlFilter:
        """Itself, once DuckDB has accepted the condition over columns of these types."""
        self._kept(_no_rows(self.columns))
        return self

    def mask(self, rows: pa.Table) -> pa.ChunkedArray:
        """True for wanted rows."""
        try:
            return self._kept(rows).to_arrow_table().column("keep")
        except duckdb.Error as error:
            raise UsageError("the filter cannot be evaluated: " + _kind_of(error)) from error

    def _kept(self, rows: pa.Table) -> duckdb.DuckDBPyRelation:
        session = casting.session()
        typed = ", ".join(
            f"{casting.restored(quoted(c.name), c.type)} AS {quoted(c.name)}" for c in self.columns
        )
        source = rows.select([column.name for column in self.columns])
        if not self.columns:
            source, typed = rows.append_column("_", pa.nulls(rows.num_rows)), "1"
        relation = session.from_arrow(source).project(typed).set_alias(self.alias)
        try:
            return relation.project(f"coalesce((\n{self.condition}\n)::BOOLEAN, false) AS keep")
        except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException) as error:
            raise UsageError(
                "the filter is not a condition on these columns: " + _sentence(error)
            ) from error
        except duckdb.Error as error:
            raise UsageError("the filter cannot be evaluated: " + _kind_of(error)) from error


@dataclass(frozen=True, slots=True)
class ArrowFilter:
    """A filter that Arrow evaluates, with Arrow's rules."""

    columns: tuple[Column, ...]
    predicate: Predicate
    expression: pc.Expression

    def checked(self) -> ArrowFilter:
        """Itself, once Arrow has accepted the expression over columns of these types."""
        self.mask(_no_rows(self.columns))
        return self

    def mask(self, rows: pa.Table) -> pa.ChunkedArray:
        """True for wanted rows."""
        # Imported here: it brings pandas along wherever pandas is installed.
        import pyarrow.dataset as ds

        try:
            kept = ds.dataset(rows).to_table(columns={"keep": self.expression}, use_threads=False)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
            raise UsageError("the filter expression does not fit the table's columns") from error
        column = kept.column("keep")
        if column.type != pa.bool_():
            raise UsageError(f"the filter expression gives {column.type}, not a truth value")
        return pc.fill_null(column, fill_value=False)


@dataclass(frozen=True, slots=True)
class BothFilters:
    """Two filters that must both let a row through."""

    first: RowFilter
    second: RowFilter

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns either of them reads."""
        by_id = {column.id: column for column in (*self.first.columns, *self.second.columns)}
        return tuple(by_id.values())

    @property
    def predicate(self) -> Predicate:
        """What both say."""
        return all_of(self.first.predicate, self.second.predicate)

    def mask(self, rows: pa.Table) -> pa.ChunkedArray:
        """True for rows that both want."""
        return pc.and_(self.first.mask(rows), self.second.mask(rows))


def _no_rows(columns: tuple[Column, ...]) -> pa.Table:
    return pa.schema([(column.name, arrow_type(column.type)) for column in columns]).empty_table()


def _sentence(error: duckdb.Error) -> str:
    return str(error).partition("\n")[0].partition(": ")[2] or "invalid"


def _kind_of(error: duckdb.Error) -> str:
    return type(error).__name__.removesuffix("Exception").lower() + " error"


def _truth(predicate: Predicate, rows: pa.Table) -> pa.ChunkedArray | pa.Scalar:
    match predicate:
        case AllOf(parts):
            truths = [_truth(part, rows) for part in parts]
            return reduce(pc.and_kleene, truths) if truths else _everywhere(rows, truth=True)
        case AnyOf(parts):
            truths = [_truth(part, rows) for part in parts]
            return reduce(pc.or_kleene, truths) if truths else _everywhere(rows, truth=False)
        case IsNull(column):
            return pc.is_null(rows.column(column.name))
        case IsNotNull(column):
            return pc.is_valid(rows.column(column.name))
        case Compare(column, op, value):
            return _compared(rows.column(column.name), column, op, value)
        case OneOf(column, values):
            values_found = rows.column(column.name)
            if _is_float(column):
                equal = [_compared(values_found, column, Comparison.EQ, v) for v in values]
                return reduce(pc.or_kleene, equal) if equal else _everywhere(rows, truth=False)
            members = pa.array([_carried(v) for v in values], type=values_found.type)
            return pc.is_in(values_found, value_set=members, skip_nulls=True)


def _everywhere(rows: pa.Table, *, truth: bool) -> pa.ChunkedArray:
    return pa.chunked_array([pa.repeat(pa.scalar(truth), rows.num_rows)])


def _compared(
    values: pa.ChunkedArray, column: Column, op: Comparison, value: Constant
) -> pa.ChunkedArray:
    result = _COMPARED[op](values, pa.scalar(_carried(value), type=values.type))
    if _is_float(column) and op in (Comparison.GT, Comparison.GE):
        return pc.or_kleene(result, pc.is_nan(values))
    return result


def _is_float(column: Column) -> bool:
    return isinstance(column.type, Scalar) and column.type.kind in FLOATS


def _carried(value: Constant) -> object:
    return str(value) if type(value).__name__ == "UUID" else value


def fits_arrow(predicate: Predicate) -> bool:
    """Whether Arrow compares every constant of `predicate` in its column's own type."""
    match predicate:
        case AllOf(parts) | AnyOf(parts):
            return all(fits_arrow(part) for part in parts)
        case IsNull() | IsNotNull():
            return True
        case Compare(column, _, value):
            return _representable(value, column)
        case OneOf(column, values):
            return all(_representable(value, column) for value in values)


def _representable(value: Constant, column: Column) -> bool:
    if isinstance(column.type, Scalar) and column.type.kind in (Kind.INT128, Kind.UINT128):
        return False
    try:
        carried = _carried(value)
        return bool(pa.scalar(carried, type=arrow_type(column.type)).as_py() == carried)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, TypeError, ValueError):
        return False

"""Rows from outside become rows of the table: by name, checked, never by position."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.format import casting
from quacklake.format.arrow import arrow_schema, arrow_type
from quacklake.format.files import ROW_ID_NAME
from quacklake.format.sqltypes import quoted, sql_type
from quacklake.format.table import Table
from quacklake.format.types import Column, Kind, Scalar
from quacklake.kernel.errors import CorruptLake, UsageError

_ROW_ID = pa.field(ROW_ID_NAME, pa.int64())
_CHECKED_TEXT = frozenset({Kind.UUID, Kind.JSON, Kind.UINT128, Kind.TIMETZ, Kind.VARIANT})


@dataclass(frozen=True, slots=True)
class Matcher:
    """How the columns of an input become the columns of a table.

    With `ids`, the place of a column of row ids, those follow the table's columns.
    """

    table: Table
    places: tuple[int | None, ...]
    ids: int | None = None

    def batches(self, source: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The input's batches in the table's columns and types; an error names column and row."""
        schema = plain_schema(self.table.columns)
        if self.ids is not None:
            schema = schema.append(_ROW_ID)
        first = 0
        for batch in source:
            arrays = [
                self._column(column, place, batch, first)
                for column, place in zip(self.table.columns, self.places, strict=True)
            ]
            if self.ids is not None:
                arrays.append(checked_ids(batch.column(self.ids), self.table))
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)
            first += batch.num_rows

    def _column(
        self, column: Column, place: int | None, batch: pa.RecordBatch, first: int
    ) -> pa.Array:
        if place is None:
            made = default_column(column, batch.num_rows)
        else:
            made = fitted(batch.column(place), column, first)
        if not column.nullable and made.null_count:
            row = first + pc.index(made.is_null(), value=True).as_py()
            raise UsageError(
                f"row {row} has NULL in column '{column.name}', which is NOT NULL",
                hint="give it a value, or drop the column's NOT NULL",
                column=column.name,
                row=row,
            )
        return made


def matched(given: pa.Schema, table: Table, *, row_ids: str | None = None) -> Matcher:
    """Match an input's columns to the table's; missing ones take their defaults.

    `row_ids` names one that is no column of the table, but has the ids of the rows.
    """
    ids = None if row_ids is None else given.get_field_index(row_ids)
    names = [(place, name) for place, name in enumerate(given.names) if place != ids]
    places: dict[str, int] = {}
    for place, name in names:
        if name.casefold() in places:
            raise UsageError(f"column '{name}' occurs twice in the rows", column=name)
        places[name.casefold()] = place
    known = {column.name.casefold() for column in table.columns}
    extra = [name for _, name in names if name.casefold() not in known]
    if extra:
        raise UsageError(
            f"table '{table.name}' has no column '{extra[0]}'",
            hint="its columns are " + ", ".join(column.name for column in table.columns),
            column=extra[0],
        )
    missing = [
        column.name
        for column in table.columns
        if column.name.casefold() not in places and not column.nullable and column.default is None
    ]
    if missing:
        raise UsageError(
            f"the rows have no column '{missing[0]}', which is NOT NULL and has no default",
            column=missing[0],
        )
    found = tuple(places.get(column.name.casefold()) for column in table.columns)
    return Matcher(table, found, ids)


def checked_ids(given: pa.Array | pa.ChunkedArray, table: Table) -> pa.Array | pa.ChunkedArray:
    """The row ids under which rows are to be stored, none of them missing."""
    if given.null_count:
        raise CorruptLake(
            f"{given.null_count} rows for '{table.name}' come from rows without row ids",
            hint="a file of the table they come from has lost them: write its rows anew",
            table=str(table.name),
        )
    return given.cast(_ROW_ID.type)


def plain_schema(columns: tuple[Column, ...]) -> pa.Schema:
    """The Arrow schema of `columns`, without promises about NULL."""
    return pa.schema([field.with_nullable(True) for field in arrow_schema(columns)])


def default_column(column: Column, count: int) -> pa.Array:
    """The values of a column that an insert leaves out."""
    if column.default is None:
        return pa.nulls(count, arrow_type(column.type))
    if not column.default_is_expression:
        return pa.repeat(casting.constant(column.default, column.type), count)
    typed = f"CAST(({column.default}) AS {sql_type(column.type)})"
    rows = casting.session().execute(
        f"SELECT {casting.carried(typed, column.type)} AS {quoted(column.name)} FROM range({count})"
    )
    made = casting.in_type(rows.to_arrow_table().column(0), arrow_type(column.type))
    return _combined(made)


def fitted(values: pa.Array, column: Column, first: int) -> pa.Array:
    """`values` in the column's type; a value that does not fit is an error, never changed."""
    wanted = arrow_type(column.type)
    plain = values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
    if isinstance(plain, pa.ExtensionArray) and plain.type != wanted:
        plain = plain.storage if not _is_uuid(plain.type) else plain.cast(pa.string())
    checked = _is_checked(column)
    if plain.type == wanted and not checked:
        return plain
    try:
        return _converted(plain, column, wanted, checked=checked)
    except (pa.ArrowException, CorruptLake) as error:
        row = first + _first_unfit(plain, column, wanted, checked=checked)
        raise UsageError(
            f"the value of row {row} in column '{column.name}' does not fit "
            f"{sql_type(column.type)}",
            hint=f"the rows have the type {values.type}",
            column=column.name,
            row=row,
        ) from error


def _is_checked(column: Column) -> bool:
    """Whether Arrow carries the type as text that may not spell a value of it."""
    return any(
        isinstance(leaf.type, Scalar) and leaf.type.kind in _CHECKED_TEXT
        for leaf in column.leaves()
    )


def _converted(values: pa.Array, column: Column, wanted: pa.DataType, *, checked: bool) -> pa.Array:
    given = values.type
    if pa.types.is_null(given):
        return values.cast(wanted)
    if checked or (pa.types.is_duration(given) and pa.types.is_interval(wanted)):
        return _combined(casting.cast(values, column.type))
    if _is_text(given) != _is_text(wanted):
        raise pa.ArrowInvalid("text and other values do not convert into each other")
    if pa.types.is_floating(given) and pa.types.is_decimal(wanted):
        raise pa.ArrowInvalid("a floating-point number is no exact decimal")
    return values.cast(wanted)


def _is_text(given: pa.DataType) -> bool:
    return given in (pa.string(), pa.large_string(), pa.string_view())


def _is_uuid(given: pa.DataType) -> bool:
    return getattr(given, "extension_name", "") == "arrow.uuid"


def _first_unfit(values: pa.Array, column: Column, wanted: pa.DataType, *, checked: bool) -> int:
    """The first row whose value does not fit, found by halving."""
    low, high = 0, len(values)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            _converted(values.slice(low, middle - low), column, wanted, checked=checked)
            low = middle
        except (pa.ArrowException, CorruptLake):
            high = middle
    return low


def _combined(column: pa.ChunkedArray) -> pa.Array:
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)

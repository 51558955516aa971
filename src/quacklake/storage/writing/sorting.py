"""A table's sort order, applied to rows before they are written.

DuckDB sorts, because the keys are expressions in its dialect; what does not fit into memory it
puts on disk. Rows that the keys do not tell apart keep their order.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import duckdb
import numpy as np
import pyarrow as pa

from quacklake.format import casting
from quacklake.format.sqltypes import literal, quoted, sql_type
from quacklake.format.table import SortKey
from quacklake.format.types import Column
from quacklake.kernel.errors import UsageError

_DIALECT: Final = "duckdb"
_MEMORY: Final = "1GB"
_BATCH_ROWS: Final = 122_880


def sorted_batches(
    batches: Iterable[pa.RecordBatch],
    columns: Sequence[Column | None],
    keys: Sequence[SortKey],
    absent: Sequence[Column] = (),
) -> Iterator[pa.RecordBatch]:
    """Rows of `columns`, and whatever follows them, in the order of `keys`.

    A key may name any column that is not None, and `absent` ones, which have their initial
    default in every row. Keys in another dialect than DuckDB's are passed over, as the format
    asks.
    """
    rest = iter(batches)
    usable = [key for key in keys if key.dialect.lower() == _DIALECT]
    first = next(rest, None)
    if first is None:
        return
    everything = chain([first], rest)
    if usable:
        known = _Known(columns, absent)
        yield from _sorted(_Rows(everything, first.schema), known, usable)
    else:
        yield from everything


class _Rows:
    """Rows numbered as they come; a failure of their source is kept from being paraphrased."""

    def __init__(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> None:
        self.schema = schema
        self.problem: BaseException | None = None
        self._batches = batches

    def numbered(self, names: Sequence[str]) -> pa.RecordBatchReader:
        """All rows under other names, the last of which is their number."""
        kinds = [*self.schema.types, pa.int64()]
        schema = pa.schema(list(zip(names, kinds, strict=True)))
        return pa.RecordBatchReader.from_batches(schema, self._numbered(schema))

    def _numbered(self, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        start = 0
        try:
            for batch in self._batches:
                numbers = pa.array(np.arange(start, start + batch.num_rows))
                start += batch.num_rows
                yield pa.RecordBatch.from_arrays([*batch.columns, numbers], schema=schema)
        except BaseException as problem:
            self.problem = problem
            raise


@dataclass(frozen=True, slots=True)
class _Known:
    """The columns that keys may mean: those of the rows, in their places, and absent ones."""

    columns: Sequence[Column | None]
    absent: Sequence[Column]

    def own_names(self, count: int) -> list[str]:
        """Names that no column has."""
        every = [column.name for column in (*self.columns, *self.absent) if column is not None]
        prefix = "carried"
        while any(name.casefold().startswith(prefix) for name in every):
            prefix += "_"
        return [f"{prefix}{i}" for i in range(count)]

    def typed(self, names: Sequence[str], said: str) -> Iterator[str]:
        """What the keys may mean, by its name: not every nested type allows to be restored."""
        for name, column in zip(names, self.columns, strict=False):
            if column is not None and _is_said(column, said):
                yield f"{casting.restored(name, column.type)} AS {quoted(column.name)}"
        for column in self.absent:
            if _is_said(column, said):
                text = column.initial_default
                value = "NULL" if text is None else literal(text)
                yield f"CAST({value} AS {sql_type(column.type)}) AS {quoted(column.name)}"


def _is_said(column: Column, said: str) -> bool:
    return column.name.replace('"', '""').casefold() in said


def _sorted(rows: _Rows, known: _Known, keys: Sequence[SortKey]) -> Iterator[pa.RecordBatch]:
    with tempfile.TemporaryDirectory(prefix="quacklake-") as folder, _engine(folder) as engine:
        try:
            names = known.own_names(len(rows.schema) + 1)
            engine.register("incoming", rows.numbered(names))
            for batch in engine.execute(_query(names, known, keys)).to_arrow_reader(_BATCH_ROWS):
                yield _as_given(batch, rows.schema)
        except (duckdb.Error, pa.ArrowException) as problem:
            if rows.problem is not None:
                raise rows.problem from None
            raise UsageError(
                "the sort order of the table cannot be applied",
                hint="set another sort order: "
                + ", ".join(f"'{key.expression}'" for key in keys)
                + " does not work on these rows",
            ) from problem


def _engine(folder: str) -> duckdb.DuckDBPyConnection:
    config: dict[str, Any] = {
        "memory_limit": _MEMORY,
        "temp_directory": folder,
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
    engine = duckdb.connect(":memory:", config=config)
    # A sort key comes out of the catalog and has no business with files.
    engine.execute("SET enable_external_access = false")
    engine.execute("SET TimeZone = 'UTC'")
    return engine


def _query(names: Sequence[str], known: _Known, keys: Sequence[SortKey]) -> str:
    said = " ".join(key.expression for key in keys).casefold()
    inner = ", ".join([*names, *known.typed(names, said)])
    # Keys are computed by name: a constant in ORDER BY would mean the number of a column.
    named = [(f"{names[0]}_key{i}", key) for i, key in enumerate(keys)]
    computed = ", ".join(f"({key.expression}) AS {name}" for name, key in named)
    order = [
        f"{name} {'DESC' if key.descending else 'ASC'}"
        f" NULLS {'FIRST' if key.nulls_first else 'LAST'}"
        for name, key in named
    ]
    return (
        f"SELECT {', '.join(names[:-1])}"
        f" FROM (SELECT {', '.join(names)}, {computed} FROM (SELECT {inner} FROM incoming))"
        f" ORDER BY {', '.join([*order, names[-1]])}"
    )


def _as_given(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    arrays = [
        array if array.type == field.type else array.cast(field.type)
        for array, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)

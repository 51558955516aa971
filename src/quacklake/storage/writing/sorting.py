"""A table's sort order, applied to rows before they are written.

DuckDB sorts, because the keys are expressions in its dialect; what does not fit into memory it
puts on disk. Rows that the keys do not tell apart keep their order.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

import duckdb
import numpy as np
import pyarrow as pa

from quacklake.format import casting
from quacklake.format.sqltypes import quoted
from quacklake.format.table import SortKey
from quacklake.format.types import Column
from quacklake.kernel.errors import UsageError

_DIALECT: Final = "duckdb"
_MEMORY: Final = "1GB"
_BATCH_ROWS: Final = 122_880


def sorted_batches(
    batches: Iterable[pa.RecordBatch], columns: Sequence[Column], keys: Sequence[SortKey]
) -> Iterator[pa.RecordBatch]:
    """Rows of `columns`, and whatever follows them, in the order of `keys`.

    Keys in another dialect than DuckDB's are passed over, as the format asks.
    """
    rest = iter(batches)
    usable = [key for key in keys if key.dialect.lower() == _DIALECT]
    first = next(rest, None)
    if first is None:
        return
    everything = chain([first], rest)
    if usable:
        yield from _sorted(_Rows(everything, first.schema), columns, usable)
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


def _sorted(
    rows: _Rows, columns: Sequence[Column], keys: Sequence[SortKey]
) -> Iterator[pa.RecordBatch]:
    with tempfile.TemporaryDirectory(prefix="quacklake-") as folder, _engine(folder) as engine:
        try:
            names = _own_names(len(rows.schema) + 1, columns)
            engine.register("incoming", rows.numbered(names))
            for batch in engine.execute(_query(names, columns, keys)).to_arrow_reader(_BATCH_ROWS):
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


def _own_names(count: int, columns: Sequence[Column]) -> list[str]:
    """Names that no column has."""
    prefix = "carried"
    while any(column.name.casefold().startswith(prefix) for column in columns):
        prefix += "_"
    return [f"{prefix}{i}" for i in range(count)]


def _query(names: Sequence[str], columns: Sequence[Column], keys: Sequence[SortKey]) -> str:
    said = " ".join(key.expression for key in keys).casefold()
    # Only what the keys may mean is given its type back: not every nested type allows it.
    typed = [
        f"{casting.restored(name, column.type)} AS {quoted(column.name)}"
        for name, column in zip(names, columns, strict=False)
        if column.name.replace('"', '""').casefold() in said
    ]
    order = [
        f"({key.expression}) {'DESC' if key.descending else 'ASC'}"
        f" NULLS {'FIRST' if key.nulls_first else 'LAST'}"
        for key in keys
    ]
    inner = ", ".join([*names, *typed])
    return (
        f"SELECT {', '.join(names[:-1])} FROM (SELECT {inner} FROM incoming)"
        f" ORDER BY {', '.join([*order, names[-1]])}"
    )


def _as_given(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    arrays = [
        array if array.type == field.type else array.cast(field.type)
        for array, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)

"""Rows as users bring them, as one stream of Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa

from quacklake.client.writing.clusters import Cluster, DistributedRows
from quacklake.kernel.errors import UsageError


@dataclass(frozen=True, slots=True)
class Input:
    """Rows to be written; `repeatable` if they can be read again after a lost commit."""

    schema: pa.Schema
    source: Any
    repeatable: bool

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows, from the beginning if they are repeatable."""
        if isinstance(self.source, pa.Table):
            return iter(self.source.to_batches())
        return iter(self.source)


Rows: TypeAlias = Input | DistributedRows
"""Rows that this process reads, or that a cluster writes itself."""


def rows_of(data: object, cluster: Cluster | None) -> Rows:
    """Rows to be written: a frame of the cluster, or whatever `input_of` takes."""
    if cluster is not None and cluster.takes(data):
        return cluster.rows(data)
    return input_of(data)


def input_of(data: object) -> Input:
    """Rows from a pandas or Polars frame, Arrow data, columns by name, or any Arrow stream."""
    if isinstance(data, pa.RecordBatchReader):
        return Input(data.schema, data, repeatable=False)
    table = _as_table(data)
    if table is not None:
        return Input(table.schema, table, repeatable=True)
    if hasattr(data, "__arrow_c_stream__"):
        reader = pa.RecordBatchReader.from_stream(data)
        return Input(reader.schema, reader, repeatable=False)
    raise UsageError(
        f"rows cannot be read from {type(data).__name__}",
        hint="give a pandas, Polars or Spark DataFrame, an Arrow table, batch or reader",
    )


def _as_table(data: object) -> pa.Table | None:
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    module = type(data).__module__.partition(".")[0]
    if module == "pandas":
        return _from_pandas(data)
    if module == "polars":
        collected: Any = data.collect() if hasattr(data, "collect") else data
        return collected.to_arrow()
    if isinstance(data, Mapping):
        return pa.table(dict(data))
    if isinstance(data, list) and all(isinstance(row, Mapping) for row in data):
        return pa.Table.from_pylist(data)
    return None


def _from_pandas(data: Any) -> pa.Table:
    try:
        return pa.Table.from_pandas(data, preserve_index=False).replace_schema_metadata(None)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise UsageError(
            "the DataFrame has a column of mixed types", hint="give every column one type"
        ) from error

"""What a statement did, as a result of one row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import pyarrow as pa

from quacklake.client import frames
from quacklake.client.autocommit import WriteReport
from quacklake.format.types import Kind, LakeType, Scalar

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl


class Told:
    """Rows inserted, updated and deleted, and the snapshot that was made."""

    def __init__(self, report: WriteReport) -> None:
        names = list(asdict(report))
        self._rows = pa.Table.from_pylist(
            [asdict(report)], schema=pa.schema([(name, pa.int64()) for name in names])
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._rows.column_names)

    @property
    def lake_types(self) -> tuple[LakeType, ...]:
        """The lake type of each column."""
        return tuple(Scalar(Kind.INT64) for _ in self.columns)

    @property
    def types(self) -> tuple[str, ...]:
        """The type of each column, as DuckDB names it."""
        return tuple("BIGINT" for _ in self.columns)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the row."""
        return self._rows.schema

    def to_arrow(self) -> pa.Table:
        """The row as an Arrow table."""
        return self._rows

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """The row as a stream."""
        return iter(self._rows.to_batches())

    def to_pandas(self) -> pd.DataFrame:
        """The row as a pandas DataFrame."""
        return frames.to_pandas(self._rows)

    def to_polars(self) -> pl.DataFrame:
        """The row as a Polars DataFrame."""
        return frames.to_polars(self._rows)

    def to_duckdb(self, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        """The row as a relation of `connection`."""
        return connection.from_arrow(self._rows)

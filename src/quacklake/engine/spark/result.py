"""The result of a query on Spark: rows on demand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from quacklake.client import frames
from quacklake.client.defining.types import type_from_arrow
from quacklake.engine.spark.failures import running
from quacklake.engine.spark.shapes import arrow_shape
from quacklake.format.types import LakeType
from quacklake.kernel.ids import ColumnId

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl
    from pyspark.sql import DataFrame


class SparkResult:
    """A query that Spark has analysed; every conversion runs it, on the same files."""

    def __init__(self, frame: DataFrame) -> None:
        self._frame = frame

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns; one may come twice."""
        return tuple(self._frame.columns)

    @property
    def lake_types(self) -> tuple[LakeType, ...]:
        """The lake type that holds the values of each column."""
        return tuple(type_from_arrow(field.type, _no_id) for field in self.schema)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the rows."""
        return arrow_shape(self._frame.schema)

    def to_spark(self) -> DataFrame:
        """The DataFrame itself."""
        return self._frame

    def to_arrow(self) -> pa.Table:
        """All rows as one Arrow table."""
        with running():
            return self._frame.toArrow()

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """The rows as batches; Spark hands them over when it has all of them."""
        return iter(self.to_arrow().to_batches())

    def to_pandas(self) -> pd.DataFrame:
        """All rows as a pandas DataFrame."""
        return frames.to_pandas(self.to_arrow())

    def to_polars(self) -> pl.DataFrame:
        """All rows as a Polars DataFrame."""
        return frames.to_polars(self.to_arrow())

    def to_duckdb(self, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        """The rows as a relation of `connection`."""
        return connection.from_arrow(self.to_arrow())


def _no_id() -> ColumnId:
    """Columns of a result belong to no table."""
    return ColumnId(0)

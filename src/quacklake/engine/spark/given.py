"""Rows of this process as a DataFrame, and back."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as t

from quacklake.engine.spark.carriers import inward, spark_type
from quacklake.engine.spark.failures import running
from quacklake.engine.spark.predicates import named
from quacklake.format.arrow import arrow_type
from quacklake.format.types import Column


def frame_of(spark: SparkSession, rows: pa.Table, schema: t.StructType) -> DataFrame:
    """All rows of an Arrow table; `spark.createDataFrame` ends at the first empty batch."""
    filled = [batch for batch in rows.to_batches() if batch.num_rows]
    if not filled:
        return spark.createDataFrame([], schema)
    return spark.createDataFrame(pa.Table.from_batches(filled), schema)


def in_types(columns: Sequence[Column]) -> list[SparkColumn]:
    """The columns of a frame in the types that Spark has for those of a lake."""
    return [named(c.name).cast(spark_type(c.type)).alias(c.name) for c in columns]


def rows_here(frame: DataFrame, columns: tuple[Column, ...]) -> pa.Table:
    """The rows of a frame in the types of `columns`, in this process."""
    with running():
        rows = frame.select(in_types(columns)).toArrow()
    schema = pa.schema([(column.name, arrow_type(column.type)) for column in columns])
    batches = [
        pa.RecordBatch.from_arrays(
            [inward(a, c.type) for a, c in zip(batch.columns, columns, strict=True)], schema=schema
        )
        for batch in rows.to_batches()
    ]
    return pa.Table.from_batches(batches, schema)

"""Rows of this process as a DataFrame."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as t


def frame_of(spark: SparkSession, rows: pa.Table, schema: t.StructType) -> DataFrame:
    """All rows of an Arrow table; `spark.createDataFrame` ends at the first empty batch."""
    filled = [batch for batch in rows.to_batches() if batch.num_rows]
    if not filled:
        return spark.createDataFrame([], schema)
    return spark.createDataFrame(pa.Table.from_batches(filled), schema)

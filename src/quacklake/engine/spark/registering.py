"""The format `ducklake`, made known to a Spark session."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Make `spark.read.format("ducklake")`, `df.write` and `spark.readStream` work.

    Options: `catalog`, the address of the lake, and `table`; for reads also `snapshot` or
    `timestamp`, `columns` and `filter`; for streams `starting_snapshot`.
    """
    from quacklake.engine.spark.source import DuckLakeSource

    spark.dataSource.register(DuckLakeSource)
    # Without it Spark reads every file, whatever the query asks for.
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")

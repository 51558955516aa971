"""Frames handed to Python workers, whatever their columns are called."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from quacklake.engine.spark.workers import Batches, Work


@dataclass(frozen=True, slots=True)
class Renamed:
    """Work over batches that get back the names of their columns first."""

    work: Work
    names: tuple[str, ...]

    def __call__(self, batches: Batches) -> Batches:
        """What the work makes of the batches."""
        return self.work(batch.rename_columns(list(self.names)) for batch in batches)


def mapped(frame: DataFrame, work: Work, schema: StructType | str) -> DataFrame:
    """The frame's batches mapped by `work`.

    PySpark looks columns up by a text that it parses, so dots and backticks would mislead it.
    """
    return numbered(frame).mapInArrow(Renamed(work, tuple(frame.columns)), schema)


def numbered(frame: DataFrame) -> DataFrame:
    """The frame with its columns called by their places."""
    return frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))

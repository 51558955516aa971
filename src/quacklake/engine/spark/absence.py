"""Deleted rows, left out by position: a list, a bitmap or a join, whichever costs least a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

Positions = npt.NDArray[np.int64]

APART: Final = 64
"""Up to this many files with deletes are scanned one by one, which spares a join by name."""
_FEW: Final = 64
_WORD: Final = 64
"""How many positions a number of a bitmap tells of."""


def present(index: SparkColumn, gone: Positions, rows: int, spark: SparkSession) -> SparkColumn:
    """Whether the row at `index` of a file of `rows` rows is not among those `gone`."""
    if gone.size <= _FEW:
        return ~index.isin(gone.tolist())
    # A scalar subquery is evaluated once, so that a row costs one look into an array.
    words = pa.array([_bitmap(gone, rows)], pa.list_(pa.int64()))
    bits = spark.createDataFrame(pa.table({"bits": words})).scalar()
    word = f.get(bits, f.shiftright(index, 6).cast("int"))
    return f.getbit(word, index.bitwiseAND(f.lit(_WORD - 1)).cast("int")) == f.lit(0)


def _bitmap(gone: Positions, rows: int) -> Positions:
    words = np.zeros(rows // _WORD + 1, dtype=np.uint64)
    bits = np.left_shift(np.uint64(1), (gone % _WORD).astype(np.uint64))
    np.bitwise_or.at(words, gone // _WORD, bits)
    return words.view(np.int64)


def without(
    frame: DataFrame, gone: Sequence[tuple[str, Positions]], name: str, index: str
) -> DataFrame:
    """The rows of many files that are not among those `gone`, found by file name and index."""
    names = np.repeat([file for file, _ in gone], [places.size for _, places in gone])
    places = np.concatenate([places for _, places in gone])
    listed = pa.table({name: pa.array(names, pa.string()), index: pa.array(places, pa.int64())})
    dead = frame.sparkSession.createDataFrame(listed)
    return frame.join(f.broadcast(dead), [name, index], "left_anti")

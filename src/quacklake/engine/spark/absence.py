"""Deleted rows, left out by position: of every file a bitmap tells which rows are gone.

Spark numbers the rows of a file and tells its size. Files of different sizes share one bitmap,
which a row looks into through two array accesses; a join by file hands out the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql import types as t

Positions = npt.NDArray[np.int64]

_WORD: Final = 64
"""How many positions a number of a bitmap tells of."""
_FILES: Final = 64
"""More files than these would need a large table to be told apart by their sizes."""
_BITMAP_WORDS: Final = 2**22
"""A bitmap goes to every task; larger ones are handed once to every executor, by a join."""
_BITS: Final = t.StructField("_quacklake_bits", t.ArrayType(t.LongType(), False), False)
_KEY: Final = "_quacklake_key"


@dataclass(frozen=True, slots=True)
class Gone:
    """The rows of a file that are not there any more; `size` is in bytes, `rows` is a count."""

    name: str
    size: int
    rows: int
    places: Positions

    def words(self) -> Positions:
        """The bitmap: one bit for every row, set where the row is gone."""
        last = int(self.places.max(initial=0))
        words = np.zeros(max(self.rows, last) // _WORD + 1, dtype=np.uint64)
        bits = np.left_shift(np.uint64(1), (self.places % _WORD).astype(np.uint64))
        np.bitwise_or.at(words, self.places // _WORD, bits)
        return words.view(np.int64)


def without(frame: DataFrame, gone: Sequence[Gone]) -> DataFrame:
    """A frame that reads files of Spark's own, minus the rows that are `gone` of these files."""
    index = f.col("_metadata.row_index")
    words = [file.words() for file in gone]
    distinct = len({file.size for file in gone}) == len(gone)
    if not distinct or len(gone) > _FILES or sum(map(len, words)) > _BITMAP_WORDS:
        return _without_by_join(frame, gone, words, by_size=distinct)
    if len(gone) == 1:
        return frame.where(_is_clear(_told(frame.sparkSession, words[0]), index))
    modulus, bitmap = shared_bitmap([file.size for file in gone], words)
    # A scalar subquery is evaluated once, and both uses of it are the same.
    bits = _told(frame.sparkSession, bitmap)
    start = f.get(bits, (f.col("_metadata.file_size") % f.lit(modulus)).cast("int"))
    return frame.where(_is_clear(bits, start + index))


def shared_bitmap(sizes: Sequence[int], words: Sequence[Positions]) -> tuple[int, Positions]:
    """One bitmap of many files, and a number; sizes modulo that number tell the files apart.

    The first words, as many as that number, say at which position the bits of a file begin.
    """
    modulus = len(sizes)
    while len({size % modulus for size in sizes}) < len(sizes):
        modulus += 1
    starts = np.zeros(modulus, dtype=np.int64)
    place = modulus
    for size, own in zip(sizes, words, strict=True):
        starts[size % modulus] = place * _WORD
        place += own.size
    return modulus, np.concatenate([starts, *words])


def _without_by_join(
    frame: DataFrame, gone: Sequence[Gone], words: Sequence[Positions], *, by_size: bool
) -> DataFrame:
    keys = pa.array([file.size if by_size else file.name for file in gone])
    key = "file_size" if by_size else "file_name"
    kind = t.LongType() if by_size else t.StringType()
    listed = pa.table([keys, _lists(words)], names=[_KEY, _BITS.name])
    schema = t.StructType([t.StructField(_KEY, kind, False), _BITS])
    bitmaps = frame.sparkSession.createDataFrame(listed, schema)
    index = "_quacklake_place"
    placed = frame.withColumns(
        {_KEY: f.col(f"_metadata.{key}"), index: f.col("_metadata.row_index")}
    )
    found = placed.join(f.broadcast(bitmaps), _KEY)
    return found.where(_is_clear(f.col(_BITS.name), f.col(index))).drop(_KEY, _BITS.name, index)


def _told(spark: SparkSession, words: Positions) -> SparkColumn:
    rows = pa.table([_lists([words])], names=[_BITS.name])
    return spark.createDataFrame(rows, t.StructType([_BITS])).scalar()


def _lists(words: Sequence[Positions]) -> pa.Array:
    return pa.array(words, pa.list_(pa.int64()))


def _is_clear(bits: SparkColumn, place: SparkColumn) -> SparkColumn:
    word = f.get(bits, f.shiftright(place, 6).cast("int"))
    # A shift goes by the last six bits of its width, which is the place within the word.
    shifted = f.call_function("shiftright", word, place.bitwiseAND(_WORD - 1).cast("int"))
    return shifted.bitwiseAND(1) == 0

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
_START_BITS: Final = 14
"""Files that as many last bits of their sizes do not tell apart are told apart by a join."""
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
    sizes = [file.size for file in gone]
    mask = telling_apart(sizes)
    if mask is None or sum(map(len, words)) > _BITMAP_WORDS:
        return _without_by_join(frame, gone, words, by_size=len(set(sizes)) == len(sizes))
    if len(gone) == 1:
        return frame.where(_is_clear(_told(frame.sparkSession, words[0]), index))
    # A scalar subquery is evaluated once, and both uses of it are the same.
    bits = _told(frame.sparkSession, shared_bitmap(sizes, mask, words))
    start = f.get(bits, f.col("_metadata.file_size").bitwiseAND(mask).cast("int"))
    return frame.where(_is_clear(bits, index, start))


def telling_apart(sizes: Sequence[int]) -> int | None:
    """A mask of last bits by which the sizes all differ, if a small one does."""
    masks = (2**bits - 1 for bits in range(_START_BITS + 1))
    return next(
        (mask for mask in masks if len({size & mask for size in sizes}) == len(sizes)), None
    )


def shared_bitmap(sizes: Sequence[int], mask: int, words: Sequence[Positions]) -> Positions:
    """One bitmap of many files, which are told apart by their sizes under the mask.

    The first words, one for each value under the mask, say at which word a file begins.
    """
    starts = np.zeros(mask + 1, dtype=np.int64)
    place = mask + 1
    for size, own in zip(sizes, words, strict=True):
        starts[size & mask] = place
        place += own.size
    return np.concatenate([starts, *words])


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


def _is_clear(
    bits: SparkColumn, place: SparkColumn, start: SparkColumn | None = None
) -> SparkColumn:
    """Whether the bit of a place is not set, in a bitmap that begins at the word `start`."""
    # Spark computes what is written twice twice: so the start is a word's, and not needed below.
    number = f.shiftright(place, 6)
    word = f.get(bits, (number if start is None else number + start).cast("int"))
    shifted = f.call_function("shiftright", word, place.bitwiseAND(_WORD - 1).cast("int"))
    return shifted.bitwiseAND(1) == 0

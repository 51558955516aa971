"""Rows shared out by their values: equal rows of two frames meet in one share, in one worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, GroupedData
from pyspark.sql import functions as f

from quacklake.client.workspace import Workspace
from quacklake.client.writing.adding import FileWriting, file_writing
from quacklake.engine.spark.carriers import from_spark, spark_type
from quacklake.engine.spark.failures import running
from quacklake.engine.spark.manifests import SCHEMA, Manifest
from quacklake.engine.spark.predicates import comparable, named
from quacklake.engine.spark.writing import written
from quacklake.format.arrow import arrow_schema
from quacklake.format.files import ROW_ID_NAME
from quacklake.format.table import Table
from quacklake.format.types import FLOATS, Column, Kind, Scalar

_SHARE: Final = "_quacklake_share"
_ROWS_PER_SHARE: Final = 250_000
Settle: TypeAlias = Callable[[pa.Table, pa.Table], pa.Table]
"""Makes a manifest of a share of each of two frames."""


def hashes(key: Column) -> bool:
    """Whether equal keys are equal in Spark: one value of a UUID, say, has several spellings."""
    return comparable(key) or key.type == Scalar(Kind.BLOB)


def hashed_key(key: Column) -> SparkColumn:
    """A key in the table's type, so that equal keys hash alike.

    What does not fit the type is refused where rows are merged; here it only has to be hashed.
    """
    value = named(key.name).cast(spark_type(key.type))
    # 0.0 and -0.0 are equal keys with different bits.
    is_float = isinstance(key.type, Scalar) and key.type.kind in FLOATS
    return value + f.lit(0.0) if is_float else value


def shares_of(frame: DataFrame, rows: int) -> int:
    """How many shares so many rows should make: none too large for a worker, work for all."""
    partitions = int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions", "8") or 8)
    return max(partitions, -(-rows // _ROWS_PER_SHARE))


def shared(frame: DataFrame, keys: Sequence[Column], shares: int) -> GroupedData:
    """The rows by the share that their key belongs to; keys that do not hash tell nothing."""
    known = [hashed_key(key) for key in keys if hashes(key)]
    hashed = f.hash(*known) if known and shares > 1 else f.lit(0)
    share = f.pmod(hashed, f.lit(shares)).alias(_SHARE)
    # By place: Spark would look names up by a text that it parses.
    placed = [named(name).alias(f"c{place}") for place, name in enumerate(frame.columns)]
    return frame.select([*placed, share]).groupBy(_SHARE)


def met(mine: GroupedData, theirs: GroupedData, job: Settle) -> Manifest:
    """What is said of the shares of two frames, each with the other's of the same number."""
    manifest = Manifest()
    with running():
        # Spark counts the parameters of what it is given, and a method has one more.
        spoken = mine.cogroup(theirs).applyInArrow(lambda a, b: job(a, b), SCHEMA)  # noqa: PLW0108
        for word, payload in spoken.collect():
            manifest.hear(word, bytes(payload))
    return manifest


@dataclass(frozen=True, slots=True)
class ShareWriting:
    """How a share writes rows with ids: `kept` ones, and `fresh` ones where the id is NULL."""

    fresh: FileWriting
    kept: FileWriting
    limit: int

    def write(self, rows: pa.Table) -> Iterator[pa.RecordBatch]:
        """The manifest of the rows."""
        is_new = rows.column(ROW_ID_NAME).is_null()
        new = rows.filter(is_new).drop_columns([ROW_ID_NAME])
        yield from written(iter(new.to_batches()), self.fresh, self.limit)
        known = rows.filter(pc.invert(is_new))
        yield from written(iter(known.to_batches()), self.kept, self.limit)


def share_writing(work: Workspace, table: Table) -> ShareWriting:
    """How shares of rows for a table are written now."""
    kept = file_writing(work, table, with_ids=True)
    return ShareWriting(file_writing(work, table), kept, work.limit(table))


def unshared(rows: pa.Table) -> pa.Table:
    """The rows of a share as they were, but for their names."""
    return rows.drop_columns([_SHARE])


def rows_of_share(rows: pa.Table, columns: tuple[Column, ...]) -> pa.Table:
    """The rows of a share, with the lake's types and names."""
    names = [column.name for column in columns]
    batches = [
        pa.RecordBatch.from_arrays(list(from_spark(batch, columns)), names=names)
        for batch in unshared(rows).combine_chunks().to_batches()
    ]
    if batches:
        return pa.Table.from_batches(batches)
    return arrow_schema(columns).empty_table()

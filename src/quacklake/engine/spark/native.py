"""Files that Spark's own writer makes, where it can say all that a data file must.

It writes into a folder of its own beside the table's files; a finished job's files are given
names of ours and their statistics are read off their footers. What Spark cannot say (ids inside
lists and maps, types of the lake alone, partitions, keys) is written by Python workers instead.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as f
from pyspark.sql import types as t

from quacklake.client.writing.adding import FileWriting
from quacklake.client.writing.matching import Matcher, matched
from quacklake.engine.spark.carriers import spark_field, spark_type
from quacklake.engine.spark.failures import running
from quacklake.engine.spark.manifests import Manifest
from quacklake.engine.spark.predicates import named
from quacklake.engine.spark.splitting import has_plain_path
from quacklake.format.statistics import ColumnStatistics
from quacklake.format.types import Column, Decimal, Kind, LakeType, Scalar, Struct
from quacklake.kernel.errors import Unavailable, UsageError
from quacklake.storage.parquet import open_parquet
from quacklake.storage.writing.foreign import foreign_statistics
from quacklake.storage.writing.manifest import WrittenFile
from quacklake.storage.writing.output import directory_of, new_name, spark_folder

_WIDTHS: Final = {
    Kind.BOOLEAN: 1,
    Kind.INT8: 1,
    Kind.INT16: 2,
    Kind.INT32: 4,
    Kind.INT64: 8,
    Kind.FLOAT32: 4,
    Kind.FLOAT64: 8,
    Kind.DATE: 4,
    Kind.TIMESTAMP: 8,
    Kind.TIMESTAMPTZ: 8,
    Kind.VARCHAR: 32,
    Kind.BLOB: 32,
}
"""The scalars that both sides mean alike, with the bytes that a value takes, or may take."""

_CODECS: Final = {"none": "uncompressed", "snappy": "snappy", "gzip": "gzip", "zstd": "zstd"}
_NEEDED: Final = {
    "spark.sql.parquet.fieldId.write.enabled": "true",
    "spark.sql.parquet.writeLegacyFormat": "false",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
}
_MOMENTS: Final = {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"}


def suits(frame: DataFrame, writing: FileWriting, matcher: Matcher) -> bool:
    """Whether Spark's own writer writes these rows as the table wants them."""
    table, options = writing.table, writing.options
    plain = not (writing.encrypt or writing.with_ids or (table.sort and writing.sorts))
    if not plain or (table.partition is not None and table.partition.keys):
        return False
    if options.compression not in _CODECS or options.compression_level is not None:
        return False
    if options.parquet_version != "V1" or options.row_group_size_bytes is not None:
        return False
    path = writing.storage.local_path(table.location)
    if path is None or not has_plain_path(path + "x"):
        return False
    fields = frame.schema.fields
    for column, place in zip(table.columns, matcher.places, strict=True):
        if place is None or not _is_alike(fields[place].dataType, column.type):
            return False
        # A footer counts the NULLs of leaves: it does not tell whether the struct is one.
        if column.children() and not column.nullable:
            return False
    return _is_set_up(frame.sparkSession, table.columns)


def _is_alike(found: t.DataType, wanted: LakeType) -> bool:
    match wanted:
        case Decimal():
            return found == spark_type(wanted)
        case Scalar(kind):
            return kind in _WIDTHS and found == spark_type(wanted)
        case Struct(fields):
            return (
                isinstance(found, t.StructType)
                and found.names == [field.name for field in fields]
                and all(
                    _is_alike(f.dataType, w.type) for f, w in zip(found.fields, fields, strict=True)
                )
            )
        case _:
            return False


def _is_set_up(spark: SparkSession, columns: Sequence[Column]) -> bool:
    """Whether the session writes numbers, dates and moments as they are."""
    instants = any(
        leaf.type == Scalar(Kind.TIMESTAMPTZ) for column in columns for leaf in column.leaves()
    )
    needed = _NEEDED | (_MOMENTS if instants else {})
    return all(spark.conf.get(name) == value for name, value in needed.items())


def write(frame: DataFrame, writing: FileWriting, matcher: Matcher, limit: int) -> Manifest:
    """The rows of a frame in files; those of a file with no more than `limit` are handed back."""
    table, storage = writing.table, writing.storage
    storage.make_folder(table.location)
    place = Path(storage.local_path(table.location) or "").absolute() / spark_folder()
    finished: list[WrittenFile] = []
    manifest = Manifest()
    try:
        left = _run(_shaped(frame, table.columns, matcher), writing, place)
        for path in sorted(place.glob("*.parquet")):
            rows = pq.read_metadata(path).num_rows
            left -= rows
            if rows > limit:
                finished.append(_finished(path, writing))
            elif rows:
                few = pq.read_table(path)
                manifest.rows += matched(few.schema, table).batches(iter(few.to_batches()))
        _check_seen(left, table.location)
        storage.make_durable((file.location for file in finished), table.location)
    except BaseException:
        for file in finished:
            storage.discard(file.location)
        raise
    finally:
        shutil.rmtree(place, ignore_errors=True)
    manifest.files += finished
    return manifest


def _shaped(frame: DataFrame, columns: tuple[Column, ...], matcher: Matcher) -> DataFrame:
    """The frame with the table's names, and the ids by which files know their columns."""
    fields = frame.schema.fields
    chosen = []
    for column, place in zip(columns, matcher.places, strict=True):
        assert place is not None  # noqa: S101 - all columns are there, or it does not suit
        wanted = spark_field(column, ids=True)
        # Of a struct the cast changes nothing but what its fields are known by.
        values = named(fields[place].name).cast(wanted.dataType)
        chosen.append(values.alias(wanted.name, metadata=wanted.metadata))
    return frame.select(chosen)


def _run(frame: DataFrame, writing: FileWriting, place: Path) -> int:
    """Write the files; how many rows Spark counted."""
    options = writing.options
    counted = Observation()
    width = sum(_width(leaf.type) for column in writing.table.columns for leaf in column.leaves())
    with running():
        (
            frame.observe(counted, f.count(f.lit(1)).alias("rows"))
            .write.option("compression", _CODECS[options.compression])
            .option("parquet.block.row.count.limit", options.row_group_size)
            .option("maxRecordsPerFile", max(1, options.target_file_size // width))
            .option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")
            .parquet(str(place))
        )
        return int(counted.get["rows"])


def _width(lake_type: LakeType) -> int:
    return _WIDTHS[lake_type.kind] if isinstance(lake_type, Scalar) else 16


def _finished(path: Path, writing: FileWriting) -> WrittenFile:
    """A file of Spark's under a name of ours, with what its footer says."""
    table = writing.table
    source = open_parquet(writing.storage, str(path))
    by_id = {field.field_id: field for field in source.schema.walk()}
    statistics = tuple(
        # Parquet's Java writer drops the bounds of numbers among which is NaN.
        foreign_statistics(source.metadata, leaf, by_id[int(leaf.id)], tells_nan=True)
        for column in table.columns
        for leaf in column.leaves()
    )
    footer, rows = source.metadata, source.metadata.num_rows
    source.close()
    _check_nulls(table.columns, statistics)
    name = new_name()
    size = path.stat().st_size
    path.rename(path.parent.parent / name)
    location = directory_of(table.location, ()) + name
    return WrittenFile(location, rows, size, footer.serialized_size, statistics)


def _check_seen(left: int, location: str) -> None:
    if left:
        raise Unavailable(
            f"Spark wrote {left} rows into files that this process does not see",
            hint="keep the data on a disk that all executors share with this process, "
            "or in an object store",
            location=location,
        )


def _check_nulls(columns: tuple[Column, ...], found: Sequence[ColumnStatistics]) -> None:
    counts = {each.column: each.null_count for each in found}
    for column in columns:
        if not column.nullable and counts[column.id]:
            raise UsageError(
                f"a row has NULL in column '{column.name}', which is NOT NULL",
                hint="give it a value, or drop the column's NOT NULL",
                column=column.name,
            )

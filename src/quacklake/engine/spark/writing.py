"""A Spark DataFrame's rows: written by executors, committed by the driver once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as t

from quacklake.client.workspace import Workspace
from quacklake.client.writing.adding import FileWriting, add_rows, with_files
from quacklake.client.writing.matching import Matcher
from quacklake.engine.spark import manifests
from quacklake.engine.spark.carriers import inward
from quacklake.engine.spark.failures import running
from quacklake.engine.spark.manifests import Manifest, Word, said, telling
from quacklake.engine.spark.mapping import mapped
from quacklake.engine.spark.predicates import named
from quacklake.engine.spark.workers import Batches, Work
from quacklake.format.table import Table
from quacklake.format.types import TIMESTAMPS, Column, Kind, Scalar
from quacklake.transaction.draft import TableDraft


@dataclass(frozen=True, slots=True)
class WriteRows:
    """What a task does with its part of a frame; few rows are handed back instead of written."""

    writing: FileWriting
    matcher: Matcher
    limit: int

    def __call__(self, batches: Batches) -> Batches:
        """The manifest of the task."""
        return telling(lambda: self._written(batches))

    def _written(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        table = self.writing.table
        rows = self.matcher.batches(adapted(batch, table) for batch in batches)
        yield from written(rows, self.writing, self.limit)


def written(
    rows: Iterator[pa.RecordBatch], writing: FileWriting, limit: int
) -> Iterator[pa.RecordBatch]:
    """Rows written to files, or handed back if they are no more than `limit`."""
    held: list[pa.RecordBatch] = []
    count = 0
    for batch in rows:
        if batch.num_rows:
            held.append(batch)
            count += batch.num_rows
        if count > limit:
            word = Word.FILE_WITH_IDS if writing.with_ids else Word.FILE
            for file in writing.write(chain(held, rows)):
                yield said(word, file)
            return
    word = Word.ROWS_WITH_IDS if writing.with_ids else Word.ROWS
    for batch in held:
        yield said(word, batch)


def run(frame: DataFrame, job: Work, work: Workspace) -> Manifest:
    """Run `job` over a frame; what its tasks say is complete, or nothing was written."""
    manifest = Manifest()
    with running():
        spoken = mapped(frame, job, manifests.SCHEMA).collect()
    for word, payload in spoken:
        manifest.hear(word, bytes(payload))
    return manifest.checked(work.storage)


def with_written(work: Workspace, draft: TableDraft, manifest: Manifest) -> tuple[TableDraft, int]:
    """`draft` with everything a job wrote or handed back, and how many rows they are."""
    draft, count = with_files(work, draft, manifest.files, with_ids=False)
    draft, kept = with_files(work, draft, manifest.files_with_ids, with_ids=True)
    total = count + kept
    for rows, with_ids in ((manifest.rows, False), (manifest.rows_with_ids, True)):
        if rows:
            draft, few = add_rows(work, draft, iter(rows), with_ids=with_ids)
            total += few
    return draft, total


def zoned(frame: DataFrame, table: Table) -> DataFrame:
    """Instants for columns without a zone, and the reverse, cast as Spark casts them."""
    known = {column.name.casefold(): column for column in table.columns}
    casts = {}
    for field in frame.schema.fields:
        column = known.get(field.name.casefold())
        wanted = None if column is None else _zone_cast(field.dataType, column)
        if wanted is not None:
            casts[field.name] = named(field.name).cast(wanted)
    return frame.withColumns(casts) if casts else frame


def _zone_cast(found: t.DataType, column: Column) -> t.DataType | None:
    if not isinstance(column.type, Scalar) or column.type.kind not in TIMESTAMPS:
        return None
    is_instant = column.type.kind is Kind.TIMESTAMPTZ
    if isinstance(found, t.TimestampType) and not is_instant:
        return t.TimestampNTZType()
    if isinstance(found, t.TimestampNTZType) and is_instant:
        return t.TimestampType()
    return None


def adapted(batch: pa.RecordBatch, table: Table) -> pa.RecordBatch:
    """A batch of Spark's with the types that Spark has no words for in those of the table."""
    known = {column.name.casefold(): column for column in table.columns}
    arrays = [
        _adapted(array, known.get(name.casefold()))
        for name, array in zip(batch.schema.names, batch.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)


def _adapted(array: pa.Array, column: Column | None) -> pa.Array:
    if column is None or not any(_is_carried(leaf) for leaf in column.leaves()):
        return array
    try:
        return inward(array, column.type)
    except (pa.ArrowException, AttributeError, KeyError, TypeError):
        # Not as we carry it: the matcher converts it, or names the row that does not fit.
        return array


def _is_carried(leaf: Column) -> bool:
    carried = {Kind.INTERVAL, Kind.TIMESTAMP_NS, Kind.TIME, Kind.TIME_NS}
    return isinstance(leaf.type, Scalar) and leaf.type.kind in carried

"""Rows deleted and updated by Spark jobs: executors find and write, the driver commits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from quacklake.client.workspace import Workspace
from quacklake.client.writing.adding import FileWriting, file_writing
from quacklake.client.writing.affected import Affected
from quacklake.client.writing.operations import assigned_columns, changed_rows, plan_places
from quacklake.client.writing.removing import remove_rows
from quacklake.engine.spark.carriers import from_spark
from quacklake.engine.spark.failures import running
from quacklake.engine.spark.manifests import Word, said, telling
from quacklake.engine.spark.reading import lowered
from quacklake.engine.spark.workers import Batches
from quacklake.engine.spark.writing import run, with_written, written
from quacklake.format.table import TableName
from quacklake.format.types import Column
from quacklake.kernel.ids import ColumnId
from quacklake.scan.plan import PLACES, ROW_ID

_PLACE_NAMES = [column.name for column in PLACES]


def delete(
    spark: SparkSession, work: Workspace, name: TableName, where: str | pc.Expression | None
) -> Affected:
    """Remove the rows that satisfy `where`; Spark tells where they lie."""
    draft = work.drafted(name)
    plan = plan_places(work, draft.table, where, columns=())
    with running():
        places = lowered(plan, work, spark).toArrow()
    work.stage(remove_rows(draft, plan, places))
    return Affected(deleted=places.num_rows)


def update(
    spark: SparkSession,
    work: Workspace,
    name: TableName,
    assignments: Mapping[str, str],
    where: str | pc.Expression | None,
) -> Affected:
    """Give columns new values where `where` holds; executors write the changed rows."""
    draft = work.drafted(name)
    table = draft.table
    plan = plan_places(work, table, where, columns=(*table.columns, ROW_ID))
    job = UpdateRows(
        plan.columns,
        file_writing(work, table, with_ids=True),
        assigned_columns(table, assignments),
        work.limit(table),
    )
    manifest = run(lowered(plan, work, spark), job, work)
    if not manifest.places:
        return Affected()
    removed = remove_rows(draft, plan, pa.concat_tables(manifest.places))
    staged, count = with_written(work, removed, manifest)
    work.stage(staged)
    return Affected(updated=count)


@dataclass(frozen=True, slots=True)
class UpdateRows:
    """What a task does with rows to be updated: writes them changed, and tells where they lay."""

    columns: tuple[Column, ...]
    writing: FileWriting
    assigned: dict[ColumnId, str]
    limit: int

    def __call__(self, batches: Batches) -> Batches:
        """The manifest of the task."""
        return telling(lambda: self._written(batches))

    def _written(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        places: list[pa.Table] = []
        yield from written(self._changed(batches, places), self.writing, self.limit)
        if places:
            yield said(Word.PLACES, pa.concat_tables(places))

    def _changed(self, batches: Batches, places: list[pa.Table]) -> Batches:
        names = [column.name for column in self.columns]
        for batch in batches:
            if batch.num_rows:
                found = pa.table(list(from_spark(batch, self.columns)), names=names)
                places.append(found.select(_PLACE_NAMES))
                yield from changed_rows(found, self.writing.table, self.assigned).to_batches()

"""What a transaction staged, laid over what is committed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quacklake.catalog.reader import InlinedRows
from quacklake.format.files import DataFile
from quacklake.format.snapshot import Snapshot
from quacklake.kernel.ids import DataFileId, SnapshotId
from quacklake.scan.plan import ROW_ID, FileTask, ScanPlan
from quacklake.scan.reading import read_inlined
from quacklake.transaction.draft import StagedFile, StagedRows, TableDraft


def overlaid(plan: ScanPlan, draft: TableDraft) -> ScanPlan:
    """`plan` without the rows that are deleted in `draft`, and with those added in it."""
    tasks = [_without_deleted(task, draft) for task in plan.tasks]
    tasks += [_staged_task(file, draft, plan.snapshot) for file in draft.files]
    inlined = [_without_ended(rows, draft) for rows in plan.inlined]
    inlined += [_staged_inlined(staged, index) for index, staged in enumerate(draft.rows)]
    return replace(plan, tasks=tuple(tasks), inlined=tuple(inlined))


def _without_deleted(task: FileTask, draft: TableDraft) -> FileTask:
    deletes = draft.deletes.get(task.file.id)
    if deletes is None:
        return task
    return replace(task, deleted=(*task.deleted, *(int(p) for p in deletes.positions)))


def _staged_task(file: StagedFile, draft: TableDraft, at: Snapshot) -> FileTask:
    written = file.written
    described = DataFile(
        DataFileId(file.id),
        written.location,
        written.record_count,
        written.file_size_bytes,
        at.id,
        None,
        None,
        encryption_key=written.encryption_key,
    )
    gone = draft.own_deletes.get(file.id, np.array([], dtype=np.int64))
    return FileTask(described, tuple(int(p) for p in gone), file.mapping)


def _without_ended(rows: InlinedRows, draft: TableDraft) -> InlinedRows:
    ended = draft.ended_rows.get(rows.schema_version)
    if not ended:
        return rows
    gone = pc.is_in(rows.rows.column("row_id"), value_set=pa.array(ended, pa.int64()))
    return replace(rows, rows=rows.rows.filter(pc.invert(gone)))


def _staged_inlined(staged: StagedRows, index: int) -> InlinedRows:
    tags = pa.nulls(staged.rows.num_rows, pa.int64())
    rows = staged.rows.add_column(1, "begin_snapshot", tags)
    return InlinedRows(staged.columns, rows, -(index + 1))


def settled(draft: TableDraft) -> TableDraft:
    """`draft` with rows for the catalog in the table's final columns."""
    columns = draft.table.columns
    rows = tuple(
        staged if staged.columns == columns else _in_columns(staged, draft, index)
        for index, staged in enumerate(draft.rows)
    )
    return replace(draft, rows=rows)


def _in_columns(staged: StagedRows, draft: TableDraft, index: int) -> StagedRows:
    columns = draft.table.columns
    nowhere = Snapshot(SnapshotId(0), datetime.now(UTC), 0, 0, 0)
    plan = ScanPlan(draft.table, nowhere, (ROW_ID, *columns), None, (), ())
    made = read_inlined(plan, _staged_inlined(staged, index))
    names = ["row_id", *(column.name for column in columns)]
    return StagedRows(columns, made.rename_columns(names))

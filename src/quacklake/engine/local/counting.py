"""How many rows a scan has, reading only what the catalog cannot tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pyarrow as pa

from quacklake.scan.plan import ROW_ID, FileTask, ScanPlan
from quacklake.scan.reading import read_batches
from quacklake.storage.filesystem import Storage

_AT_ONCE: Final = 122_880


def blank_batches(plan: ScanPlan, storage: Storage, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """As many rows of NULL as `plan` has rows; `schema` has one column."""
    nulls = pa.nulls(_AT_ONCE, schema.field(0).type)
    whole = pa.RecordBatch.from_arrays([nulls], schema=schema)
    for count in row_counts(plan, storage):
        for start in range(0, count, _AT_ONCE):
            yield whole.slice(0, min(_AT_ONCE, count - start))


def row_counts(plan: ScanPlan, storage: Storage) -> Iterator[int]:
    """Numbers of rows that add up to those of `plan`, which has no filter."""
    unknown = tuple(task for task in plan.tasks if not _is_counted(task, plan))
    counted = (task for task in plan.tasks if _is_counted(task, plan))
    yield sum(task.file.record_count - len(task.deleted) for task in counted)
    yield sum(rows.rows.num_rows for rows in plan.inlined)
    if unknown:
        # Which positions of these files are gone, only the files say.
        rest = replace(plan, tasks=unknown, inlined=(), columns=(ROW_ID,))
        for batch in read_batches(rest, storage):
            yield batch.num_rows


def _is_counted(task: FileTask, plan: ScanPlan) -> bool:
    newest = task.file.partial_max
    is_whole = newest is None or newest <= plan.snapshot.id
    return is_whole and task.file.delete_file is None

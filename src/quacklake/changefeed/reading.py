"""Changes as batches: what happened when to which row, and the row itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quacklake.changefeed.columns import (
    DELETE,
    INSERT,
    UPDATE_POSTIMAGE,
    UPDATE_PREIMAGE,
    change_columns,
    schema_of,
    weighted_columns,
)
from quacklake.changefeed.pairs import Updates
from quacklake.changefeed.plan import ChangePlan
from quacklake.changefeed.stream import Changed, ChangeStream
from quacklake.scan.reads import Meter
from quacklake.storage.filesystem import Storage


def read_changes(
    plan: ChangePlan, storage: Storage, *, meter: Meter | None = None, threads: int | None = None
) -> Iterator[pa.RecordBatch]:
    """The changes of `plan` in no particular order; few row groups are held at a time."""
    stream = ChangeStream(plan, storage, meter=meter, threads=threads)
    schema = schema_of(change_columns(plan.columns))
    found = stream.updates()
    for changed in stream.changes(row_ids=True):
        yield from _told(changed, found, schema).to_batches()


def _told(changed: Changed, found: Updates, schema: pa.Schema) -> pa.Table:
    is_update = pa.array(found.among(changed.keys))
    if changed.came:
        kinds = pc.if_else(is_update, UPDATE_POSTIMAGE, INSERT)
    else:
        kinds = pc.if_else(is_update, UPDATE_PREIMAGE, DELETE)
    head = [pa.array(changed.snapshots), changed.row_ids, kinds]
    return pa.table([*head, *changed.rows.columns], schema=schema)


def read_signed(
    plan: ChangePlan,
    storage: Storage,
    *,
    row_ids: bool = False,
    meter: Meter | None = None,
    threads: int | None = None,
) -> Iterator[pa.RecordBatch]:
    """Every row that came with weight 1 and every row that went with weight -1, not summed.

    With `row_ids` the id of each row stands before its weight.
    """
    stream = ChangeStream(plan, storage, meter=meter, threads=threads)
    schema = schema_of(weighted_columns(plan.columns, row_ids=row_ids))
    for changed in stream.changes(row_ids=row_ids):
        sign = np.full(changed.rows.num_rows, 1 if changed.came else -1, dtype=np.int64)
        ids = [changed.row_ids] if row_ids else []
        table = pa.table([*changed.rows.columns, *ids, pa.array(sign)], schema=schema)
        yield from table.to_batches()

"""A change becomes rows removed and added: exactly as many copies as its weights say.

Rows that go are found by their row ids where the change has them, by their key where they have
one, and else by all their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.client.workspace import Workspace
from quacklake.client.writing.adding import add_rows
from quacklake.client.writing.matching import checked_ids
from quacklake.client.writing.removing import remove_rows
from quacklake.format.snapshot import AtVersion
from quacklake.format.table import Table, TableName
from quacklake.ivm import ROW_ID_COLUMN
from quacklake.pipeline.keys import KeySetFilter, key_filter
from quacklake.pipeline.ports import LargeChange
from quacklake.pipeline.settling import (
    Applied,
    arriving,
    check_alone,
    copies_of,
    leaving,
    parted,
)
from quacklake.pipeline.supply import IDENTITY, Supply
from quacklake.scan.plan import PLACES, ROW_ID, Request, ScanPlan
from quacklake.scan.reading import read_batches
from quacklake.scan.reads import Meter


def apply_change(
    supply: Supply,
    name: TableName,
    change: pa.Table | LargeChange,
    *,
    key: Sequence[str] | None = None,
    row_ids: bool = False,
    doubt: bool = False,
) -> Applied:
    """Stage a weighted change of a stored table, in the transaction of the supply.

    With a `key` its columns tell rows apart, and a row that is replaced keeps its row id. With
    `row_ids` the change has them before its weights, and rows come and go under them; in `doubt`
    their values must agree, too. Raises `CorruptLake`, and stages nothing, if a row that must go
    is not there.
    """
    if not isinstance(change, pa.Table):
        return change.apply(supply, name, key=key, row_ids=row_ids)
    work = supply.work
    draft = work.drafted(name)
    table = draft.table
    gone, come = parted(change)
    if row_ids:
        checked_ids(change.column(ROW_ID_COLUMN), table)
    left = None
    if gone.num_rows:
        find = partial(_by_row_id, doubt=doubt) if row_ids else partial(_by_values, key=key)
        plan, left = find(work, table, gone, supply.meter)
        draft = remove_rows(draft, plan, left)
    added = 0
    if come.num_rows:
        draft = replace(draft, borrows_ids=row_ids)
        rows = arriving(table, come, left, key=key, row_ids=row_ids)
        draft, added = add_rows(work, draft, iter(rows.to_batches()), with_ids=True)
    work.stage(draft)
    return Applied(added, 0 if left is None else left.num_rows)


def _by_values(
    work: Workspace, table: Table, gone: pa.Table, meter: Meter, *, key: Sequence[str] | None
) -> tuple[ScanPlan, pa.Table]:
    """The stored rows that go, and where they lie; with a `key` fewer are looked at."""
    plan = _planned(work, table, _chosen(table, gone, key))
    plan = replace(plan, columns=(*table.columns, ROW_ID, *PLACES))
    return plan, leaving(table, _read(work, plan, meter), gone, row_ids=False)


def _by_row_id(
    work: Workspace, table: Table, gone: pa.Table, meter: Meter, *, doubt: bool
) -> tuple[ScanPlan, pa.Table]:
    """The stored rows with the row ids of those that go, and where they lie."""
    # What the catalog knows of values rules out files; what files say of ids, parts of them.
    plan = _planned(work, table, _chosen(table, gone, None))
    chosen = key_filter((IDENTITY,), gone.select([ROW_ID_COLUMN]))
    plan = replace(plan, columns=(IDENTITY, *PLACES), filter=chosen)
    found = _read(work, plan, meter)
    check_alone(table, found)
    alone = pc.count_distinct(found.column(ROW_ID_COLUMN)).as_py() == found.num_rows
    if not doubt and alone and found.num_rows == copies_of(gone):
        return plan, found
    columns = (*table.columns, IDENTITY, *PLACES)
    plan = replace(plan, columns=columns, filter=_chosen(table, gone, None))
    return plan, leaving(table, _read(work, plan, meter), gone, row_ids=True)


def _chosen(table: Table, gone: pa.Table, key: Sequence[str] | None) -> KeySetFilter | None:
    columns = table.columns if key is None else tuple(table.column(name) for name in key)
    return key_filter(columns, gone.select([column.name for column in columns]))


def _planned(work: Workspace, table: Table, chosen: KeySetFilter | None) -> ScanPlan:
    at = AtVersion(work.ground.snapshot.id)
    return work.plan(Request(table.name, at, None, chosen, places=True))


def _read(work: Workspace, plan: ScanPlan, meter: Meter) -> pa.Table:
    return pa.Table.from_batches(read_batches(plan, work.storage, meter=meter), plan.schema)

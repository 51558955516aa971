"""Two bags of rows, and what one has more of than the other; the rows that are stored."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.changefeed.weighted import consolidated
from quacklake.client.session import Session
from quacklake.format.snapshot import AtVersion
from quacklake.format.table import Table
from quacklake.format.types import Column
from quacklake.ivm import WEIGHT_COLUMN
from quacklake.kernel.ids import SnapshotId
from quacklake.pipeline.supply import IDENTITY
from quacklake.scan.plan import Request, ScanPlan
from quacklake.scan.reading import read_table

LISTED: Final = 100_000
"""So many differences are listed; a result that is all wrong is as large as the table."""


def difference(wanted: pa.Table, found: pa.Table, columns: tuple[Column, ...]) -> pa.Table:
    """What turns `found` into `wanted`: each different row once, with a weight that is not zero."""
    more, less = _weighted(wanted, 1), _weighted(found, -1)
    signed = [*more.cast(less.schema).to_batches(), *less.to_batches()]
    return consolidated(signed, columns, less.schema)


def differing(wanted: pa.Table, found: pa.Table, columns: tuple[Column, ...]) -> pa.Table:
    """The `difference`, but 0.0 and -0.0 are equal: the query may give either for a group."""
    return difference(_equal_zeros(wanted), _equal_zeros(found), columns)


def _equal_zeros(rows: pa.Table) -> pa.Table:
    for place, column in enumerate(rows.columns):
        if pa.types.is_floating(column.type):
            zero = pa.scalar(0.0, column.type)
            rows = rows.set_column(place, rows.schema.field(place), pc.add(column, zero))
    return rows


def _weighted(rows: pa.Table, weight: int) -> pa.Table:
    weights = pc.multiply(pa.scalar(weight, pa.int64()), pa.repeat(1, rows.num_rows))
    return rows.append_column(WEIGHT_COLUMN, weights)


def kept_columns(table: Table, *, row_ids: bool) -> tuple[Column, ...]:
    """What tells the rows of a stored result apart: its columns, and the ids it gave them."""
    return (*table.columns, IDENTITY) if row_ids else table.columns


def stored_plan(
    session: Session, table: Table, at: SnapshotId, *, row_ids: bool = False
) -> ScanPlan:
    """How all rows of a result that is committed are read, in `kept_columns`."""
    plan = session.plan(Request(table.name, AtVersion(at)))
    return replace(plan, columns=kept_columns(table, row_ids=row_ids))


def stored_rows(
    session: Session, table: Table, at: SnapshotId, *, row_ids: bool = False
) -> pa.Table:
    """All rows of a result that is committed, in `kept_columns`."""
    return read_table(stored_plan(session, table, at, row_ids=row_ids), session.storage)

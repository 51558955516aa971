"""Two bags of rows, and what one has more of than the other; the rows that are stored."""

from __future__ import annotations

from dataclasses import replace

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
from quacklake.scan.plan import Request
from quacklake.scan.reading import read_table


def difference(wanted: pa.Table, found: pa.Table, columns: tuple[Column, ...]) -> pa.Table:
    """What turns `found` into `wanted`: each different row once, with a weight that is not zero."""
    more, less = _weighted(wanted, 1), _weighted(found, -1)
    signed = [*more.cast(less.schema).to_batches(), *less.to_batches()]
    return consolidated(signed, columns, less.schema)


def _weighted(rows: pa.Table, weight: int) -> pa.Table:
    weights = pc.multiply(pa.scalar(weight, pa.int64()), pa.repeat(1, rows.num_rows))
    return rows.append_column(WEIGHT_COLUMN, weights)


def kept_columns(table: Table, *, row_ids: bool) -> tuple[Column, ...]:
    """What tells the rows of a stored result apart: its columns, and the ids it gave them."""
    return (*table.columns, IDENTITY) if row_ids else table.columns


def stored_rows(
    session: Session, table: Table, at: SnapshotId, *, row_ids: bool = False
) -> pa.Table:
    """All rows of a result that is committed, in `kept_columns`."""
    plan = session.plan(Request(table.name, AtVersion(at)))
    plan = replace(plan, columns=kept_columns(table, row_ids=row_ids))
    return read_table(plan, session.storage)

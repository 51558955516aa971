"""What a refresh did, why, and what it read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from quacklake.catalog.ledger import RefreshRow
from quacklake.format.table import TableName
from quacklake.pipeline.frontier import frontier_from, shown

NO_CHANGE: Final = "no-change"


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """One refresh: its `mode` is "no-change", "incremental" or "full", and `reason` says why.

    `rows_in` changed in the sources, `rows_out` changed in the result. `rows_read`,
    `bytes_read` and `files_read` are what had to be opened for that, the result included.
    """

    name: str
    mode: str
    reason: str
    rows_in: int = 0
    rows_out: int = 0
    rows_read: int = 0
    bytes_read: int = 0
    files_read: int = 0
    duration_ms: int = 0
    snapshot_id: int | None = None


@dataclass(frozen=True, slots=True)
class PastRefresh:
    """A refresh of the past, with the frontier it reached."""

    finished: datetime
    report: RefreshReport
    frontier: dict[str, Any]


def past_refresh(row: RefreshRow, name: TableName) -> PastRefresh:
    """A refresh as the catalog remembers it."""
    report = RefreshReport(
        str(name),
        row.mode,
        row.reason,
        row.rows_in,
        row.rows_out,
        row.rows_read,
        row.bytes_read,
        row.files_read,
        row.duration_ms,
        row.snapshot_id,
    )
    return PastRefresh(row.finished, report, shown(frontier_from(row.frontier)))

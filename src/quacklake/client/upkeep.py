"""What maintenance of tables has in common: its reports, its proposals, planning anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from quacklake.format.table import TableName
from quacklake.kernel.errors import CommitConflict
from quacklake.maintenance.candidates import Group
from quacklake.transaction.commit import Proposal

_ATTEMPTS: Final = 3

Watch: TypeAlias = Callable[[str, int, int], None]
"""Told what is worked on, and how many of how many tables are done."""


def unwatched(what: str, done: int, total: int) -> None:
    """Nobody looks on."""


@dataclass(frozen=True, slots=True)
class MaintenanceReport:
    """What one operation did to one table, or would do."""

    operation: str
    table: str | None
    files_removed: int
    files_added: int
    rows: int
    snapshot_id: int | None
    dry_run: bool


class Move(Proposal, Protocol):
    """A proposal that keeps its files over attempts.

    `abandon` is called once, after the last attempt, when it is certain that none landed.
    """

    def abandon(self) -> None:
        """Delete what was written."""
        ...


def retried(
    operate: Callable[[TableName], MaintenanceReport | None], name: TableName
) -> MaintenanceReport | None:
    """Plan again when a writer got in between; the last conflict is the caller's."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return operate(name)
        except CommitConflict:
            continue
    return operate(name)


def report_of(
    operation: str,
    name: TableName,
    groups: Sequence[Group],
    snapshot: int | None,
    *,
    dry_run: bool,
) -> MaintenanceReport:
    """What became, or would become, of groups of files."""
    files = [live for group in groups for live in group]
    rows = sum(live.file.record_count for live in files)
    return MaintenanceReport(operation, str(name), len(files), len(groups), rows, snapshot, dry_run)

"""A single call as a transaction of its own, run again when another writer got in between."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from quacklake.client.session import Session
from quacklake.client.workspace import Workspace
from quacklake.client.writing.affected import Affected
from quacklake.format.table import TableName
from quacklake.kernel.errors import CommitConflict, CommitUnknown
from quacklake.transaction.commit import RetryPolicy
from quacklake.transaction.lowering.commit import CommitInfo


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What a call did: rows touched, and the snapshot it made; None inside a transaction."""

    inserted: int
    updated: int
    deleted: int
    snapshot_id: int | None


def reported(affected: Affected, snapshot_id: int | None) -> WriteReport:
    """The report of an operation."""
    return WriteReport(affected.inserted, affected.updated, affected.deleted, snapshot_id)


def autocommit(
    session: Session,
    operate: Callable[[Workspace], Affected],
    *,
    repeatable: bool,
    table: TableName | None = None,
) -> WriteReport:
    """Run `operate`, which is about `table`, and commit; after a conflict, run it anew."""
    retry = RetryPolicy()
    attempt = 0
    while True:
        work = Workspace(session, first=table)
        try:
            affected = operate(work)
            _check_nothing_missed(work)
            return reported(affected, int(work.commit(CommitInfo(), retry).id))
        except CommitUnknown:
            raise
        except CommitConflict:
            work.abandon()
            attempt += 1
            if not repeatable or attempt > retry.retries:
                raise
            time.sleep(retry.pause(attempt))
        except Exception:
            work.abandon()
            raise


def _check_nothing_missed(work: Workspace) -> None:
    """A call that found nothing to do must have looked at the newest snapshot."""
    if work.draft.is_empty and work.has_read_late:
        raise CommitConflict(
            "others committed before the rows to change were looked up",
            hint="repeat the call",
        )

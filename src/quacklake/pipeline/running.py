"""Refreshes carried out: staged, committed, and made anew when another writer was faster."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from quacklake.catalog.ledger import moved, recorded
from quacklake.catalog.mutations import Mutation
from quacklake.client.session import Session
from quacklake.format.snapshot import AtVersion
from quacklake.format.table import TableName
from quacklake.kernel.errors import CommitConflict, CommitUnknown, UsageError
from quacklake.kernel.ids import SnapshotId
from quacklake.pipeline.definition import Definition, Mode
from quacklake.pipeline.entries import refresh_row
from quacklake.pipeline.outcomes import Outcome, timed
from quacklake.pipeline.ports import ProgramEngines
from quacklake.pipeline.refreshing import Refreshing
from quacklake.pipeline.registry import in_order
from quacklake.pipeline.reports import NO_CHANGE, RefreshReport
from quacklake.pipeline.sources import compiled, tables_of
from quacklake.transaction.commit import RetryPolicy
from quacklake.transaction.lowering.commit import CommitInfo


def refresh(
    session: Session,
    engines: ProgramEngines,
    names: Sequence[TableName],
    mode: Mode | None = None,
) -> tuple[RefreshReport, ...]:
    """Refresh stream tables in one commit, in the order in which they read each other."""
    return _repeated(session, engines, lambda run: _refreshed(run, names, mode))


def rewind(
    session: Session, engines: ProgramEngines, name: TableName, snapshot: int
) -> RefreshReport:
    """Put a stream table back to what it is of its sources at an earlier snapshot."""

    def back(run: Refreshing) -> list[Outcome]:
        start = time.perf_counter()
        definition = run.called(name)
        with session.reading() as reader:
            at = reader.snapshot(AtVersion(SnapshotId(snapshot)))
            tables = tables_of(reader, definition.query, at, definition.name.schema)
        _check_past(definition, snapshot)
        view = compiled(definition.query, tables, definition.settings.columns)
        done = run.refill(definition, view, tables, f"rewound to {snapshot}", at=at.id)
        return [timed(done, start)]

    return _repeated(session, engines, back)[0]


def _refreshed(run: Refreshing, names: Sequence[TableName], mode: Mode | None) -> list[Outcome]:
    wanted = [run.called(name) for name in dict.fromkeys(names)]
    return [run.refresh(each, mode or each.settings.mode) for each in in_order(wanted)]


def _repeated(
    session: Session, engines: ProgramEngines, work: Callable[[Refreshing], list[Outcome]]
) -> tuple[RefreshReport, ...]:
    retry = RetryPolicy()
    attempt = 0
    while True:
        run = Refreshing(session, engines)
        try:
            return _committed(session, run, work(run), retry)
        except CommitUnknown:
            raise
        except CommitConflict:
            run.work.abandon()
            attempt += 1
            if attempt > retry.retries:
                raise
            time.sleep(retry.pause(attempt))
        except Exception:
            run.work.abandon()
            raise
        finally:
            run.held.close()


def _committed(
    session: Session, run: Refreshing, outcomes: Sequence[Outcome], retry: RetryPolicy
) -> tuple[RefreshReport, ...]:
    if run.work.draft.is_empty:
        _advanced(session, outcomes)
        return tuple(each.report for each in outcomes)
    for each in outcomes:
        run.stage(each)
    names = ", ".join(each.report.name for each in outcomes)
    snapshot = int(run.work.commit(CommitInfo(message=f"refresh {names}"), retry).id)
    return tuple(replace(each.report, snapshot_id=snapshot) for each in outcomes)


def _advanced(session: Session, outcomes: Sequence[Outcome]) -> None:
    """Frontiers move over snapshots that changed nothing; that makes no snapshot.

    Work that found nothing to change is remembered, too: it took its time. Whoever moved a
    frontier in the meantime was as right, so losing against it is no matter.
    """
    changed = [each for each in outcomes if each.after is not each.before]
    if changed:
        with suppress(CommitConflict), session.catalog.write() as writer:
            writer.apply([mutation for each in changed for mutation in _steps(each)])


def _steps(outcome: Outcome) -> Iterator[Mutation]:
    after, report = outcome.after, outcome.report
    yield moved(after.row(), after.generation - 1)
    if report.mode != NO_CHANGE:
        yield recorded(refresh_row(after, report, after.frontier, None))


def _check_past(definition: Definition, snapshot: int) -> None:
    newest = max(int(each.snapshot) for each in definition.frontier.values())
    if snapshot > newest:
        raise UsageError(
            f"'{definition.name}' stands at snapshot {newest} and cannot be rewound to {snapshot}",
            hint="refresh() goes forward",
        )

"""The window a user asks for, and whether its history is still whole.

Expiry takes away files that no readable snapshot needs. All changes after a snapshot are
there if it and every later one can be read: what came and went in between was needed by one of
them. The sum of the changes is there if only the two ends can be read. Of a table made later
than the window begins, only the history since it was made counts.
"""

from __future__ import annotations

from quacklake.catalog.reader import CatalogReader
from quacklake.catalog.window import Retained, TableWindow, Window
from quacklake.changefeed.lives import Span
from quacklake.format.snapshot import AtTime, AtVersion, Latest, Snapshot, SnapshotRef
from quacklake.format.table import Table
from quacklake.kernel.errors import NotFound, SnapshotExpired, UsageError

BEGINNING = -1
"""Stands before the first snapshot of all."""


def window_of(reader: CatalogReader, since: SnapshotRef | None, until: Snapshot) -> Window:
    """The window after `since`, up to and including `until`."""
    after = _after(reader, since)
    if after > until.id:
        raise UsageError(
            f"changes cannot go back from snapshot {after} to {until.id}",
            hint="give an earlier snapshot as since than as until",
            since=after,
            until=int(until.id),
        )
    return Window(after, int(until.id))


def _after(reader: CatalogReader, since: SnapshotRef | None) -> int:
    match since:
        case None:
            return BEGINNING
        case AtVersion(number) if number < 0:
            raise NotFound(
                f"no snapshot {number}", hint="leave since out to begin with the first change"
            )
        case AtVersion(number):
            return int(number)
        case AtTime() | Latest():
            return _moment(reader, since)


def _moment(reader: CatalogReader, since: AtTime | Latest) -> int:
    try:
        return int(reader.snapshot(since).id)
    except (NotFound, SnapshotExpired) as none:
        # Whatever is still readable is later than a moment before all of it.
        oldest = none.facts.get("oldest")
        if not isinstance(oldest, int):
            raise
        return oldest - 1


def checked_span(
    asked: TableWindow, table: Table, window: Window, retained: Retained, *, net: bool
) -> Span:
    """The snapshots to report; `SnapshotExpired` if what is left of them is not everything."""
    if not has_gap(window, retained):
        return Span(window, asked.moves())
    if net and (retained.is_start_readable or window.after < retained.began):
        # Beside a gap a moved row may be all that is left of one that came.
        return Span(window)
    oldest = int(asked.unbroken_since())
    start = "its first" if window.after < retained.began else f"snapshot {window.after}"
    raise SnapshotExpired(
        f"the changes of table '{table.name}' since {start} have partly expired",
        hint=f"changes since snapshot {oldest} can be read",
        table=str(table.name),
        since=window.after,
        until=window.upto,
        oldest=oldest,
    )


def has_gap(window: Window, retained: Retained) -> bool:
    """Whether a snapshot that the changes of the window depend on is gone."""
    first = max(window.after, int(retained.began))
    return retained.there < window.upto - first + 1

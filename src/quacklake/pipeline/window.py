"""What happened to the sources of a view since its frontier, told by the catalog alone."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from quacklake.catalog.reader import CatalogReader
from quacklake.changefeed.plan import ChangeRequest, plan_changes
from quacklake.format.changes import ChangeKind, parse_changes
from quacklake.format.snapshot import AtVersion, Commit, Snapshot
from quacklake.format.table import Table
from quacklake.kernel.errors import NotFound, SnapshotExpired
from quacklake.kernel.ids import SnapshotId, TableId
from quacklake.pipeline.frontier import Frontier, Position, source_key

_OF_ROWS: Final = frozenset(
    {
        ChangeKind.INSERTED_INTO_TABLE,
        ChangeKind.DELETED_FROM_TABLE,
        ChangeKind.INLINED_INSERT,
        ChangeKind.INLINED_DELETE,
    }
)
"""What changes rows; compaction, flushes and rewrites only move them."""
_OF_FILES: Final = frozenset({ChangeKind.MERGE_ADJACENT, ChangeKind.COMPACTED_TABLE})
"""What puts rows of several files into one."""


@dataclass(frozen=True, slots=True)
class Since:
    """The sources of a view against its frontier.

    `changed` may have other rows, `anew` is why the change of a source cannot be used at all,
    and `lost` the snapshot that would be needed and is gone. `renumbered` says that rows of a
    source, or of the view itself, may have other row ids than they had.
    """

    changed: frozenset[str]
    anew: str | None = None
    lost: int | None = None
    renumbered: bool = False


def since_frontier(
    reader: CatalogReader,
    frontier: Frontier,
    tables: Mapping[str, Table],
    target: Snapshot,
    used: Mapping[str, Iterable[str]],
    staged: Iterable[str] = (),
    own: TableId | None = None,
) -> Since:
    """What the catalog says of the sources between the frontier and `target`.

    `used` are the columns of each source that the view reads, `staged` the sources that change
    in the same transaction, and `own` is the table of the result.
    """
    known = (frontier.get(source_key(table.name)) for table in tables.values())
    start = min((each.snapshot for each in known if each is not None), default=target.id)
    commits = [c for c in reader.commits_since(start) if c.snapshot.id <= target.id]
    changed = set(staged)
    for written, table in tables.items():
        position = frontier.get(source_key(table.name))
        if position is None or position.table != table.id:
            return Since(frozenset(tables), anew=f"'{table.name}' was made anew")
        touched = _kinds(commits, table, position.snapshot, target)
        if not touched:
            continue
        if ChangeKind.ALTERED_TABLE in touched:
            reason = _redefined(reader, table, position.snapshot, used[written])
            if reason is not None:
                return Since(frozenset(tables), *reason)
        if touched & _OF_ROWS and not (
            ChangeKind.INLINE_FLUSH in touched and _is_unchanged(reader, table, position, target)
        ):
            changed.add(written)
    lost = None
    if changed:
        lost = next(
            (
                int(frontier[source_key(t.name)].snapshot)
                for t in tables.values()
                if not _is_readable(reader, frontier[source_key(t.name)].snapshot)
            ),
            None,
        )
    concerned = {table.id for table in tables.values()} | {own}
    return Since(
        frozenset(changed), lost=lost, renumbered=_renumbers(commits, concerned, start, target)
    )


def _renumbers(
    commits: Sequence[Commit], tables: Container[TableId | None], after: SnapshotId, upto: Snapshot
) -> bool:
    """Whether others merged files of tables, or may have, in commits that expired since.

    DuckDB numbers the rows of updates anew when it merges them with what was written around
    them. A merge of ours says in the same breath that it flushes, and keeps all row ids.
    """
    if len(commits) < upto.id - after:
        return True
    for commit in commits:
        told = {(change.id, change.kind) for change in parse_changes(commit.changes)}
        for table, kind in told:
            merges = kind in _OF_FILES and (table, ChangeKind.INLINE_FLUSH) not in told
            if merges and table in tables:
                return True
    return False


def _kinds(
    commits: Sequence[Commit], table: Table, after: SnapshotId, upto: Snapshot
) -> set[ChangeKind]:
    """What happened to a table; anything may have, in commits that expired since."""
    left = [commit for commit in commits if commit.snapshot.id > after]
    if len(left) < upto.id - after:
        return set(ChangeKind)
    return {
        change.kind
        for commit in left
        for change in parse_changes(commit.changes)
        if change.id == table.id
    }


def _is_unchanged(reader: CatalogReader, table: Table, since: Position, target: Snapshot) -> bool:
    """Whether what is there shows no change; a flush of deletes says that it deletes."""
    request = ChangeRequest(table.name, AtVersion(since.snapshot), AtVersion(target.id))
    try:
        plan = plan_changes(reader, request, net=True)
    except (SnapshotExpired, NotFound):
        return False
    return not (plan.tasks or plan.came or plan.went)


def _redefined(
    reader: CatalogReader, table: Table, since: SnapshotId, used: Iterable[str]
) -> tuple[str | None, int | None] | None:
    """Why rows may have changed without a commit that says so: a column in use is another one."""
    if not _is_readable(reader, since):
        return None, int(since)
    try:
        before = reader.table_at(table, since)
        for name in used:
            old, new = before.column(name), table.column(name)
            if (old.id, old.type) != (new.id, new.type):
                return f"column '{name}' of '{table.name}' was redefined", None
    except NotFound:
        return f"the columns of '{table.name}' changed", None
    return None


def _is_readable(reader: CatalogReader, snapshot: SnapshotId) -> bool:
    try:
        reader.snapshot(AtVersion(snapshot))
    except (SnapshotExpired, NotFound):
        return False
    return True

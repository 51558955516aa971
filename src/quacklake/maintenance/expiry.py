"""Which history goes when snapshots expire. The plan reads; the act removes rows, never files.

A row of the catalog whose life contains no readable snapshot any more is nobody's history.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from quacklake.catalog.ends import Life, Lives
from quacklake.catalog.mutations import (
    Delete,
    DropInlined,
    DropInlinedDeletes,
    Insert,
    Mutation,
)
from quacklake.format.paths import relative_path
from quacklake.format.snapshot import Commit
from quacklake.kernel.errors import NotFound, UsageError
from quacklake.kernel.ids import SnapshotId, TableId

_ABOUT_DATA_FILES = ("file_column_stats", "file_partition_value", "file_variant_stats")
_ABOUT_TABLES = (
    "table",
    "column",
    "column_tag",
    "column_mapping",
    "table_stats",
    "table_column_stats",
    "partition_info",
    "partition_column",
    "sort_info",
    "sort_expression",
    "schema_versions",
)


@dataclass(frozen=True, slots=True)
class Expiry:
    """Snapshots to expire, and everything that is then beyond reach."""

    snapshots: tuple[SnapshotId, ...]
    tables: tuple[TableId, ...]
    data_files: tuple[Life, ...]
    delete_files: tuple[Life, ...]
    schemas: tuple[int, ...]
    views: tuple[int, ...]


def chosen_snapshots(
    commits: Sequence[Commit],
    *,
    versions: Iterable[int] | None,
    older_than: datetime | None,
    pinned: frozenset[int] = frozenset(),
) -> tuple[SnapshotId, ...]:
    """The snapshots a call means; never the newest, and none that is pinned."""
    if versions is not None and older_than is not None:
        raise UsageError("snapshots expire by version or by age, not both")
    newest = commits[-1].snapshot.id
    if versions is not None:
        wanted = set(versions)
        unknown = wanted - {int(commit.snapshot.id) for commit in commits}
        if unknown:
            raise NotFound(f"no snapshot {min(unknown)}", kind="snapshot")
        if newest in wanted:
            raise UsageError(f"snapshot {newest} is the newest and cannot expire")
        found = [c.snapshot.id for c in commits if c.snapshot.id in wanted]
    elif older_than is not None:
        found = [c.snapshot.id for c in commits if c.snapshot.time < older_than]
    else:
        found = []
    return tuple(i for i in found if i != newest and i not in pinned)


def plan_expiry(commits: Sequence[Commit], expired: tuple[SnapshotId, ...], lives: Lives) -> Expiry:
    """What is beyond reach once `expired` are gone."""
    gone = set(expired)
    survivors = sorted(int(c.snapshot.id) for c in commits if c.snapshot.id not in gone)

    def unreachable(life: Life) -> bool:
        if life.end is None:
            return False
        place = bisect_left(survivors, life.begin)
        return place == len(survivors) or survivors[place] >= life.end

    reachable = {life.id for life in lives.tables if not unreachable(life)}
    tables = {life.id for life in lives.tables} - reachable
    files = tuple(life for life in lives.data_files if life.table in tables or unreachable(life))
    removed = {life.id for life in files}
    deletes = tuple(
        life
        for life in lives.delete_files
        if life.table in tables or life.data_file in removed or unreachable(life)
    )
    return Expiry(
        expired,
        tuple(sorted(TableId(t) for t in tables)),
        files,
        deletes,
        tuple(life.id for life in lives.schemas if unreachable(life)),
        tuple(life.id for life in lives.views if unreachable(life)),
    )


def mutations_of(expiry: Expiry, lives: Lives, data_path: str) -> Iterator[Mutation]:
    """The rows that go, and the files that clean-up may delete later."""
    snapshots = tuple(int(i) for i in expiry.snapshots)
    yield Delete("snapshot", (("snapshot_id", snapshots),))
    yield Delete("snapshot_changes", (("snapshot_id", snapshots),))
    yield from _scheduled((*expiry.data_files, *expiry.delete_files), data_path)
    files = tuple(life.id for life in expiry.data_files)
    if files:
        yield Delete("data_file", (("data_file_id", files),))
        for name in _ABOUT_DATA_FILES:
            yield Delete(name, (("data_file_id", files),))
    deletes = tuple(life.id for life in expiry.delete_files)
    if deletes:
        yield Delete("delete_file", (("delete_file_id", deletes),))
    yield from _tables(expiry, lives)
    if expiry.schemas:
        yield Delete("schema", (("schema_id", expiry.schemas),))
    if expiry.views:
        yield Delete("view", (("view_id", expiry.views),))
        yield Delete("tag", (("object_id", expiry.views),))


def _tables(expiry: Expiry, lives: Lives) -> Iterator[Mutation]:
    if not expiry.tables:
        return
    tables = tuple(int(table) for table in expiry.tables)
    for name in _ABOUT_TABLES:
        yield Delete(name, (("table_id", tables),))
    yield Delete("tag", (("object_id", tables),))
    for table, version in lives.inlined:
        if table in tables:
            yield DropInlined(TableId(table), version)
    for table in tables:
        yield DropInlinedDeletes(TableId(table))


def _scheduled(files: Sequence[Life], data_path: str) -> Iterator[Mutation]:
    now = datetime.now(UTC)
    rows = tuple((life.id, *relative_path(life.location, data_path), now) for life in files)
    if rows:
        yield Insert("files_scheduled_for_deletion", rows)

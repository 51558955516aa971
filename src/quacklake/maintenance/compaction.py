"""Small files merged, and files with many deletes written anew.

Compaction and an inlined delete of the same file must not both land, or the delete is lost.
DuckDB only looks at flushes there, so a compaction calls itself a flush, too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from quacklake.catalog.mutations import Delete, End, Insert, Mutation
from quacklake.catalog.writer import CatalogWriter
from quacklake.format.changes import Change, ChangeKind, render_changes
from quacklake.format.paths import relative_path
from quacklake.format.snapshot import Snapshot
from quacklake.kernel.ids import SnapshotId
from quacklake.maintenance.candidates import Group
from quacklake.maintenance.moving import Carry, Move, Moved, Pen, one_by_one, rows_in
from quacklake.maintenance.survey import Survey
from quacklake.transaction.commit import Lowered
from quacklake.transaction.conflicts import Footprint
from quacklake.transaction.lowering.filerows import NewDataFile, inserted

_ABOUT_FILES: Final = (
    "data_file",
    "file_column_stats",
    "delete_file",
    "file_partition_value",
    "file_variant_stats",
)


@dataclass(frozen=True, slots=True)
class _Output:
    group: Group
    moved: Moved


class _Compaction(ABC):
    """What merging and rewriting share: rows are moved once, however often the commit is tried."""

    kind: ChangeKind
    tagged: bool

    def __init__(
        self,
        survey: Survey,
        groups: Sequence[Group],
        pen: Pen,
        data_path: str,
        carry: Carry = one_by_one,
    ) -> None:
        self.base = survey.snapshot.id
        self._survey = survey
        self._groups = groups
        self._pen = pen
        self._data_path = data_path
        self._carry = carry
        self._outputs: list[_Output] = []

    def prepare(self, at: SnapshotId) -> None:
        """Move the rows; later attempts use the same files."""
        del at
        if self._outputs:
            return
        moves = [self._move(group) for group in self._groups]
        for group, moved in zip(self._groups, self._carry(moves), strict=True):
            self._outputs += [_Output(group, each) for each in moved]

    def _move(self, group: Group) -> Move:
        table = self._survey.table_of(group)
        plan = rows_in(table, self._survey.tasks(group), self._survey.snapshot)
        return Move(table, self._survey.table, plan, self._pen, self.tagged)

    def depends_on_id(self) -> bool:
        """Moved rows carry their own snapshots."""
        return False

    def footprint(self) -> Footprint:
        """The table and the files that must still be as they were."""
        own = int(self._survey.table.id)
        files = frozenset(live.file.id for group in self._groups for live in group)
        return Footprint((Change(self.kind, id=own),), {self._survey.table.id: files})

    def discard(self) -> None:  # noqa: B027 - nothing to do is what every compaction does
        """Keep what was moved for the next attempt."""

    def abandon(self) -> None:
        """Delete what was moved; the commit is certain not to have landed."""
        while self._outputs:
            self._pen.storage.discard(self._outputs.pop().moved.written.location)

    def lowered(self, writer: CatalogWriter, head: Snapshot) -> Lowered:
        """The new files in the place of the old ones."""
        del writer
        now = datetime.now(UTC)
        number = SnapshotId(head.id + 1)
        own = int(self._survey.table.id)
        changes = render_changes(
            (Change(self.kind, id=own), Change(ChangeKind.INLINE_FLUSH, id=own))
        )
        files = [
            self._new_file(output, head.next_file_id + index, number)
            for index, output in enumerate(self._outputs)
        ]
        mutations = (
            *inserted(files),
            *self._old_files(number, now),
            Insert("snapshot_changes", ((int(number), changes, None, None, None),)),
        )
        next_file = head.next_file_id + max(len(files), 1)
        snapshot = Snapshot(number, now, head.schema_version, head.next_catalog_id, next_file)
        return Lowered(snapshot, mutations, changes)

    @abstractmethod
    def _new_file(self, output: _Output, file_id: int, number: SnapshotId) -> NewDataFile:
        """The row of a file of moved rows."""

    @abstractmethod
    def _old_files(self, number: SnapshotId, now: datetime) -> Iterator[Mutation]:
        """What becomes of the rows of the files that were read."""

    def _old_ids(self) -> tuple[int, ...]:
        return tuple(int(live.file.id) for group in self._groups for live in group)


class Merge(_Compaction):
    """Small files become larger ones; history moves with them, so the old files go."""

    kind = ChangeKind.MERGE_ADJACENT
    tagged = True

    def _new_file(self, output: _Output, file_id: int, number: SnapshotId) -> NewDataFile:
        del number
        tags = output.moved.snapshots
        first = output.group[0].file
        begin, last = (int(tags.min()), int(tags.max())) if tags is not None else (0, 0)
        return NewDataFile(
            file_id,
            int(self._survey.table.id),
            self._survey.table.location,
            output.moved.written,
            begin,
            None,
            None if first.partition_id is None else int(first.partition_id),
            partial_max=last,
        )

    def _old_files(self, number: SnapshotId, now: datetime) -> Iterator[Mutation]:
        del number
        ids = self._old_ids()
        for name in _ABOUT_FILES:
            yield Delete(name, (("data_file_id", ids),))
        rows = tuple(
            (int(live.file.id), *relative_path(live.file.path, self._data_path), now)
            for group in self._groups
            for live in group
        )
        yield Insert("files_scheduled_for_deletion", rows)


class Rewrite(_Compaction):
    """Files lose their deleted rows; the old ones stay for earlier snapshots."""

    kind = ChangeKind.REWRITE_DELETE
    tagged = False

    def _new_file(self, output: _Output, file_id: int, number: SnapshotId) -> NewDataFile:
        first = output.group[0].file
        return NewDataFile(
            file_id,
            int(self._survey.table.id),
            self._survey.table.location,
            output.moved.written,
            int(number),
            None,
            None if first.partition_id is None else int(first.partition_id),
        )

    def _old_files(self, number: SnapshotId, now: datetime) -> Iterator[Mutation]:
        del now
        ids = self._old_ids()
        yield End("data_file", (("data_file_id", ids),), number)
        yield End("delete_file", (("data_file_id", ids),), number)

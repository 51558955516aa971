"""Rows and deletes that the catalog keeps move into files, with their whole history.

Each inlined data table becomes files in its own columns: rows tagged with the snapshot they
came in, and delete files tagged with the snapshot they went in. Reading at any snapshot, and
the change feed, give the same before and after.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa

from quacklake.catalog.inspection import TableStats
from quacklake.catalog.mutations import (
    Delete,
    Insert,
    Mutation,
    RemoveInlined,
    RemoveInlinedDeletes,
    Update,
)
from quacklake.catalog.reader import InlinedRows
from quacklake.catalog.writer import CatalogWriter
from quacklake.format import casting
from quacklake.format.changes import Change, ChangeKind, render_changes
from quacklake.format.files import DataFile, DeleteFile
from quacklake.format.paths import relative_path
from quacklake.format.snapshot import Snapshot
from quacklake.format.table import Table
from quacklake.format.types import Column
from quacklake.kernel.ids import DataFileId, SnapshotId
from quacklake.maintenance.kept import Kept, ended_positions, ends_of
from quacklake.maintenance.moving import Carry, Move, Moved, Numbers, Pen, one_by_one
from quacklake.storage.deletes import Deletions, deletions
from quacklake.storage.writing.deletes import write_delete_file
from quacklake.storage.writing.manifest import WrittenDelete
from quacklake.transaction.commit import Lowered
from quacklake.transaction.conflicts import Footprint
from quacklake.transaction.lowering.filerows import NewDataFile, NewDeleteFile, inserted


@dataclass(frozen=True, slots=True)
class _NewFile:
    moved: Moved
    partition: int | None
    ended: WrittenDelete | None
    first_end: int


@dataclass(frozen=True, slots=True)
class _MovedDeletes:
    file: DataFileId
    written: WrittenDelete
    begin: int
    last: int
    replaced: DeleteFile | None


class Flush:
    """The move of everything kept, as something to commit."""

    def __init__(self, kept: Kept, pen: Pen, data_path: str, carry: Carry = one_by_one) -> None:
        self.base = kept.snapshot.id
        self._kept = kept
        self._pen = pen
        self._data_path = data_path
        self._carry = carry
        self._files: list[_NewFile] = []
        self._deletes: list[_MovedDeletes] = []
        self._is_prepared = False

    def prepare(self, at: SnapshotId) -> None:
        """Write the files; later attempts use the same ones."""
        del at
        if self._is_prepared:
            return
        moves = [self._move(rows) for rows in self._kept.born]
        for rows, moved in zip(self._kept.born, self._carry(moves), strict=True):
            self._files.extend(self._flushed(rows, moved))
        for file, found in self._kept.deletes.items():
            self._deletes.append(self._moved_deletes(self._kept.files[file], found))
        self._is_prepared = True

    def _move(self, inlined: InlinedRows) -> Move:
        absent = _absent_keys(self._kept.table, inlined)
        table = replace(self._kept.table, columns=(*inlined.columns, *absent))
        names = [*inlined.rows.column_names[2:], *inlined.rows.column_names[:2]]
        rows = inlined.rows.select(names)
        for column in absent:
            rows = rows.add_column(rows.num_columns - 2, column.name, _default(column, rows))
        return Move(table, self._kept.table, rows, self._pen, tagged=True)

    def _flushed(self, inlined: InlinedRows, files: tuple[Moved, ...]) -> Iterator[_NewFile]:
        table = self._kept.table
        ends = ends_of(inlined, self._kept.died.get(inlined.schema_version))
        partition = table.partition.id if table.partition and table.partition.keys else None
        for moved in files:
            positions, tags = ended_positions(moved, ends)
            written = None
            if positions.size:
                written = self._write(moved.written.location, positions, tags)
            first = int(tags.min()) if tags.size else 0
            yield _NewFile(moved, None if partition is None else int(partition), written, first)

    def _moved_deletes(
        self, file: DataFile, found: tuple[tuple[int, SnapshotId], ...]
    ) -> _MovedDeletes:
        positions = np.array([position for position, _ in found], dtype=np.int64)
        tags = np.array([int(snapshot) for _, snapshot in found], dtype=np.int64)
        if file.delete_file is not None:
            before = deletions(self._pen.storage, file.delete_file)
            positions = np.concatenate([before.positions, positions])
            tags = np.concatenate([before.snapshots, tags])
        # DuckDB may have left in the catalog what it had moved to the delete file before.
        all_ = Deletions.first_of_each(positions, tags)
        written = self._write(file.path, all_.positions, all_.snapshots)
        begin, last = int(all_.snapshots.min()), int(all_.snapshots.max())
        return _MovedDeletes(file.id, written, begin, last, file.delete_file)

    def _write(self, location: str, positions: Numbers, tags: Numbers) -> WrittenDelete:
        return write_delete_file(
            self._pen.storage,
            self._kept.table.location,
            location,
            positions,
            tags,
            encrypt=self._pen.encrypt,
        )

    def depends_on_id(self) -> bool:
        """Tags are those of the past."""
        return False

    def footprint(self) -> Footprint:
        """The flush itself, and the files whose deletes it moves."""
        own = self._kept.table.id
        change = Change(ChangeKind.INLINE_FLUSH, id=int(own))
        return Footprint((change,), {own: frozenset(self._kept.deletes)})

    def discard(self) -> None:
        """Keep what was written for the next attempt."""

    def abandon(self) -> None:
        """Delete what was written; the commit is certain not to have landed."""
        for file in self._files:
            self._pen.storage.discard(file.moved.written.location)
            if file.ended is not None:
                self._pen.storage.discard(file.ended.location)
        for moved in self._deletes:
            self._pen.storage.discard(moved.written.location)
        self._files, self._deletes = [], []

    def lowered(self, writer: CatalogWriter, head: Snapshot) -> Lowered:
        """The files in the place of what the catalog kept."""
        now = datetime.now(UTC)
        number = SnapshotId(head.id + 1)
        own = int(self._kept.table.id)
        kinds = [ChangeKind.INLINE_FLUSH]
        if self._deletes:
            # A delete file that a DuckDB writer is about to commit would stand beside ours: it
            # overlooks one that begins in the past, but gives way to a rewrite.
            kinds += [ChangeKind.DELETED_FROM_TABLE, ChangeKind.REWRITE_DELETE]
        changes = render_changes(tuple(Change(kind, id=own) for kind in kinds))
        ids = _Ids(head.next_file_id)
        mutations = (
            *self._new_files(ids),
            *self._new_deletes(ids, now),
            *self._removed(),
            *self._grown(writer.table_stats(self._kept.table)),
            Insert("snapshot_changes", ((int(number), changes, None, None, None),)),
        )
        snapshot = Snapshot(number, now, head.schema_version, head.next_catalog_id, ids.next)
        return Lowered(snapshot, mutations, changes)

    def _new_files(self, ids: _Ids) -> Iterator[Mutation]:
        own, parent = int(self._kept.table.id), self._kept.table.location
        files, ended = [], []
        for file in self._files:
            tags = file.moved.snapshots
            first, last = (int(tags.min()), int(tags.max())) if tags is not None else (0, 0)
            made = NewDataFile(
                ids.take(),
                own,
                parent,
                file.moved.written,
                first,
                int(file.moved.row_ids.min()),
                file.partition,
                partial_max=last,
            )
            files.append(made)
            if file.ended is not None:
                ended.append((made.id, file))
        yield from inserted(files)
        rows = tuple(
            NewDeleteFile(ids.take(), own, parent, data_file, file.ended, file.first_end).cells()
            for data_file, file in ended
            if file.ended is not None
        )
        if rows:
            yield Insert("delete_file", rows)

    def _new_deletes(self, ids: _Ids, now: datetime) -> Iterator[Mutation]:
        own, parent = int(self._kept.table.id), self._kept.table.location
        replaced = [each for d in self._deletes if d.replaced for each in d.replaced.each()]
        if replaced:
            yield Delete("delete_file", (("delete_file_id", tuple(int(r.id) for r in replaced)),))
            rows = [(int(r.id), *relative_path(r.path, self._data_path), now) for r in replaced]
            yield Insert("files_scheduled_for_deletion", tuple(rows))
        made = tuple(
            NewDeleteFile(ids.take(), own, parent, int(d.file), d.written, d.begin, d.last).cells()
            for d in self._deletes
        )
        if made:
            yield Insert("delete_file", made)

    def _removed(self) -> Iterator[Mutation]:
        table, until = self._kept.table.id, self._kept.snapshot.id
        for rows in self._kept.born:
            yield RemoveInlined(table, rows.schema_version, until)
        if self._kept.deletes:
            yield RemoveInlinedDeletes(table, tuple(self._kept.deletes), until)

    def _grown(self, stats: TableStats | None) -> Iterator[Mutation]:
        size = sum(file.moved.written.file_size_bytes for file in self._files)
        if stats is not None and size:
            where = (("table_id", int(self._kept.table.id)),)
            grown = stats.file_size_bytes + size
            yield Update("table_stats", where, (("file_size_bytes", grown),))


def _absent_keys(table: Table, inlined: InlinedRows) -> list[Column]:
    """The columns that partition the table, but are younger than the rows."""
    there = {column.id for column in inlined.columns}
    keys = {key.column for key in table.partition.keys} if table.partition else set()
    return [column for column in table.columns if column.id in keys - there]


def _default(column: Column, rows: pa.Table) -> pa.Array:
    return pa.repeat(casting.constant(column.initial_default, column.type), rows.num_rows)


class _Ids:
    """File ids in order."""

    def __init__(self, first: int) -> None:
        self.next = first

    def take(self) -> int:
        """The next id."""
        self.next += 1
        return self.next - 1

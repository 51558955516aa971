"""One data file in a window: the rows of it that came, and those that went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from quacklake.changefeed.lives import Ends, Mask, Numbers, Span, born, died, ends_of
from quacklake.changefeed.plan import ChangeTask
from quacklake.format.predicate import AllOf, Compare, Comparison
from quacklake.format.types import Column
from quacklake.kernel.ids import ColumnId
from quacklake.scan.files import FileReader, Shapes
from quacklake.scan.pieces import Piece, pieces_of
from quacklake.scan.plan import SNAPSHOT_ID, FileTask
from quacklake.scan.reads import Meter
from quacklake.storage.deletes import Deletions, deletions
from quacklake.storage.filesystem import Storage
from quacklake.storage.parquet import RowGroup


@dataclass(frozen=True, slots=True, eq=False)
class Lives:
    """The rows of a piece: when each came and went, and which of that happened in the window."""

    begins: Numbers
    ends: Numbers
    came: Mask
    went: Mask


class ChangedFileReader:
    """An open file with the ends of its rows; its pieces may be read by several threads."""

    def __init__(
        self, shapes: Shapes, task: ChangeTask, span: Span, storage: Storage, meter: Meter
    ) -> None:
        self._shapes = shapes
        self._task = task
        self._span = span
        self._storage = storage
        self._meter = meter
        self._ends = self._found_ends()
        self._touched = self._ends.positions_in(span)

    @cached_property
    def _reader(self) -> FileReader:
        self._meter.add(files=1)
        task = FileTask(self._task.file, mapping=self._task.mapping)
        return FileReader(self._shapes, task, self._storage)

    def _found_ends(self) -> Ends:
        found = [_inlined(self._task)]
        for delete_file in self._task.deletes:
            found.append(deletions(self._storage, delete_file))
            self._meter.add(files=1, size=delete_file.file_size_bytes)
        return ends_of(found, self._task.ended)

    @property
    def _is_wholly_new_or_gone(self) -> bool:
        file = self._task.file
        is_new = file.partial_max is None and file.begin_snapshot in self._span
        return is_new or self._task.ended in self._span

    def pieces(self) -> list[Piece]:
        """The row groups that may hold a row that came or went, put together."""
        is_needed = self._touched.size or self._is_tagged or self._is_wholly_new_or_gone
        return pieces_of(self._wanted()) if is_needed else []

    def _wanted(self) -> Sequence[RowGroup]:
        groups, window = self._reader.row_groups, self._span.window
        if self._is_wholly_new_or_gone:
            return groups
        chosen = _holding(groups, self._touched)
        if self._is_tagged:
            tagged = AllOf(
                (
                    Compare(SNAPSHOT_ID, Comparison.GT, window.after),
                    Compare(SNAPSHOT_ID, Comparison.LE, window.upto),
                )
            )
            chosen |= {group.index for group in self._reader.surviving(tagged)}
        return [group for group in groups if group.index in chosen]

    @property
    def _is_tagged(self) -> bool:
        """Whether rows of the file may have come in different snapshots of the window."""
        last = self._task.file.partial_max
        return last is not None and last > self._span.window.after

    def lives(self, piece: Piece) -> Lives:
        """When the rows of a piece came and went."""
        if self._is_tagged:
            begins: Numbers = self.load(piece, (SNAPSHOT_ID,)).column(0).to_numpy()
        else:
            begins = np.full(piece.row_count, int(self._task.file.begin_snapshot), dtype=np.int64)
        ends = self._ends.between(piece.first_row, piece.row_count)
        return Lives(begins, ends, born(begins, ends, self._span), died(begins, ends, self._span))

    def load(self, piece: Piece, columns: Sequence[Column], keep: Mask | None = None) -> pa.Table:
        """`columns` of the rows of a piece, of all or of those to keep, under numbers for names."""
        read: dict[ColumnId, pa.ChunkedArray | pa.Array] = {}
        self._reader.load(piece, columns, read, keep)
        self._meter.add(size=self._reader.stored_bytes(piece, columns))
        return pa.table([read[c.id] for c in columns], names=[str(i) for i in range(len(columns))])


def _inlined(task: ChangeTask) -> Deletions:
    listed = np.array(task.deleted, dtype=np.int64).reshape(-1, 2)
    return Deletions(listed[:, 0], listed[:, 1])


def _holding(groups: Sequence[RowGroup], positions: Numbers) -> set[int]:
    """The row groups in which `positions` lie."""
    starts = np.array([group.first_row for group in groups], dtype=np.int64)
    places = np.unique(np.searchsorted(starts, positions, side="right") - 1)
    return {groups[place].index for place in places if place >= 0}

"""The rows that came and went, file by file, with a bounded amount in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa

from quacklake.catalog.reader import InlinedRows
from quacklake.changefeed.files import ChangedFileReader
from quacklake.changefeed.lives import Mask, Numbers
from quacklake.changefeed.pairs import NO_UPDATES, Keys, Updates, joined, updates
from quacklake.changefeed.plan import ChangePlan, ChangeTask
from quacklake.scan.files import Shapes
from quacklake.scan.pieces import Piece
from quacklake.scan.plan import ROW_ID, SNAPSHOT_ID, ScanPlan
from quacklake.scan.reading import read_inlined
from quacklake.scan.reads import Meter
from quacklake.scan.stream import Job, default_threads, in_order
from quacklake.storage.filesystem import Storage

_BEGUN_PER_THREAD: Final = 2
_KEPT_OPEN: Final = 256
"""How many files may stay open between looking for updates and reading rows."""

T = TypeVar("T")
Read: TypeAlias = Callable[[ChangedFileReader, Piece], T]


@dataclass(frozen=True, slots=True, eq=False)
class Changed:
    """Rows that all came, or all went, in these snapshots; `rows` has the table's columns only."""

    came: bool
    snapshots: Numbers
    row_ids: pa.ChunkedArray | None
    rows: pa.Table

    @property
    def keys(self) -> Keys:
        """The rows by snapshot and row id."""
        return _keys(self.snapshots, self.row_ids)


class ChangeStream:
    """The changes of a plan, as they are read."""

    def __init__(
        self,
        plan: ChangePlan,
        storage: Storage,
        *,
        meter: Meter | None = None,
        threads: int | None = None,
    ) -> None:
        self._plan = plan
        self._storage = storage
        self._meter = meter or Meter()
        self._threads = threads or default_threads()
        columns = (SNAPSHOT_ID, ROW_ID, *plan.columns)
        self._scan = ScanPlan(plan.table, plan.snapshot, columns, None, (), ())
        self._shapes = Shapes(self._scan)
        self._open: dict[int, ChangedFileReader] = {}

    def changes(self, *, row_ids: bool) -> Iterator[Changed]:
        """All changes; row ids are read only if wanted."""
        for found in self._in_order(self._plan.tasks, partial(self._changed, row_ids=row_ids)):
            yield from found
        for came, kept in ((True, self._plan.came), (False, self._plan.went)):
            for inlined in kept:
                yield self._inlined(inlined, came=came)

    def updates(self) -> Updates:
        """The rows that went and came in one snapshot; reads row ids only."""
        dying = (task for task in self._plan.tasks if self._has_deaths(task))
        went = joined(
            (
                *self._in_order(dying, self._deaths, keep=True),
                *(_inlined_keys(rows) for rows in self._plan.went),
            )
        )
        snapshots = np.unique(went.snapshots)
        if not snapshots.size:
            return NO_UPDATES
        bearing = (task for task in self._plan.tasks if _may_bear(task, snapshots))
        came = joined(
            (
                *self._in_order(bearing, partial(self._births, snapshots=snapshots), keep=True),
                *(_inlined_keys(rows) for rows in self._plan.came),
            )
        )
        return updates(came, went)

    def _has_deaths(self, task: ChangeTask) -> bool:
        return bool(task.deletes or task.deleted) or task.ended in self._plan.span

    def _in_order(
        self, tasks: Iterable[ChangeTask], read: Read[T], *, keep: bool = False
    ) -> Iterator[T]:
        jobs: Iterator[Job[T]] = (partial(self._pieces, task, read, keep=keep) for task in tasks)
        return in_order(jobs, threads=self._threads, ahead=_BEGUN_PER_THREAD * self._threads)

    def _pieces(self, task: ChangeTask, read: Read[T], *, keep: bool) -> T | list[Job[T]]:
        reader = self._open.pop(task.file.id, None)
        if reader is None:
            reader = ChangedFileReader(
                self._shapes, task, self._plan.span, self._storage, self._meter
            )
        if keep and len(self._open) < _KEPT_OPEN:
            self._open[task.file.id] = reader
        return [partial(read, reader, piece) for piece in reader.pieces()]

    def _changed(
        self, reader: ChangedFileReader, piece: Piece, *, row_ids: bool
    ) -> tuple[Changed, ...]:
        lives = reader.lives(piece)
        keep = lives.came | lives.went
        if not keep.any():
            return ()
        sides = (
            (True, lives.came[keep], lives.begins[keep]),
            (False, lives.went[keep], lives.ends[keep]),
        )
        columns = self._plan.columns
        table = reader.load(piece, (*columns, ROW_ID) if row_ids else columns, keep)
        self._meter.add(rows=piece.row_count)
        numbers = table.column(len(columns)) if row_ids else None
        rows = table.select(range(len(columns)))
        return tuple(
            Changed(came, when[mask], _chosen(numbers, mask), _chosen(rows, mask))
            for came, mask, when in sides
            if mask.any()
        )

    def _deaths(self, reader: ChangedFileReader, piece: Piece) -> Keys:
        lives = reader.lives(piece)
        return _found_keys(reader, piece, lives.ends, lives.went)

    def _births(self, reader: ChangedFileReader, piece: Piece, *, snapshots: Numbers) -> Keys:
        lives = reader.lives(piece)
        wanted = lives.came & np.isin(lives.begins, snapshots)
        return _found_keys(reader, piece, lives.begins, wanted)

    def _inlined(self, inlined: InlinedRows, *, came: bool) -> Changed:
        table = read_inlined(self._scan, inlined)
        self._meter.add(rows=table.num_rows)
        rows = table.select(range(2, table.num_columns))
        return Changed(came, table.column(0).to_numpy(), table.column(1), rows)


def _may_bear(task: ChangeTask, snapshots: Numbers) -> bool:
    """Whether a row of the file may have come in one of the sorted `snapshots`."""
    last = task.file.partial_max or task.file.begin_snapshot
    low = np.searchsorted(snapshots, task.file.begin_snapshot)
    return bool(low < np.searchsorted(snapshots, last, side="right"))


def _found_keys(reader: ChangedFileReader, piece: Piece, when: Numbers, wanted: Mask) -> Keys:
    if not wanted.any():
        return joined(())
    row_ids = reader.load(piece, (ROW_ID,), wanted).column(0)
    return _keys(when[wanted], row_ids)


def _inlined_keys(inlined: InlinedRows) -> Keys:
    when: Numbers = inlined.rows.column("begin_snapshot").to_numpy()
    return _keys(when, inlined.rows.column("row_id"))


def _keys(snapshots: Numbers, row_ids: pa.ChunkedArray | None) -> Keys:
    # A file may have lost its row ids; what has none is never a side of an update.
    numbers = np.full_like(snapshots, -1) if row_ids is None else row_ids.fill_null(-1).to_numpy()
    return Keys(snapshots, numbers)


def _chosen(rows: T, mask: Mask) -> T:
    """The rows of an Arrow table or column that `mask` is true for."""
    if rows is None or mask.all():
        return rows
    chosen: T = rows.filter(pa.array(mask))  # type: ignore[attr-defined]
    return chosen

"""Rows moved from files to files, with their row ids and the snapshots they came in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from quacklake.format.files import ROW_ID_FIELD, SNAPSHOT_ID_FIELD
from quacklake.format.snapshot import Snapshot
from quacklake.format.table import Table
from quacklake.kernel.ids import SnapshotId
from quacklake.scan.plan import ROW_ID, SNAPSHOT_ID, FileTask, ScanPlan
from quacklake.scan.reading import read_batches
from quacklake.storage.filesystem import Storage
from quacklake.storage.parquet import open_parquet
from quacklake.storage.writing.data import write_data_files
from quacklake.storage.writing.manifest import WrittenFile
from quacklake.storage.writing.options import WriteOptions
from quacklake.storage.writing.physical import ROW_ID as WRITTEN_ROW_ID
from quacklake.storage.writing.physical import SNAPSHOT_ID as WRITTEN_SNAPSHOT_ID
from quacklake.storage.writing.sorting import sorted_batches

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pen:
    """How moved rows are written."""

    storage: Storage
    options: WriteOptions
    encrypt: bool


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """A file of moved rows, with the row ids and snapshots in it, in the file's order."""

    written: WrittenFile
    row_ids: Numbers
    snapshots: Numbers | None


def rows_in(table: Table, tasks: Iterable[FileTask], at: Snapshot) -> ScanPlan:
    """A scan of every row the tasks leave, with its row id and snapshot last."""
    # Rows of later snapshots stay: a merged file is read by the tags in it.
    late = replace(at, id=SnapshotId(2**62))
    columns = (*table.columns, ROW_ID, SNAPSHOT_ID)
    return ScanPlan(table, late, columns, None, tuple(tasks), ())


def move(
    table: Table, now: Table, batches: Iterator[pa.RecordBatch], pen: Pen, *, tagged: bool
) -> tuple[Moved, ...]:
    """Write rows that end in row id and snapshot; `tagged` keeps the snapshots in the files.

    The files have the columns of `table` and the order that it has `now`.
    """
    internal = (WRITTEN_ROW_ID, WRITTEN_SNAPSHOT_ID) if tagged else (WRITTEN_ROW_ID,)
    width = len(table.columns) + len(internal)
    partition = table.partition if table.partition and table.partition.keys else None
    written = write_data_files(
        pen.storage,
        table.location,
        table.columns,
        (_narrowed(batch, width) for batch in _in_order(table, now, batches)),
        options=pen.options,
        partition=partition,
        encrypt=pen.encrypt,
        internal=internal,
    )
    return tuple(_measured(file, pen.storage, tagged=tagged) for file in written)


@dataclass(frozen=True, slots=True)
class Move:
    """Rows of some files, or of the catalog, to be written anew; any process can do it."""

    table: Table
    now: Table
    rows: ScanPlan | pa.Table
    pen: Pen
    tagged: bool

    def __call__(self) -> tuple[Moved, ...]:
        """The files of the moved rows."""
        if isinstance(self.rows, ScanPlan):
            batches = moved_rows(self.rows, self.pen.storage)
        else:
            batches = iter(self.rows.to_batches())
        return move(self.table, self.now, batches, self.pen, tagged=self.tagged)


Carry: TypeAlias = Callable[[Sequence[Move]], list[tuple[Moved, ...]]]
"""How moves are made: one after the other, or many at once elsewhere."""


def one_by_one(moves: Sequence[Move]) -> list[tuple[Moved, ...]]:
    """Every move, in this process; when one fails, what the others wrote is removed."""
    done: list[tuple[Moved, ...]] = []
    try:
        for make in moves:
            done.append(make())  # noqa: PERF401 - what was done must be known when one fails
    except BaseException:
        for files in done:
            for each in files:
                moves[0].pen.storage.discard(each.written.location)
        raise
    return done


def _in_order(
    table: Table, now: Table, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Rows of `table` in today's order, whose keys mean columns by the names of today."""
    today = {column.id: column for column in now.columns}
    columns = [
        replace(column, name=today[column.id].name) if column.id in today else None
        for column in table.columns
    ]
    there = {column.id for column in table.columns}
    absent = [column for column in now.columns if column.id not in there]
    return sorted_batches(batches, columns, now.sort, absent)


def _narrowed(batch: pa.RecordBatch, width: int) -> pa.RecordBatch:
    return batch if batch.num_columns == width else batch.select(list(range(width)))


def _measured(written: WrittenFile, storage: Storage, *, tagged: bool) -> Moved:
    """The row ids and snapshots as they lie in the file, where partitioning has put them."""
    source = open_parquet(storage, written.location, encryption_key=written.encryption_key)
    try:
        fields = source.schema.by_id()
        wanted = [fields[ROW_ID_FIELD]]
        if tagged:
            wanted.append(fields[SNAPSHOT_ID_FIELD])
        read = source.read(range(len(source.row_groups)), wanted)
    finally:
        source.close()
    columns = [read.column(place).to_numpy() for place in range(read.num_columns)]
    by_name = dict(zip(read.column_names, columns, strict=True))
    return Moved(
        written,
        by_name[fields[ROW_ID_FIELD].name],
        by_name[fields[SNAPSHOT_ID_FIELD].name] if tagged else None,
    )


def moved_rows(plan: ScanPlan, storage: Storage) -> Iterator[pa.RecordBatch]:
    """The rows of a plan made by `rows_in`."""
    return read_batches(plan, storage)

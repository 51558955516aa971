"""Rows moved from files to files, with their row ids and the snapshots they came in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

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
    table: Table, batches: Iterator[pa.RecordBatch], pen: Pen, *, tagged: bool
) -> tuple[Moved, ...]:
    """Write rows that end in row id and snapshot; `tagged` keeps the snapshots in the files."""
    internal = (WRITTEN_ROW_ID, WRITTEN_SNAPSHOT_ID) if tagged else (WRITTEN_ROW_ID,)
    width = len(table.columns) + len(internal)
    partition = table.partition if table.partition and table.partition.keys else None
    written = write_data_files(
        pen.storage,
        table.location,
        table.columns,
        (_narrowed(batch, width) for batch in batches),
        options=pen.options,
        partition=partition,
        encrypt=pen.encrypt,
        internal=internal,
    )
    return tuple(_measured(file, pen.storage, tagged=tagged) for file in written)


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

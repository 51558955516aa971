"""What the catalog keeps of a table: rows that came and went, and positions it deleted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from quacklake.catalog.mutations import Delete, Mutation
from quacklake.catalog.reader import CatalogReader, InlinedRows
from quacklake.catalog.window import Window
from quacklake.format.files import DataFile
from quacklake.format.snapshot import Latest, Snapshot
from quacklake.format.table import Table, TableName
from quacklake.kernel.errors import CorruptLake
from quacklake.kernel.ids import DataFileId, SnapshotId, TableId
from quacklake.maintenance.moving import Moved, Numbers

_BEFORE_ALL = -1


@dataclass(frozen=True, slots=True)
class Kept:
    """What the catalog keeps of a table: rows that came, rows that went, deleted positions."""

    snapshot: Snapshot
    table: Table
    born: tuple[InlinedRows, ...]
    died: Mapping[int, InlinedRows]
    deletes: Mapping[DataFileId, tuple[tuple[int, SnapshotId], ...]]
    files: Mapping[DataFileId, DataFile]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to flush."""
        return not self.born and not self.deletes

    @property
    def row_count(self) -> int:
        """How many rows would move into files, ended ones included."""
        return sum(rows.rows.num_rows for rows in self.born)


def kept(reader: CatalogReader, name: TableName) -> Kept:
    """Everything the catalog keeps of a table up to the newest snapshot."""
    at = reader.snapshot(Latest())
    table = reader.table(name, at)
    window = Window(_BEFORE_ALL, int(at.id))
    born, died = reader.inlined_changes(table, window)
    deletes = reader.window(table, window).deletions()
    files = {file.id: file for file in reader.files(table, at)}
    live = {file: found for file, found in deletes.items() if file in files}
    gone = {rows.schema_version: rows for rows in died}
    return Kept(at, table, born, gone, live, files)


def forgotten_tables(table: TableId, versions: Iterable[int]) -> tuple[Mutation, ...]:
    """Empty inlined data tables are no longer listed, so that nobody looks into them.

    They are not dropped before their table is: a DuckDB session that has listed one goes on
    asking it, at every snapshot, and fails if it is gone.
    """
    return tuple(
        Delete("inlined_data_tables", (("table_id", int(table)), ("schema_version", version)))
        for version in versions
    )


def ends_of(born: InlinedRows, died: InlinedRows | None) -> dict[tuple[int, int], int]:
    """When each row, by row id and first snapshot, went.

    A row id may live several times, one life after another: the first death ends the first.
    """
    if died is None:
        return {}
    lives: dict[int, list[int]] = defaultdict(list)
    for row_id, begin in zip(*_pairs(born.rows), strict=True):
        lives[row_id].append(begin)
    ends: dict[tuple[int, int], int] = {}
    for row_id, end in sorted(zip(*_pairs(died.rows), strict=True)):
        begins = sorted(lives[row_id])
        living = [begin for begin in begins if begin < end and (row_id, begin) not in ends]
        if not living:
            raise CorruptLake(
                f"row {row_id} that the catalog keeps went more often than it came",
                hint="its table has rows twice: 'quacklake doctor' says which row ids are doubled",
                row_id=row_id,
            )
        ends[row_id, living[0]] = end
    return ends


def _pairs(rows: pa.Table) -> tuple[list[int], list[int]]:
    return rows.column(0).to_pylist(), rows.column(1).to_pylist()


def ended_positions(moved: Moved, ends: Mapping[tuple[int, int], int]) -> tuple[Numbers, Numbers]:
    """Where in a file the rows lie that went, and in which snapshot each did."""
    tags = moved.snapshots if moved.snapshots is not None else np.array([], dtype=np.int64)
    found = [
        (position, ends[row, begin])
        for position, (row, begin) in enumerate(
            zip(moved.row_ids.tolist(), tags.tolist(), strict=True)
        )
        if (row, begin) in ends
    ]
    positions = np.array([position for position, _ in found], dtype=np.int64)
    return positions, np.array([end for _, end in found], dtype=np.int64)

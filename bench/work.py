"""How much a scan of ours has to read: counted from its plan and the footers it leads to."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow.parquet as pq

from quacklake.client.scan import Scan
from quacklake.scan.files import FileReader, Shapes
from quacklake.storage.filesystem import Storage


@dataclass(frozen=True, slots=True)
class Work:
    """Files opened of those there are, row groups read of those in these files, and bytes."""

    files: int
    files_there: int
    row_groups: int
    row_groups_there: int
    read_bytes: int

    def __str__(self) -> str:
        return (
            f"{self.files:,} of {self.files_there:,} files, {self.row_groups:,} of "
            f"{self.row_groups_there:,} row groups, {self.read_bytes / 1e6:,.1f} MB"
        )


def work_of(scan: Scan, files_there: int) -> Work:
    """What reading `scan` opens, and the compressed bytes of its columns."""
    plan = scan.plan()
    shapes, storage = Shapes(plan), Storage()
    asked = (*plan.columns, *(plan.filter.columns if plan.filter else ()))
    names = {column.name for column in asked}
    read = there = size = 0
    for task in plan.tasks:
        footer = pq.read_metadata(task.file.path)
        there += footer.num_row_groups
        for piece in FileReader(shapes, task, storage).pieces():
            read += len(piece.groups)
            size += sum(_size(footer.row_group(group), names) for group in piece.groups)
    return Work(len(plan.tasks), files_there, read, there, size)


def _size(group: pq.RowGroupMetaData, names: set[str]) -> int:
    columns = (group.column(index) for index in range(group.num_columns))
    return sum(c.total_compressed_size for c in columns if c.path_in_schema in names)

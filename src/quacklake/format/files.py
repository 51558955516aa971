"""Data files, delete files and name mappings as the catalog describes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from quacklake.kernel.ids import (
    ColumnId,
    DataFileId,
    DeleteFileId,
    MappingId,
    PartitionId,
    SnapshotId,
)

ROW_ID_FIELD = 2147483540
"""Field id of `_ducklake_internal_row_id`: the row ids a file carries itself."""
SNAPSHOT_ID_FIELD = 2147483539
"""Field id of `_ducklake_internal_snapshot_id`: which snapshot each row, or deletion, is from."""
ROW_ID_NAME = "_ducklake_internal_row_id"
SNAPSHOT_ID_NAME = "_ducklake_internal_snapshot_id"


class DeleteFormat(StrEnum):
    """How a delete file stores positions."""

    PARQUET = "parquet"
    PUFFIN = "puffin"


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """Positions of one data file that no longer exist; `path` is a full location.

    A data file should have one at a time. Where another writer left two, the other is `beside`,
    and what either lists is deleted.
    """

    id: DeleteFileId
    path: str
    format: DeleteFormat
    delete_count: int
    file_size_bytes: int
    begin_snapshot: SnapshotId
    partial_max: SnapshotId | None
    encryption_key: str | None = field(default=None, repr=False)
    beside: DeleteFile | None = None

    def each(self) -> Iterator[DeleteFile]:
        """This one, and those beside it."""
        yield self
        if self.beside is not None:
            yield from self.beside.each()


@dataclass(frozen=True, slots=True)
class DataFile:
    """A Parquet file of rows; `path` is a full location, `record_count` counts physical rows.

    With `partial_max` the file holds rows of several snapshots, each tagged with its own.
    """

    id: DataFileId
    path: str
    record_count: int
    file_size_bytes: int
    begin_snapshot: SnapshotId
    partial_max: SnapshotId | None
    row_id_start: int | None
    footer_size: int | None = None
    partition_id: PartitionId | None = None
    mapping_id: MappingId | None = None
    delete_file: DeleteFile | None = None
    encryption_key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class MappedField:
    """Where a foreign file keeps a column: by name, or as a hive key in its path."""

    source_name: str
    target: ColumnId
    is_partition: bool
    children: tuple[MappedField, ...] = ()


@dataclass(frozen=True, slots=True)
class NameMapping:
    """How the columns of a file without field ids are found."""

    id: MappingId
    fields: tuple[MappedField, ...]

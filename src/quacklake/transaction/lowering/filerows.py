"""Written files as rows of the catalog."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quacklake.catalog.mutations import Insert, Mutation
from quacklake.format.paths import relative_path
from quacklake.format.statistics import ColumnStatistics
from quacklake.storage.writing.manifest import WrittenDelete, WrittenFile


@dataclass(frozen=True, slots=True)
class NewDataFile:
    """A data file and everything its row says; `parent` is the location of its table."""

    id: int
    table: int
    parent: str
    written: WrittenFile
    begin: int
    row_id_start: int | None
    partition: int | None = None
    mapping: int | None = None
    partial_max: int | None = None

    def cells(self) -> tuple[object, ...]:
        """The row of `ducklake_data_file`."""
        path, relative = relative_path(self.written.location, self.parent)
        return (
            self.id,
            self.table,
            self.begin,
            None,
            None,
            path,
            relative,
            "parquet",
            self.written.record_count,
            self.written.file_size_bytes,
            self.written.footer_size,
            self.row_id_start,
            self.partition,
            self.written.encryption_key,
            self.mapping,
            self.partial_max,
        )


def inserted(files: Sequence[NewDataFile]) -> Iterator[Mutation]:
    """The rows of data files, their statistics and their partition values."""
    rows = tuple(file.cells() for file in files)
    stats = tuple(_stats(file, s) for file in files for s in file.written.statistics)
    values = tuple(
        (file.id, file.table, index, value)
        for file in files
        if file.partition is not None
        for index, value in enumerate(file.written.partition_values)
    )
    tables = ("data_file", "file_column_stats", "file_partition_value")
    for name, found in zip(tables, (rows, stats, values), strict=True):
        if found:
            yield Insert(name, found)


def _stats(file: NewDataFile, stats: ColumnStatistics) -> tuple[object, ...]:
    return (
        file.id,
        file.table,
        int(stats.column),
        stats.size_bytes,
        stats.value_count,
        stats.null_count,
        stats.min,
        stats.max,
        stats.contains_nan,
        stats.extra,
    )


@dataclass(frozen=True, slots=True)
class NewDeleteFile:
    """A delete file and everything its row says; tags reach from `begin` to `partial_max`."""

    id: int
    table: int
    parent: str
    data_file: int
    written: WrittenDelete
    begin: int
    partial_max: int | None = None

    def cells(self) -> tuple[object, ...]:
        """The row of `ducklake_delete_file`."""
        path, relative = relative_path(self.written.location, self.parent)
        return (
            self.id,
            self.table,
            self.begin,
            None,
            self.data_file,
            path,
            relative,
            "parquet",
            self.written.delete_count,
            self.written.file_size_bytes,
            self.written.footer_size,
            self.written.encryption_key,
            self.partial_max,
        )

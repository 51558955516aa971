"""What maintenance must know of a table, read in one transaction."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace

from quacklake.catalog.reader import CatalogReader
from quacklake.format.files import DataFile, NameMapping
from quacklake.format.partition import PartitionSpec
from quacklake.format.snapshot import Latest, Snapshot
from quacklake.format.table import Table, TableName
from quacklake.kernel.ids import DataFileId, MappingId, PartitionId, SnapshotId
from quacklake.maintenance.candidates import Group, LiveFile
from quacklake.scan.plan import FileTask


@dataclass(frozen=True, slots=True)
class Survey:
    """A table's live files at the newest snapshot, and the tables as they were for each."""

    snapshot: Snapshot
    table: Table
    files: tuple[LiveFile, ...]
    inlined_deletes: Mapping[DataFileId, tuple[int, ...]]
    mappings: Mapping[MappingId, NameMapping]
    specs: Mapping[PartitionId, PartitionSpec]
    versions: Mapping[int, Table]

    def table_of(self, group: Group) -> Table:
        """The table with the columns and the partitioning that the files of a group have."""
        first = group[0]
        partition = first.file.partition_id
        spec = None if partition is None else self.specs[partition]
        return replace(self.versions[first.schema_version], partition=spec)

    def tasks(self, group: Group) -> tuple[FileTask, ...]:
        """The files of a group, as a scan reads them."""
        return tuple(self._task(live.file) for live in group)

    def _task(self, file: DataFile) -> FileTask:
        mapping = None if file.mapping_id is None else self.mappings[file.mapping_id]
        return FileTask(file, self.inlined_deletes.get(file.id, ()), mapping)


def survey(reader: CatalogReader, name: TableName) -> Survey:
    """Everything about one table at the newest snapshot."""
    at = reader.snapshot(Latest())
    table = reader.table(name, at)
    files = reader.files(table, at)
    deletes = reader.inlined_deletes(table, at)
    values = reader.partition_values(table, at)
    history = reader.schema_history(table)
    begun = [begin for begin, _ in history]
    live = tuple(
        LiveFile(
            file,
            _version_at(begun, history, int(file.begin_snapshot)),
            values.get(file.id, ()),
            len(deletes.get(file.id, ())),
        )
        for file in files
    )
    wanted = {file.mapping_id for file in files if file.mapping_id is not None}
    starts = {version: begin for begin, version in reversed(history)}
    used = {each.schema_version for each in live}
    versions = {v: reader.table_at(table, SnapshotId(starts[v])) for v in used}
    specs = {spec.id: spec for spec in reader.partition_specs(table)}
    return Survey(at, table, live, deletes, reader.mapping(wanted), specs, versions)


def _version_at(begun: list[int], history: tuple[tuple[int, int], ...], snapshot: int) -> int:
    """The table's own schema version when a snapshot was made."""
    place = bisect_right(begun, snapshot) - 1
    return history[max(place, 0)][1]

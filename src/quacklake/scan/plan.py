"""What a scan will do: which columns, which files, which rows of the catalog itself.

A plan and its tasks are values; they pickle, and reading them needs no catalog.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import overload

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.catalog.listing import FileListing
from quacklake.catalog.reader import CatalogReader, InlinedRows
from quacklake.format.arrow import arrow_schema
from quacklake.format.files import ROW_ID_FIELD, SNAPSHOT_ID_FIELD, DataFile, NameMapping
from quacklake.format.predicate import ANYTHING
from quacklake.format.snapshot import Snapshot, SnapshotRef
from quacklake.format.table import Table, TableName
from quacklake.format.types import Column, Kind, Scalar
from quacklake.kernel.errors import NotFound
from quacklake.kernel.ids import ColumnId, DataFileId, MappingId
from quacklake.scan.filters import row_filter
from quacklake.scan.masks import RowFilter

ROW_ID = Column(ColumnId(ROW_ID_FIELD), "rowid", Scalar(Kind.INT64))
"""The virtual column `rowid`: what identifies a row through updates and compaction."""
SNAPSHOT_ID = Column(ColumnId(SNAPSHOT_ID_FIELD), "snapshot_id", Scalar(Kind.INT64))
"""The virtual column `snapshot_id`: the snapshot in which the row was written."""
VIRTUAL = (ROW_ID, SNAPSHOT_ID)

FILE = Column(ColumnId(-1), "_file", Scalar(Kind.INT64))
"""The data file a row lies in; NULL for rows the catalog keeps."""
PLACE = Column(ColumnId(-2), "_place", Scalar(Kind.INT64))
"""Where it lies there: its position in the file, or its row id in the catalog."""
VERSION = Column(ColumnId(-3), "_version", Scalar(Kind.INT64))
"""The inlined data table a row lies in; NULL for rows of files."""
PLACES = (FILE, PLACE, VERSION)


@dataclass(frozen=True, slots=True)
class FileTask:
    """One data file to read, with the positions the catalog itself says are deleted."""

    file: DataFile
    deleted: tuple[int, ...] = ()
    mapping: NameMapping | None = None


class ListedTasks(Sequence[FileTask]):
    """A task for each file of a listing, made anew when it is asked for."""

    __slots__ = ("_deleted", "_files", "_mappings")

    def __init__(
        self,
        files: FileListing,
        deleted: Mapping[DataFileId, tuple[int, ...]],
        mappings: Mapping[MappingId, NameMapping],
    ) -> None:
        self._files = files
        self._deleted = deleted
        self._mappings = mappings

    def __len__(self) -> int:
        return len(self._files)

    @overload
    def __getitem__(self, place: int) -> FileTask: ...
    @overload
    def __getitem__(self, place: slice) -> ListedTasks: ...
    def __getitem__(self, place: int | slice) -> FileTask | ListedTasks:
        if isinstance(place, slice):
            return ListedTasks(self._files[place], self._deleted, self._mappings)
        return self._task(self._files[place])

    def __iter__(self) -> Iterator[FileTask]:
        return map(self._task, self._files)

    def _task(self, file: DataFile) -> FileTask:
        mapping = None if file.mapping_id is None else self._mappings[file.mapping_id]
        return FileTask(file, self._deleted.get(file.id, ()), mapping)


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """A scan of one table at one snapshot; `columns` are the result's, in order."""

    table: Table
    snapshot: Snapshot
    columns: tuple[Column, ...]
    filter: RowFilter | None
    tasks: Sequence[FileTask]
    inlined: tuple[InlinedRows, ...]

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the result."""
        # A promise that no value is NULL would be the writer's, not ours: results make none.
        return arrow_schema(tuple(replace(column, nullable=True) for column in self.columns))


@dataclass(frozen=True, slots=True)
class Request:
    """What a user asks of one table."""

    table: TableName
    at: SnapshotRef
    columns: tuple[str, ...] | None = None
    filter: str | pc.Expression | RowFilter | None = None
    places: bool = False


def plan_scan(reader: CatalogReader, request: Request) -> ScanPlan:
    """The plan for `request`, read in the one transaction of `reader`."""
    snapshot = reader.snapshot(request.at)
    table = reader.table(request.table, snapshot)
    return plan_table(reader, empty_plan(table, snapshot, request))


def empty_plan(table: Table, snapshot: Snapshot, request: Request) -> ScanPlan:
    """The columns and filter that `request` means on `table`, and no rows yet."""
    columns = selected_columns(table, request.columns)
    chosen = _filter(request.filter, table)
    return ScanPlan(table, snapshot, columns + PLACES * request.places, chosen, (), ())


def plan_table(reader: CatalogReader, plan: ScanPlan) -> ScanPlan:
    """`plan` with the files and rows that the catalog has for it."""
    table, snapshot, chosen = plan.table, plan.snapshot, plan.filter
    predicate = chosen.predicate if chosen else ANYTHING
    files = reader.files(table, snapshot, predicate)
    deletes = reader.inlined_deletes(table, snapshot)
    wanted = files.mapping_ids()
    tasks = ListedTasks(files, deletes, reader.mapping(wanted) if wanted else {})
    return replace(plan, tasks=tasks, inlined=reader.inlined_rows(table, snapshot))


def _filter(given: str | pc.Expression | RowFilter | None, table: Table) -> RowFilter | None:
    if given is None:
        return None
    if isinstance(given, str | pc.Expression):
        return row_filter(given, table)
    return given


def selected_columns(table: Table, names: Sequence[str] | None) -> tuple[Column, ...]:
    """The columns called `names`, in that order; virtual ones only when asked for."""
    if names is None:
        return table.columns
    own = {column.name.casefold() for column in table.columns}
    virtual = {c.name: c for c in VIRTUAL if c.name not in own}
    selected = tuple(virtual.get(name.casefold()) or table.column(name) for name in names)
    if not selected:
        raise NotFound("a scan needs at least one column", hint="leave columns out to read all")
    return selected

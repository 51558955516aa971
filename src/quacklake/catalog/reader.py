"""Questions to a catalog, all answered from one state of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, assert_never

import pyarrow as pa
from sqlalchemy.engine import Connection
from sqlalchemy.sql import Executable

from quacklake.catalog.assemble import (
    InlinedTable,
    Timeless,
    columns_of,
    commit_of,
    mappings_of,
    snapshot_of,
    tables_of,
    timeless_of,
)
from quacklake.catalog.backends import Database
from quacklake.catalog.ends import Life, Lives, Scheduled, file_lives, folders, instant_of
from quacklake.catalog.failures import translated
from quacklake.catalog.inspection import (
    FileColumnStats,
    Option,
    TableStats,
    file_stats_of,
    macros_of,
    options_of,
    table_stats_of,
    views_of,
)
from quacklake.catalog.listing import FileListing
from quacklake.catalog.location import Backend, CatalogLocation
from quacklake.catalog.missing import no_snapshot, no_table
from quacklake.catalog.statements import ends, entries, inlined, objects, snapshots, touched
from quacklake.catalog.statements import files as file_statements
from quacklake.catalog.statements.scope import Scope
from quacklake.catalog.textual import conformed, decoded
from quacklake.catalog.window import TableWindow, Window
from quacklake.format.files import NameMapping
from quacklake.format.partition import PartitionSpec
from quacklake.format.paths import as_directory, resolved
from quacklake.format.predicate import ANYTHING, Predicate
from quacklake.format.snapshot import AtTime, AtVersion, Commit, Latest, Snapshot, SnapshotRef
from quacklake.format.table import Macro, Schema, Table, TableName, View
from quacklake.format.types import Column
from quacklake.kernel.errors import CorruptLake, NotFound
from quacklake.kernel.ids import DataFileId, MappingId, SchemaId, SnapshotId, TableId

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class InlinedRows:
    """Rows kept in the catalog: `columns` as they were, `rows` with row id and snapshot first.

    `schema_version` tells which of the table's inlined data tables they are from.
    """

    columns: tuple[Column, ...]
    rows: pa.Table
    schema_version: int


class CatalogReader:
    """One consistent view of a catalog; for one thread at a time."""

    def __init__(
        self,
        connection: Connection,
        database: Database,
        location: CatalogLocation,
        scope: Scope,
        data_path: str,
    ) -> None:
        self._connection = connection
        self._database = database
        self._location = location
        self._scope = scope
        self._data_path = data_path
        self._timeless: dict[TableId, Timeless] = {}
        self._columns_ever: dict[TableId, list[Sequence[Any]]] = {}

    def _all(self, statement: Executable, **parameters: Any) -> Sequence[Any]:
        with translated(self._database, self._location):
            return self._connection.execute(statement, parameters).all()

    def _raw(self, statement: Executable, **parameters: Any) -> Sequence[Any]:
        """All rows as the driver gives them, which for many is quicker than rows with names."""
        with translated(self._database, self._location):
            result = self._connection.execute(statement, parameters)
            try:
                return result.cursor.fetchall()
            finally:
                result.close()

    def snapshot(self, ref: SnapshotRef) -> Snapshot:
        """The snapshot `ref` points at; one that is gone is `SnapshotExpired`."""
        match ref:
            case Latest():
                rows = self._all(snapshots.latest(self._scope))
            case AtVersion(id):
                rows = self._all(snapshots.with_id(self._scope), at=id)
            case AtTime(time):
                micros = (time - _EPOCH) // timedelta(microseconds=1)
                rows = self._all(snapshots.before(self._scope), micros=micros)
            case _:
                assert_never(ref)
        if not rows:
            raise no_snapshot(ref, *self._all(snapshots.bounds(self._scope))[0])
        return snapshot_of(rows[0])

    def commits(self) -> tuple[Commit, ...]:
        """All snapshots in order, with what their commits said."""
        return tuple(commit_of(row) for row in self._all(snapshots.commits(self._scope)))

    def snapshot_row(self, snapshot: SnapshotId) -> Commit | None:
        """The commit that made a snapshot, if there is one."""
        for row in self._all(snapshots.commit(self._scope), at=snapshot):
            return commit_of(row)
        return None

    def schemas(self, at: Snapshot) -> tuple[Schema, ...]:
        """The schemas at a snapshot, in the order of their ids."""
        return tuple(
            Schema(
                SchemaId(row[0]),
                row[1],
                as_directory(resolved(self._data_path, row[2], is_relative=bool(row[3]))),
            )
            for row in self._all(objects.schemas(self._scope), at=at.id)
        )

    def tables(self, at: Snapshot, schema: str | None = None) -> tuple[Table, ...]:
        """All tables at a snapshot, or those of one schema, by one query."""
        if schema is None:
            return self._described(at, entries.all_tables(self._scope))
        return self._described(
            at, entries.tables_in(self._scope), **entries.spellings("schema", schema)
        )

    def table(self, name: TableName, at: Snapshot) -> Table:
        """The table called `name`, without regard to case."""
        found = self._described(at, entries.table_named(self._scope), **_spelled(name))
        for table in found:
            if table.name == name:
                return table
        for table in found:
            return table
        raise self._no_table(name, at)

    def require_table(self, name: TableName, at: Snapshot) -> None:
        """Make sure that there is a table called `name`, without asking what is in it."""
        if not self._all(entries.table_id_named(self._scope), at=at.id, **_spelled(name)):
            raise self._no_table(name, at)

    def _no_table(self, name: TableName, at: Snapshot) -> NotFound:
        others = self._all(objects.table_names(self._scope), at=at.id)
        return no_table(name, at, [TableName(*other) for other in others])

    def _described(self, at: Snapshot, statement: Executable, **spelled: str) -> tuple[Table, ...]:
        found = tables_of(self._all(statement, at=at.id, **spelled), self._data_path, at.id)
        self._timeless.update((table.id, timeless) for table, timeless in found)
        return tuple(table for table, _ in found)

    def views(self, at: Snapshot) -> tuple[View, ...]:
        """The views at a snapshot."""
        return views_of(self._all(objects.views(self._scope), at=at.id))

    def macros(self, at: Snapshot) -> tuple[Macro, ...]:
        """The macros at a snapshot, one value per implementation."""
        return macros_of(self._all(objects.macros(self._scope), at=at.id))

    def options(self) -> tuple[Option, ...]:
        """What is set for the lake, its schemas and its tables; options have no history."""
        return options_of(self._all(objects.options(self._scope)))

    def files(self, table: Table, at: Snapshot, predicate: Predicate = ANYTHING) -> FileListing:
        """The data files that may hold rows of `predicate`, in the order of their ids."""
        if predicate == ANYTHING:
            statement = file_statements.files(self._scope)
        else:
            specs = self.partition_specs(table)
            statement = file_statements.pruned_files(self._scope, table, predicate, specs)
        rows = self._raw(statement, table=table.id, at=at.id)
        return FileListing(rows, table.location)

    def partition_specs(self, table: Table) -> tuple[PartitionSpec, ...]:
        """All partition specifications the table ever had, the newest last."""
        return tuple(version.spec for version in self._timeless_of(table).specs)

    def partition_values(
        self, table: Table, at: Snapshot
    ) -> dict[DataFileId, tuple[str | None, ...]]:
        """The partition values of each partitioned file at a snapshot, in key order."""
        values: dict[DataFileId, tuple[str | None, ...]] = {}
        for file, _, value in self._all(
            file_statements.partition_values(self._scope), table=table.id, at=at.id
        ):
            values[file] = (*values.get(file, ()), value)
        return values

    def file_stats(self, table: Table, at: Snapshot) -> tuple[FileColumnStats, ...]:
        """The column statistics of the files at a snapshot, by file and column."""
        return file_stats_of(
            self._all(file_statements.file_stats(self._scope), table=table.id, at=at.id)
        )

    def table_stats(self, table: Table) -> TableStats | None:
        """The statistics of the whole table, which bound every snapshot; None before any row."""
        return table_stats_of(self._all(file_statements.table_stats(self._scope), table=table.id))

    def mapping(self, ids: Collection[MappingId]) -> dict[MappingId, NameMapping]:
        """The name mappings with these ids."""
        if not ids:
            return {}
        found = mappings_of(self._all(objects.mappings(self._scope), ids=sorted(ids)))
        missing = sorted(set(ids) - set(found))
        if missing:
            raise CorruptLake(f"the catalog has no name mapping {missing[0]}", mapping=missing[0])
        return found

    def inlined_deletes(self, table: Table, at: Snapshot) -> dict[DataFileId, tuple[int, ...]]:
        """The positions of each file that are deleted by the catalog itself, in order."""
        if not self._timeless_of(table).has_inlined_deletes:
            return {}
        positions: dict[DataFileId, list[int]] = {}
        for file, position in self._all(inlined.inlined_deletes(self._scope, table.id), at=at.id):
            positions.setdefault(file, []).append(position)
        return {file: tuple(found) for file, found in positions.items()}

    def inlined_rows(self, table: Table, at: Snapshot) -> tuple[InlinedRows, ...]:
        """The rows at a snapshot that are kept in the catalog, the oldest schema first."""
        found = []
        for registered in self._timeless_of(table).inlined:
            if not self._all(inlined.inlined_probe(self._scope, registered.name), at=at.id):
                continue
            columns = self._columns_at(table, registered)
            statement = inlined.inlined_rows(self._scope, registered.name, columns)
            rows = self._fetched(statement, columns, at=at.id)
            found.append(InlinedRows(columns, rows, registered.schema_version))
        return tuple(found)

    def highest_column_id(self, table: TableId) -> int:
        """The greatest column id the table ever gave; ids are never given twice."""
        return int(self._all(touched.highest_column_id(self._scope), table=table)[0][0] or 0)

    def lives(self) -> Lives:
        """When everything began and ended."""
        tables, schemas = self._all(ends.tables(self._scope)), self._all(ends.schemas(self._scope))
        places = folders(schemas, tables, self._data_path)
        return Lives(
            tuple(Life(row[0], row[1], row[2]) for row in tables),
            tuple(Life(row[0], row[1], row[2]) for row in schemas),
            tuple(Life(*row) for row in self._all(ends.views(self._scope))),
            file_lives(self._all(ends.data_files(self._scope)), places),
            file_lives(self._all(ends.delete_files(self._scope)), places),
            tuple((row[0], row[1]) for row in self._all(ends.inlined(self._scope))),
        )

    def folders(self) -> tuple[str, ...]:
        """The locations of all tables there ever were: where files of this lake may lie."""
        tables, schemas = self._all(ends.tables(self._scope)), self._all(ends.schemas(self._scope))
        return tuple(sorted(set(folders(schemas, tables, self._data_path).values())))

    def scheduled(self) -> tuple[Scheduled, ...]:
        """The files that wait for deletion."""
        return tuple(
            Scheduled(
                row[0],
                row[1],
                bool(row[2]),
                resolved(self._data_path, row[1], is_relative=bool(row[2])),
                instant_of(row[3]),
            )
            for row in self._all(ends.scheduled(self._scope))
        )

    def schema_history(self, table: Table) -> tuple[tuple[int, int], ...]:
        """When the table's own schema versions began, and which they are, in order."""
        rows = self._all(touched.schema_history(self._scope), table=table.id)
        if not rows:
            raise CorruptLake(f"the catalog has no schema history of table '{table.name}'")
        return tuple((row[0], row[1]) for row in rows)

    def table_at(self, table: Table, at: SnapshotId) -> Table:
        """`table` with the columns it had at a snapshot, even one that has expired."""
        rows = self._all(entries.columns_ever(self._scope), table=table.id)
        then = [row for row in rows if row[-2] <= at and (row[-1] is None or at < row[-1])]
        return replace(table, columns=columns_of(then))

    def newest_inlined_version(self, table: Table) -> int | None:
        """The schema version of the inlined data table that new rows go to, if there is one."""
        registered = self._timeless_of(table).inlined
        return registered[-1].schema_version if registered else None

    def window(self, table: Table, window: Window) -> TableWindow:
        """Questions about what happened to a table in a window of snapshots."""
        has_deletes = self._timeless_of(table).has_inlined_deletes
        return TableWindow(self._all, self._scope, table, window, inlined_deletes=has_deletes)

    def inlined_changes(
        self, table: Table, window: Window
    ) -> tuple[tuple[InlinedRows, ...], tuple[InlinedRows, ...]]:
        """Rows in the catalog that came in a window, then those that went, with the snapshot."""
        changes: tuple[list[InlinedRows], list[InlinedRows]] = [], []
        bounds = {"after": window.after, "upto": window.upto}
        makers = inlined.rows_born, inlined.rows_died
        for registered in self._timeless_of(table).inlined:
            probe = inlined.window_probe(self._scope, registered.name)
            (counts,) = self._all(probe, **bounds)
            for count, make, found in zip(counts, makers, changes, strict=True):
                if count:
                    columns = self._columns_at(table, registered)
                    statement = make(self._scope, registered.name, columns)
                    rows = self._fetched(statement, columns, **bounds)
                    found.append(InlinedRows(columns, rows, registered.schema_version))
        return tuple(changes[0]), tuple(changes[1])

    def _fetched(
        self, statement: Executable, columns: tuple[Column, ...], **parameters: int
    ) -> pa.Table:
        if self._scope.backend is not Backend.DUCKDB:
            return decoded(self._raw(statement, **parameters), columns)
        with translated(self._database, self._location):
            result = self._connection.execute(statement, parameters)
            return conformed(result.cursor.to_arrow_table(), columns)

    def _columns_at(self, table: Table, registered: InlinedTable) -> tuple[Column, ...]:
        versions = self._columns_ever.get(table.id)
        if versions is None:
            versions = list(self._all(entries.columns_ever(self._scope), table=table.id))
            self._columns_ever[table.id] = versions
        at = registered.columns_at
        if at is None:
            at = min(row[-2] for row in versions)
        return columns_of(
            row for row in versions if row[-2] <= at and (row[-1] is None or at < row[-1])
        )

    def _timeless_of(self, table: Table) -> Timeless:
        found = self._timeless.get(table.id)
        if found is None:
            found = timeless_of(self._all(entries.timeless(self._scope), table=table.id))
            self._timeless[table.id] = found
        return found


def _spelled(name: TableName) -> dict[str, str]:
    return entries.spellings("schema", name.schema) | entries.spellings("name", name.table)

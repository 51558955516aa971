"""What a lake holds at a snapshot: schemas, tables, views, macros, options."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar, assert_never

from sqlalchemy.engine import Connection
from sqlalchemy.sql import Executable

from quacklake.catalog.asking import Asking
from quacklake.catalog.assemble import (
    Timeless,
    commit_of,
    snapshot_of,
    tables_of,
    timeless_of,
)
from quacklake.catalog.backends import Database
from quacklake.catalog.inspection import Option, macros_of, options_of, views_of
from quacklake.catalog.location import CatalogLocation
from quacklake.catalog.missing import no_snapshot, no_table
from quacklake.catalog.remembered import Page, Remembered
from quacklake.catalog.statements import entries, objects, snapshots
from quacklake.catalog.statements.scope import Scope
from quacklake.format.partition import PartitionSpec
from quacklake.format.paths import as_directory, resolved
from quacklake.format.snapshot import AtTime, AtVersion, Commit, Latest, Snapshot, SnapshotRef
from quacklake.format.table import Macro, Schema, Table, TableName, View
from quacklake.kernel.errors import NotFound
from quacklake.kernel.ids import SchemaId, SnapshotId, TableId

T = TypeVar("T")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Describing(Asking):
    """Questions about definitions; `remembered` answers those asked before, if there is one."""

    def __init__(
        self,
        connection: Connection,
        database: Database,
        location: CatalogLocation,
        scope: Scope,
        data_path: str,
        remembered: Remembered | None = None,
    ) -> None:
        super().__init__(connection, database, location, scope)
        self._data_path = data_path
        self._timeless: dict[TableId, Timeless] = {}
        self._columns_ever: dict[TableId, list[Sequence[Any]]] = {}
        self._remembered = remembered
        self._page: Page | None = None

    def _recalled(
        self, at: Snapshot, key: Hashable, read: Callable[[], T], rows: Callable[[T], int]
    ) -> T:
        """What is remembered of the newest snapshot, or else what `read` finds."""
        if self._page is None or self._page.snapshot != at:
            return read()
        return self._page.recalled(key, read, rows)

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
        found = snapshot_of(rows[0])
        if self._remembered is not None and isinstance(ref, Latest):
            self._page = self._remembered.of(found)
        return found

    def commits(self) -> tuple[Commit, ...]:
        """All snapshots in order, with what their commits said."""
        return tuple(commit_of(row) for row in self._all(snapshots.commits(self._scope)))

    def commits_since(self, base: SnapshotId) -> tuple[Commit, ...]:
        """What was committed after `base`, in order."""
        found = self._all(snapshots.commits_after(self._scope), after=base)
        return tuple(commit_of(row) for row in found)

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
        table, timeless = self._recalled(at, name, lambda: self._named(name, at), lambda _: 1)
        # Inlined tables that a newer one has replaced may go without a new snapshot.
        if len(timeless.inlined) <= 1:
            self._timeless[table.id] = timeless
        return table

    def _named(self, name: TableName, at: Snapshot) -> tuple[Table, Timeless]:
        found = self._described(at, entries.table_named(self._scope), **_spelled(name))
        for table in found:
            if table.name == name:
                return table, self._timeless[table.id]
        for table in found:
            return table, self._timeless[table.id]
        raise self._no_table(name, at)

    def require_table(self, name: TableName, at: Snapshot) -> None:
        """Make sure that there is a table called `name`."""
        if self._page is not None and self._page.snapshot == at:
            # Whoever asks will want to know more of it.
            self.table(name, at)
        elif not self._all(entries.table_id_named(self._scope), at=at.id, **_spelled(name)):
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

    def partition_specs(self, table: Table) -> tuple[PartitionSpec, ...]:
        """All partition specifications the table ever had, the newest last."""
        return tuple(version.spec for version in self._timeless_of(table).specs)

    def _timeless_of(self, table: Table) -> Timeless:
        found = self._timeless.get(table.id)
        if found is None:
            found = timeless_of(self._all(entries.timeless(self._scope), table=table.id))
            self._timeless[table.id] = found
        return found


def _spelled(name: TableName) -> dict[str, str]:
    return entries.spellings("schema", name.schema) | entries.spellings("name", name.table)

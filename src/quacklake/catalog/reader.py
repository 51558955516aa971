"""Questions to a catalog, all answered from one state of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from quacklake.catalog.assemble import columns_of, mappings_of
from quacklake.catalog.ends import Life, Lives, Scheduled, file_lives, folders, instant_of
from quacklake.catalog.inlined import InlinedReading, InlinedRows
from quacklake.catalog.inspection import (
    FileColumnStats,
    TableStats,
    file_stats_of,
    table_stats_of,
)
from quacklake.catalog.listing import FileListing, folded
from quacklake.catalog.statements import ends, entries, objects, touched
from quacklake.catalog.statements import files as file_statements
from quacklake.catalog.window import TableWindow, Window
from quacklake.format.files import NameMapping
from quacklake.format.paths import resolved
from quacklake.format.predicate import ANYTHING, Predicate
from quacklake.format.snapshot import Snapshot
from quacklake.format.table import Table
from quacklake.format.types import NameEver, TypeEver, parse_leaf_type
from quacklake.kernel.errors import CorruptLake
from quacklake.kernel.ids import ColumnId, DataFileId, MappingId, SnapshotId, TableId

__all__ = ["CatalogReader", "InlinedRows"]

_NESTED: Final = frozenset({"list", "map", "struct"})


class CatalogReader(InlinedReading):
    """One consistent view of a catalog; for one thread at a time."""

    def files(self, table: Table, at: Snapshot, predicate: Predicate = ANYTHING) -> FileListing:
        """The data files that may hold rows of `predicate`, in the order of their ids."""
        return self._recalled(
            at,
            ("files", table.id, predicate),
            lambda: self._files(table, at, predicate),
            lambda found: 1 + len(found),
        )

    def _files(self, table: Table, at: Snapshot, predicate: Predicate) -> FileListing:
        if predicate == ANYTHING:
            statement = file_statements.files(self._scope)
        else:
            specs = self.partition_specs(table)
            statement = file_statements.pruned_files(self._scope, table, predicate, specs)
        rows = self._many(statement, table=table.id, at=at.id)
        return FileListing(folded(rows), table.location)

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

    def types_ever(self, table: Table) -> tuple[TypeEver, ...]:
        """The types that the columns and fields of a table have and had."""
        rows = self._all(entries.columns_ever(self._scope), table=table.id)
        return tuple(
            TypeEver(ColumnId(row[2]), parse_leaf_type(row[8]), row[-1])
            for row in rows
            if row[8].strip().lower() not in _NESTED
        )

    def names_ever(self, table: Table) -> tuple[NameEver, ...]:
        """The names that the columns and fields of a table have and had."""
        rows = self._all(entries.columns_ever(self._scope), table=table.id)
        return tuple(
            NameEver(ColumnId(row[2]), None if row[4] is None else ColumnId(row[4]), row[7])
            for row in rows
        )

    def window(self, table: Table, window: Window) -> TableWindow:
        """Questions about what happened to a table in a window of snapshots."""
        has_deletes = self._timeless_of(table).has_inlined_deletes
        return TableWindow(self._all, self._scope, table, window, inlined_deletes=has_deletes)

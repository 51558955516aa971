"""Rows and deletes that the catalog keeps itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from sqlalchemy.sql import Executable

from quacklake.catalog.assemble import InlinedTable, columns_of
from quacklake.catalog.failures import translated
from quacklake.catalog.ledger import LedgerReading
from quacklake.catalog.location import Backend
from quacklake.catalog.statements import entries, inlined
from quacklake.catalog.textual import conformed, decoded
from quacklake.catalog.window import Window
from quacklake.format.snapshot import Snapshot
from quacklake.format.table import Table
from quacklake.format.types import Column
from quacklake.kernel.errors import Busy, CorruptLake
from quacklake.kernel.ids import DataFileId


@dataclass(frozen=True, slots=True)
class InlinedRows:
    """Rows kept in the catalog: `columns` as they were, `rows` with row id and snapshot first.

    `schema_version` tells which of the table's inlined data tables they are from.
    """

    columns: tuple[Column, ...]
    rows: pa.Table
    schema_version: int


class InlinedReading(LedgerReading):
    """Questions about rows and deletes that are in no file."""

    def inlined_deletes(self, table: Table, at: Snapshot) -> dict[DataFileId, tuple[int, ...]]:
        """The positions of each file that are deleted by the catalog itself, in order."""
        if not self._timeless_of(table).has_inlined_deletes:
            return {}
        return self._recalled(
            at,
            ("inlined deletes", table.id),
            lambda: self._inlined_deletes(table, at),
            lambda found: sum(map(len, found.values())),
        )

    def _inlined_deletes(self, table: Table, at: Snapshot) -> dict[DataFileId, tuple[int, ...]]:
        positions: dict[DataFileId, list[int]] = {}
        for file, position in self._all(inlined.inlined_deletes(self._scope, table.id), at=at.id):
            positions.setdefault(file, []).append(position)
        return {file: tuple(found) for file, found in positions.items()}

    def inlined_rows(self, table: Table, at: Snapshot) -> tuple[InlinedRows, ...]:
        """The rows at a snapshot that are kept in the catalog, the oldest schema first."""
        return self._recalled(
            at,
            ("inlined rows", table.id),
            lambda: self._inlined_rows(table, at),
            lambda found: 1 + sum(each.rows.num_rows for each in found),
        )

    def _inlined_rows(self, table: Table, at: Snapshot) -> tuple[InlinedRows, ...]:
        found = []
        for registered in self._timeless_of(table).inlined:
            probe = inlined.inlined_probe(self._scope, registered.name)
            if not self._probed(probe, registered, at=at.id):
                continue
            columns = self._columns_at(table, registered)
            statement = inlined.inlined_rows(self._scope, registered.name, columns)
            rows = self._fetched(statement, columns, at=at.id)
            found.append(InlinedRows(columns, rows, registered.schema_version))
        return tuple(found)

    def newest_inlined_version(self, table: Table) -> int | None:
        """The schema version of the inlined data table that new rows go to, if there is one."""
        ((newest,),) = self._all(inlined.newest(self._scope), table=table.id)
        return None if newest is None else int(newest)

    def superseded_inlined(self, table: Table) -> tuple[int, ...]:
        """The schema versions whose inlined data table is empty, and gets no more rows."""
        return tuple(
            registered.schema_version
            for registered in self._timeless_of(table).inlined[:-1]
            if not self._probed(inlined.inlined_ever(self._scope, registered.name), registered)
        )

    def inlined_changes(
        self, table: Table, window: Window
    ) -> tuple[tuple[InlinedRows, ...], tuple[InlinedRows, ...]]:
        """Rows in the catalog that came in a window, then those that went, with the snapshot."""
        changes: tuple[list[InlinedRows], list[InlinedRows]] = [], []
        bounds = {"after": window.after, "upto": window.upto}
        makers = inlined.rows_born, inlined.rows_died
        for registered in self._timeless_of(table).inlined:
            probe = inlined.window_probe(self._scope, registered.name)
            (counts,) = self._probed(probe, registered, **bounds)
            for count, make, found in zip(counts, makers, changes, strict=True):
                if count:
                    columns = self._columns_at(table, registered)
                    statement = make(self._scope, registered.name, columns)
                    rows = self._fetched(statement, columns, **bounds)
                    found.append(InlinedRows(columns, rows, registered.schema_version))
        return tuple(changes[0]), tuple(changes[1])

    def _probed(
        self, probe: Executable, registered: InlinedTable, **parameters: int
    ) -> Sequence[Any]:
        """What a first look into an inlined data table finds; `Busy` if it has just gone.

        DuckDB drops one that a flush has emptied. Its rows are in files then, which only a newer
        view of the catalog shows.
        """
        try:
            return self._all(probe, **parameters)
        except CorruptLake as error:
            raise Busy(
                f"inlined data table '{registered.name}' went while the catalog was read",
                hint="try again",
            ) from error

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

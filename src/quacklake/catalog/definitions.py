"""Definitions of tables and schemas, remembered as long as nobody changed any.

Law of the format: whatever changes a definition raises the schema version of its snapshot.
Rows, statistics, options and inlined tables come and go without it; they are always asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from quacklake.catalog.reader import CatalogReader
from quacklake.format.snapshot import Snapshot
from quacklake.format.table import Schema, Table, TableName


@dataclass(slots=True)
class _Version:
    number: int
    schemas: tuple[Schema, ...] | None = None
    tables: dict[TableName, Table] = field(default_factory=dict)


class Definitions:
    """What is known of the schema version seen last; shared by threads."""

    def __init__(self) -> None:
        self._known = _Version(-1)

    def schemas(self, reader: CatalogReader, at: Snapshot) -> tuple[Schema, ...]:
        """The schemas at a snapshot, in the order of their ids."""
        known = self._at(at)
        if known.schemas is None:
            known.schemas = reader.schemas(at)
        return known.schemas

    def table(self, reader: CatalogReader, name: TableName, at: Snapshot) -> Table:
        """The table called `name`, without regard to case."""
        known = self._at(at)
        found = known.tables.get(name)
        if found is None:
            found = known.tables[name] = reader.table(name, at)
        return found

    def _at(self, at: Snapshot) -> _Version:
        # Another thread may put another version here; each goes on with the one it has.
        known = self._known
        if known.number != at.schema_version:
            known = self._known = _Version(at.schema_version)
        return known

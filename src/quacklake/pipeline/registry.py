"""The stream tables of a lake, as the catalog has them."""

from __future__ import annotations

from quacklake.catalog.reader import CatalogReader
from quacklake.format.snapshot import Latest, Snapshot
from quacklake.format.table import TableName
from quacklake.kernel.errors import NotFound
from quacklake.kernel.ids import TableId
from quacklake.pipeline.definition import Definition, definition_of
from quacklake.pipeline.sources import tables_of
from quacklake.transaction.draft import same_name


def definitions(reader: CatalogReader, at: Snapshot | None = None) -> tuple[Definition, ...]:
    """Every stream table whose result exists, in the order in which they were made."""
    rows = reader.stream_rows()
    if not rows:
        return ()
    tables = {table.id: table for table in reader.tables(at or reader.snapshot(Latest()))}
    return tuple(
        definition_of(row, tables[TableId(row.table_id)].name)
        for row in rows
        if TableId(row.table_id) in tables
    )


def definition_called(reader: CatalogReader, name: TableName) -> Definition:
    """The stream table called `name`."""
    found = definitions(reader)
    for each in found:
        if same_name(each.name, name):
            return each
    known = ", ".join(str(each.name) for each in found)
    raise NotFound(
        f"no stream table '{name}'",
        hint=f"there are {known}" if known else "create one with lake.create_stream_table",
        kind="stream table",
        name=str(name),
    )


def sources_of(reader: CatalogReader, definition: Definition) -> frozenset[TableId]:
    """The ids of the tables that a stream table reads."""
    at = reader.snapshot(Latest())
    tables = tables_of(reader, definition.query, at, definition.name.schema)
    return frozenset(table.id for table in tables.values())


def in_order(reader: CatalogReader, wanted: tuple[Definition, ...]) -> list[Definition]:
    """Stream tables after those that they read."""
    sources = {each.table_id: sources_of(reader, each) for each in wanted}
    waiting = {each.table_id: each for each in wanted}
    ordered: list[Definition] = []
    while waiting:
        ready = [each for i, each in waiting.items() if not sources[i] & waiting.keys()]
        ordered += ready
        for each in ready:
            del waiting[each.table_id]
    return ordered


def readers_of(reader: CatalogReader, table: TableId) -> list[Definition]:
    """The stream tables that read a table, directly."""
    return [each for each in definitions(reader) if table in sources_of(reader, each)]

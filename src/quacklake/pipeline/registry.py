"""The stream tables of a lake, as the catalog has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quacklake.catalog.ledger import StreamRow
from quacklake.catalog.reader import CatalogReader
from quacklake.format.snapshot import Latest, Snapshot
from quacklake.format.table import TableName
from quacklake.kernel.errors import NotFound
from quacklake.kernel.ids import TableId
from quacklake.pipeline.definition import Definition, definition_of
from quacklake.pipeline.frontier import source_key
from quacklake.transaction.draft import same_name


def definitions(reader: CatalogReader) -> tuple[Definition, ...]:
    """Every stream table whose result exists, in the order in which they were made."""
    rows = reader.stream_rows()
    return definitions_of(reader, rows, reader.snapshot(Latest())) if rows else ()


def definitions_of(
    reader: CatalogReader, rows: Iterable[StreamRow], at: Snapshot
) -> tuple[Definition, ...]:
    """The stream tables that `rows` keep and whose results exist at a snapshot."""
    tables = {table.id: table for table in reader.tables(at)}
    return tuple(
        definition_of(row, tables[TableId(row.table_id)].name)
        for row in rows
        if TableId(row.table_id) in tables
    )


def definition_called(reader: CatalogReader, name: TableName) -> Definition:
    """The stream table called `name`."""
    return called(definitions(reader), name)


def called(found: Sequence[Definition], name: TableName) -> Definition:
    """The one of `found` that is called `name`."""
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


def in_order(wanted: Iterable[Definition]) -> list[Definition]:
    """Stream tables after those that they read."""
    waiting = {source_key(each.name): each for each in wanted}
    ordered: list[Definition] = []
    while waiting:
        ready = [k for k, each in waiting.items() if not each.frontier.keys() & waiting.keys()]
        ordered += [waiting.pop(each) for each in ready]
    return ordered


def readers_of(reader: CatalogReader, read: Definition) -> list[Definition]:
    """The stream tables that read a stream table, directly or through others, nearest first."""
    known = definitions(reader)
    found = [read]
    for each in found:
        key = source_key(each.name)
        found += [other for other in known if key in other.frontier and other not in found]
    return found[1:]

"""A stream table in the place of another: what is different, and whom it would break."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import sqlglot
from sqlglot.errors import SqlglotError

from quacklake.catalog.reader import CatalogReader
from quacklake.format.snapshot import Snapshot
from quacklake.format.table import Table
from quacklake.kernel.errors import QuacklakeError, UsageError
from quacklake.pipeline.definition import Definition, Settings
from quacklake.pipeline.frontier import source_key
from quacklake.pipeline.sources import KeptQuery, Tables, compiled, tables_of


def is_same(standing: Definition, view: KeptQuery, settings: Settings, tables: Tables) -> bool:
    """Whether the stream table that stands there computes what `view` computes.

    Comments, spaces and the case of keywords do not matter. A `*` does where its tables have
    other columns by now.
    """
    if standing.settings.engine != settings.engine or _normal(standing.query) != _normal(view.sql):
        return False
    try:
        before = compiled(standing.query, tables, standing.settings.columns)
    except QuacklakeError:
        return False
    return _meaning(before) == _meaning(view)


def _normal(query: str) -> str | None:
    try:
        return sqlglot.parse_one(query, dialect="spark").sql("spark", comments=False)
    except SqlglotError:
        return None


def _meaning(view: KeptQuery) -> object:
    return view.names, view.types, view.explain()


def check_no_cycle(standing: Definition, readers: Iterable[Definition], tables: Tables) -> None:
    """Refuse a query that reads the stream table itself, or one that reads it."""
    below = {each.table_id: each.name for each in (standing, *readers)}
    for table in tables.values():
        if table.id == standing.table_id:
            raise UsageError(
                f"stream table '{standing.name}' would read itself",
                hint="a query reads other tables than the one it is kept in",
            )
        if table.id in below:
            raise UsageError(
                f"stream table '{standing.name}' would read '{table.name}', which reads it",
                hint=f"drop '{table.name}' first, or read its sources",
            )


def check_readers(
    reader: CatalogReader, at: Snapshot, made: Table, readers: Iterable[Definition]
) -> None:
    """Refuse columns that a reader of the replaced stream table cannot do with."""
    key = source_key(made.name)
    for each in readers:
        if key not in each.frontier:
            continue
        before = tables_of(reader, each.query, at, each.name.schema)
        after = {name: _in_place(table, made) for name, table in before.items()}
        if not _fits(each, before, after):
            raise UsageError(
                f"stream table '{each.name}' reads '{made.name}' and needs the columns it had",
                hint=f"drop '{each.name}' first, or keep the columns",
            )


def _in_place(table: Table, made: Table) -> Table:
    return replace(table, columns=made.columns) if table.name == made.name else table


def _fits(reading: Definition, before: Tables, after: Tables) -> bool:
    columns = reading.settings.columns
    old = compiled(reading.query, before, columns)
    try:
        new = compiled(reading.query, after, columns)
    except QuacklakeError:
        return False
    return (old.names, old.types) == (new.names, new.types)

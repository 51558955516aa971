"""The tables a query reads, and the query compiled over them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

from quacklake.catalog.reader import CatalogReader
from quacklake.client.references import DEFAULT_SCHEMA
from quacklake.format.snapshot import Snapshot
from quacklake.format.table import Table, TableName
from quacklake.format.types import Column
from quacklake.ivm import (
    RECOMPUTED,
    View,
    WholeView,
    compile_view,
    source_columns,
    table_names,
    whole_view,
)
from quacklake.kernel.errors import NotFound, Unsupported

KeptQuery: TypeAlias = View | WholeView
"""A query that is kept by its change, or, where no rule bounds that, computed anew."""

Tables: TypeAlias = Mapping[str, Table]
"""The tables of a query by the names it writes."""


def tables_of(reader: CatalogReader, query: str, at: Snapshot, home: str) -> Tables:
    """The tables that `query` names at a snapshot; plain names are of `home`, or of `main`."""
    return {written: _table(reader, written, at, home) for written in table_names(query)}


def _table(reader: CatalogReader, written: str, at: Snapshot, home: str) -> Table:
    schema, _, name = written.rpartition(".")
    places = (schema,) if schema else tuple(dict.fromkeys((home, DEFAULT_SCHEMA)))
    problem: NotFound | None = None
    for place in places:
        try:
            return reader.table(TableName(place, name), at)
        except NotFound as error:
            problem = problem or error
    views = {(view.name.schema.casefold(), view.name.table.casefold()) for view in reader.views(at)}
    if any((place.casefold(), name.casefold()) in views for place in places):
        raise Unsupported(
            f"'{written}' is a view, and a stream table reads tables and stream tables",
            hint="write the view's query into this one, as a common table expression",
        )
    assert problem is not None  # noqa: S101 - there is at least one place to look
    raise problem


def compiled(
    query: str, tables: Tables, columns: Mapping[str, tuple[str, ...]] | None
) -> KeptQuery:
    """The view of a query; `columns` limits each table to those it had when declared."""
    chosen = tuple((written, _kept(table, columns)) for written, table in tables.items())
    return _compiled(query, chosen)


def _kept(table: Table, columns: Mapping[str, tuple[str, ...]] | None) -> tuple[Column, ...]:
    known = None if columns is None else columns.get(str(table.name))
    if known is None:
        return table.columns
    wanted = {name.casefold() for name in known}
    return tuple(column for column in table.columns if column.name.casefold() in wanted)


@lru_cache(maxsize=256)
def _compiled(query: str, tables: tuple[tuple[str, tuple[Column, ...]], ...]) -> KeptQuery:
    schema = {written: source_columns(columns) for written, columns in tables}
    try:
        return compile_view(query, schema)
    except Unsupported as error:
        if error.facts.get("construct") not in RECOMPUTED:
            raise
        return whole_view(query, schema, f"{error.facts['construct']} has no bounded change")

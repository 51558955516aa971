"""How the rows of a stream table are found from now on: by row ids of its source, or without.

A row id is sure to mean the same row in source and result until somebody else merges files of
either: DuckDB may number rows anew then. From there on values are compared besides, until all
rows are computed anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from quacklake.ivm import ByRowId
from quacklake.kernel.ids import TableId
from quacklake.pipeline.definition import Definition
from quacklake.pipeline.sources import KeptQuery, Tables
from quacklake.pipeline.window import Since

Streams: TypeAlias = Mapping[TableId, Definition]
"""The stream tables of a lake by the ids of their results."""


def bears_ids(view: KeptQuery, tables: Tables, streams: Streams) -> bool:
    """Whether rows of a view can be stored under the row ids of its source.

    A stream table whose own rows are not gives new ones their ids when it is committed: too late
    for a view that is refreshed with it.
    """
    if not isinstance(view.identity, ByRowId):
        return False
    source = streams.get(tables[view.identity.source].id)
    return source is None or source.settings.row_ids


def filled_anew(
    definition: Definition, view: KeptQuery, tables: Tables, streams: Streams
) -> Definition:
    """The definition when all rows are computed anew."""
    return definition.identified(row_ids=bears_ids(view, tables, streams))


def carried_on(
    definition: Definition, view: KeptQuery, tables: Tables, streams: Streams, since: Since
) -> Definition:
    """The definition when rows are kept: their ids may have become doubtful, or useless."""
    settings = definition.settings
    sources = (streams.get(table.id) for table in tables.values())
    doubt = any(each is not None and each.settings.doubt for each in sources)
    return definition.identified(
        row_ids=settings.row_ids and bears_ids(view, tables, streams),
        doubt=settings.doubt or since.renumbered or doubt,
    )

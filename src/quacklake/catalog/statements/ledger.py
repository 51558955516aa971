"""Questions about stream tables: their definitions, and how they were refreshed."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Select, literal, select

from quacklake.catalog.statements.expressions import Micros
from quacklake.catalog.statements.scope import TABLE, Scope, built_once

STREAM_TABLE: Final = "quacklake_stream_table"
REFRESH: Final = "quacklake_refresh"


@built_once
def is_kept(scope: Scope) -> Select[Any]:
    """One row if the catalog has our own tables."""
    installed = scope.installed()
    return select(installed.c.name).where(installed.c.name == literal(REFRESH))


@built_once
def stream_tables(scope: Scope) -> Select[Any]:
    """Every definition, in the order of the tables' ids."""
    rows = scope.rows(STREAM_TABLE)
    return select(*rows.c).order_by(rows.c.table_id)


@built_once
def refreshes(scope: Scope) -> Select[Any]:
    """The refreshes of the stream table `:table`, newest first."""
    rows = scope.rows(REFRESH)
    shown = [Micros(each) if each.name == "finished" else each for each in rows.c]
    return select(*shown).where(rows.c.table_id == TABLE).order_by(rows.c.generation.desc())

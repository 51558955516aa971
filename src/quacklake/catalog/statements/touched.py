"""What a table lost since a snapshot, and which ids it has given."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, func, literal, or_, select, union
from sqlalchemy.sql import CompoundSelect

from quacklake.catalog.statements.scope import AFTER, INLINED_DELETES, TABLE, Scope, built_once


@built_once
def touched(scope: Scope) -> CompoundSelect[Any]:
    """The data files of `:table` that got another delete file, or ended, after `:after`."""
    deletes, files, snapshots = (
        scope.rows(name) for name in ("delete_file", "data_file", "snapshot")
    )
    next_file = (
        select(snapshots.c.next_file_id).where(snapshots.c.snapshot_id == AFTER).scalar_subquery()
    )
    # A consolidated delete file begins with its oldest deletion; its newest is `partial_max`.
    # DuckDB dates that by its first attempt to commit, so only the id tells a new file for sure.
    renewed = or_(
        deletes.c.delete_file_id >= next_file,
        deletes.c.begin_snapshot > AFTER,
        deletes.c.partial_max > AFTER,
        deletes.c.end_snapshot > AFTER,
    )
    return union(
        select(deletes.c.data_file_id).where(deletes.c.table_id == TABLE, renewed),
        select(files.c.data_file_id).where(files.c.table_id == TABLE, files.c.end_snapshot > AFTER),
    )


def has_inlined_deletes(scope: Scope, table: int) -> Select[Any]:
    """One row if the catalog has a table for the inlined deletes of a table."""
    installed = scope.installed()
    name = literal(f"{INLINED_DELETES}{table}")
    return select(installed.c.name).where(installed.c.name == name)


def inlined_touched(scope: Scope, table: int) -> Select[Any]:
    """The data files that lost rows to inlined deletes after `:after`."""
    rows = scope.inlined_deletes(table)
    return select(rows.c.file_id).where(rows.c.begin_snapshot > AFTER).distinct()


@built_once
def highest_column_id(scope: Scope) -> Select[Any]:
    """The greatest column id in the whole history of `:table`."""
    rows = scope.rows("column")
    return select(func.max(rows.c.column_id)).where(rows.c.table_id == TABLE)


@built_once
def schema_history(scope: Scope) -> Select[Any]:
    """The schema versions of `:table` and the snapshots they began with, in order."""
    rows = scope.rows("schema_versions")
    return (
        select(rows.c.begin_snapshot, rows.c.schema_version)
        .where(rows.c.table_id == TABLE)
        .order_by(rows.c.begin_snapshot, rows.c.schema_version)
    )

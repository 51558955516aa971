"""Everything that has a life in the catalog, and the files waiting for deletion."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CompoundSelect, Select, select, union

from quacklake.catalog.statements.scope import Scope, built_once


@built_once
def tables(scope: Scope) -> Select[Any]:
    """Every version of every table."""
    rows = scope.rows("table")
    return select(
        rows.c.table_id,
        rows.c.begin_snapshot,
        rows.c.end_snapshot,
        rows.c.schema_id,
        rows.c.path,
        rows.c.path_is_relative,
    )


@built_once
def schemas(scope: Scope) -> Select[Any]:
    """Every schema there ever was."""
    rows = scope.rows("schema")
    return select(
        rows.c.schema_id,
        rows.c.begin_snapshot,
        rows.c.end_snapshot,
        rows.c.path,
        rows.c.path_is_relative,
    )


@built_once
def views(scope: Scope) -> Select[Any]:
    """Every version of every view."""
    rows = scope.rows("view")
    return select(rows.c.view_id, rows.c.begin_snapshot, rows.c.end_snapshot)


@built_once
def data_files(scope: Scope) -> Select[Any]:
    """Every data file the catalog knows."""
    rows = scope.rows("data_file")
    return select(
        rows.c.data_file_id,
        rows.c.table_id,
        rows.c.begin_snapshot,
        rows.c.end_snapshot,
        rows.c.path,
        rows.c.path_is_relative,
        rows.c.data_file_id,
    )


@built_once
def delete_files(scope: Scope) -> Select[Any]:
    """Every delete file the catalog knows."""
    rows = scope.rows("delete_file")
    return select(
        rows.c.delete_file_id,
        rows.c.table_id,
        rows.c.begin_snapshot,
        rows.c.end_snapshot,
        rows.c.path,
        rows.c.path_is_relative,
        rows.c.data_file_id,
    )


@built_once
def inlined(scope: Scope) -> CompoundSelect[Any]:
    """The inlined data tables there may be: registered ones, and those that once were."""
    now, ever = scope.rows("inlined_data_tables"), scope.rows("schema_versions")
    return union(
        select(now.c.table_id, now.c.schema_version),
        select(ever.c.table_id, ever.c.schema_version),
    )


@built_once
def scheduled(scope: Scope) -> Select[Any]:
    """The files that wait for deletion."""
    rows = scope.rows("files_scheduled_for_deletion")
    return select(rows.c.data_file_id, rows.c.path, rows.c.path_is_relative, rows.c.schedule_start)

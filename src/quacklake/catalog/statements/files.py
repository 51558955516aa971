"""The files of a table at a snapshot, and what is recorded about them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, and_, select
from sqlalchemy.sql import ColumnElement, FromClause

from quacklake.catalog.statements.pruning import kept
from quacklake.catalog.statements.scope import TABLE, Scope, built_once, visible
from quacklake.format.partition import PartitionSpec
from quacklake.format.predicate import Predicate
from quacklake.format.table import Table


def pruned_files(
    scope: Scope, table: Table, predicate: Predicate, specs: tuple[PartitionSpec, ...]
) -> Select[Any]:
    """The data files that may hold rows of `predicate`."""
    rows = scope.rows("data_file")
    return _files(scope, rows).where(kept(scope, rows, table, predicate, specs))


@built_once
def files(scope: Scope) -> Select[Any]:
    """The data files of a table, each with its delete file, in the order of ids."""
    return _files(scope, scope.rows("data_file"))


def _files(scope: Scope, rows: FromClause) -> Select[Any]:
    deletes = scope.rows("delete_file")
    deleted = and_(
        deletes.c.data_file_id == rows.c.data_file_id,
        deletes.c.table_id == TABLE,
        visible(deletes),
    )
    return (
        select(*file_columns(rows, deletes))
        .select_from(rows.outerjoin(deletes, deleted))
        .where(rows.c.table_id == TABLE, visible(rows))
        .order_by(rows.c.data_file_id)
    )


def file_columns(rows: FromClause, deletes: FromClause) -> tuple[ColumnElement[Any], ...]:
    """What makes up a data file with its delete file, in the order `data_file_of` takes it."""
    return (
        rows.c.data_file_id,
        rows.c.path,
        rows.c.path_is_relative,
        rows.c.record_count,
        rows.c.file_size_bytes,
        rows.c.begin_snapshot,
        rows.c.partial_max,
        rows.c.row_id_start,
        rows.c.footer_size,
        rows.c.partition_id,
        rows.c.mapping_id,
        rows.c.encryption_key,
        deletes.c.delete_file_id,
        deletes.c.path.label("delete_path"),
        deletes.c.path_is_relative.label("delete_path_is_relative"),
        deletes.c.format,
        deletes.c.delete_count,
        deletes.c.file_size_bytes.label("delete_size_bytes"),
        deletes.c.begin_snapshot.label("delete_begin"),
        deletes.c.partial_max.label("delete_partial_max"),
        deletes.c.encryption_key.label("delete_key"),
    )


@built_once
def partition_values(scope: Scope) -> Select[Any]:
    """The partition values of the files at a snapshot, by file and key."""
    rows, values = scope.rows("data_file"), scope.rows("file_partition_value")
    return (
        select(rows.c.data_file_id, values.c.partition_key_index, values.c.partition_value)
        .join_from(rows, values, values.c.data_file_id == rows.c.data_file_id)
        .where(rows.c.table_id == TABLE, values.c.table_id == TABLE, visible(rows))
        .order_by(rows.c.data_file_id, values.c.partition_key_index)
    )


@built_once
def file_stats(scope: Scope) -> Select[Any]:
    """The column statistics of the files at a snapshot, by file and column."""
    rows, stats = scope.rows("data_file"), scope.rows("file_column_stats")
    return (
        select(
            stats.c.data_file_id,
            stats.c.column_id,
            stats.c.column_size_bytes,
            stats.c.value_count,
            stats.c.null_count,
            stats.c.min_value,
            stats.c.max_value,
            stats.c.contains_nan,
            stats.c.extra_stats,
        )
        .join_from(rows, stats, stats.c.data_file_id == rows.c.data_file_id)
        .where(rows.c.table_id == TABLE, stats.c.table_id == TABLE, visible(rows))
        .order_by(stats.c.data_file_id, stats.c.column_id)
    )


@built_once
def table_stats(scope: Scope) -> Select[Any]:
    """The statistics of a whole table, one row per column with statistics, or one without."""
    whole, parts = scope.rows("table_stats"), scope.rows("table_column_stats")
    return (
        select(
            whole.c.record_count,
            whole.c.next_row_id,
            whole.c.file_size_bytes,
            parts.c.column_id,
            parts.c.contains_null,
            parts.c.contains_nan,
            parts.c.min_value,
            parts.c.max_value,
            parts.c.extra_stats,
        )
        .select_from(whole.outerjoin(parts, parts.c.table_id == whole.c.table_id))
        .where(whole.c.table_id == TABLE)
        .order_by(parts.c.column_id)
    )

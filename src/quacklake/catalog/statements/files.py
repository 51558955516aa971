"""The files of a table at a snapshot, and what is recorded about them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, and_, select, true
from sqlalchemy.sql import ColumnElement

from quacklake.catalog.statements.pruning import kept
from quacklake.catalog.statements.scope import Scope, visible
from quacklake.format.partition import PartitionSpec
from quacklake.format.predicate import ANYTHING, Predicate
from quacklake.format.table import Table


def files(
    scope: Scope,
    table: Table,
    at: int,
    predicate: Predicate = ANYTHING,
    specs: tuple[PartitionSpec, ...] = (),
) -> Select[Any]:
    """The data files that may hold rows of `predicate`, each with its delete file, in id order."""
    rows, deletes = scope.rows("data_file"), scope.rows("delete_file")
    deleted = and_(
        deletes.c.data_file_id == rows.c.data_file_id,
        deletes.c.table_id == table.id,
        visible(deletes, at),
    )
    wanted: ColumnElement[bool] = true()
    if predicate != ANYTHING:
        wanted = kept(scope, rows, table, predicate, specs)
    return (
        select(
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
        .select_from(rows.outerjoin(deletes, deleted))
        .where(rows.c.table_id == table.id, visible(rows, at), wanted)
        .order_by(rows.c.data_file_id)
    )


def partition_values(scope: Scope, table: int, at: int) -> Select[Any]:
    """The partition values of the files at a snapshot, by file and key."""
    rows, values = scope.rows("data_file"), scope.rows("file_partition_value")
    return (
        select(rows.c.data_file_id, values.c.partition_key_index, values.c.partition_value)
        .join_from(rows, values, values.c.data_file_id == rows.c.data_file_id)
        .where(rows.c.table_id == table, values.c.table_id == table, visible(rows, at))
        .order_by(rows.c.data_file_id, values.c.partition_key_index)
    )


def file_stats(scope: Scope, table: int, at: int) -> Select[Any]:
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
        .where(rows.c.table_id == table, stats.c.table_id == table, visible(rows, at))
        .order_by(stats.c.data_file_id, stats.c.column_id)
    )


def table_stats(scope: Scope, table: int) -> Select[Any]:
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
        .where(whole.c.table_id == table)
        .order_by(parts.c.column_id)
    )

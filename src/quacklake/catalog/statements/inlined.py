"""Rows and deletes that live in the catalog itself."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, Text, case, cast, func, literal_column, or_, select
from sqlalchemy.sql import ColumnElement, FromClause
from sqlalchemy.types import UserDefinedType

from quacklake.catalog.location import Backend
from quacklake.catalog.statements.expressions import IntervalText
from quacklake.catalog.statements.scope import AT, TABLE, Scope, built_once, visible, within
from quacklake.format.casting import carried, carried_type
from quacklake.format.sqltypes import quoted
from quacklake.format.types import Column, Kind, LakeType, Scalar

_BYTES = frozenset({Kind.VARCHAR, Kind.JSON, Kind.BLOB, Kind.GEOMETRY})


class Spelled(UserDefinedType[Any]):
    """A type of DuckDB that SQLAlchemy has no class for."""

    cache_ok = True

    def __init__(self, spelling: str) -> None:
        self.spelling = spelling

    def get_col_spec(self, **_: Any) -> str:
        """The type's name in SQL."""
        return self.spelling


@built_once
def inlined_deletes(scope: Scope, table: int) -> Select[Any]:
    """File and position of every row deleted in the catalog at a snapshot."""
    rows = scope.inlined_deletes(table)
    return (
        select(rows.c.file_id, rows.c.row_id)
        .where(rows.c.begin_snapshot <= AT)
        .order_by(rows.c.file_id, rows.c.row_id)
    )


@built_once
def newest(scope: Scope) -> Select[Any]:
    """The greatest schema version that `:table` has an inlined table for."""
    rows = scope.rows("inlined_data_tables")
    return select(func.max(rows.c.schema_version)).where(rows.c.table_id == TABLE)


@built_once
def inlined_probe(scope: Scope, name: str) -> Select[Any]:
    """One row if an inlined table has any at a snapshot."""
    rows = scope.inlined_rows(name, ())
    return select(rows.c.row_id).where(visible(rows)).limit(1)


@built_once
def inlined_ever(scope: Scope, name: str) -> Select[Any]:
    """One row if an inlined table has any, of whatever snapshot."""
    return select(scope.inlined_rows(name, ()).c.row_id).limit(1)


@built_once
def inlined_rows(scope: Scope, name: str, columns: tuple[Column, ...]) -> Select[Any]:
    """The rows of an inlined table at a snapshot, each value as its database gives it unharmed."""
    rows = scope.inlined_rows(name, tuple(column.name for column in columns))
    return _chosen(scope, rows, columns, rows.c.begin_snapshot).where(visible(rows))


def window_probe(scope: Scope, name: str) -> Select[int, int]:
    """How many rows of an inlined table came in a window of snapshots, and how many went."""
    rows = scope.inlined_rows(name, ())
    begin, end = rows.c.begin_snapshot, rows.c.end_snapshot
    return select(func.count(case((within(begin), 1))), func.count(case((within(end), 1))))


def rows_born(scope: Scope, name: str, columns: tuple[Column, ...]) -> Select[Any]:
    """The rows of an inlined table that came in a window of snapshots, each with its own."""
    rows = scope.inlined_rows(name, tuple(column.name for column in columns))
    begin, end = rows.c.begin_snapshot, rows.c.end_snapshot
    lived = or_(end.is_(None), end > begin)
    return _chosen(scope, rows, columns, begin).where(within(begin), lived)


def rows_died(scope: Scope, name: str, columns: tuple[Column, ...]) -> Select[Any]:
    """The rows of an inlined table that went in a window, each with the snapshot it went in."""
    rows = scope.inlined_rows(name, tuple(column.name for column in columns))
    begin, end = rows.c.begin_snapshot, rows.c.end_snapshot
    return _chosen(scope, rows, columns, end).where(within(end), end > begin)


def _chosen(
    scope: Scope, rows: FromClause, columns: tuple[Column, ...], snapshot: ColumnElement[int]
) -> Select[Any]:
    values = (
        _fetched(scope.backend, rows.c[column.name], column.type).label(column.name)
        for column in columns
    )
    return select(rows.c.row_id, snapshot, *values).order_by(rows.c.row_id, snapshot)


def _fetched(
    backend: Backend, value: ColumnElement[Any], lake_type: LakeType
) -> ColumnElement[Any]:
    match backend:
        case Backend.DUCKDB:
            if carried_type(lake_type) == lake_type:
                return value
            return literal_column(carried(quoted(value.key or ""), lake_type))
        case Backend.POSTGRES:
            if isinstance(lake_type, Scalar) and lake_type.kind in _BYTES:
                return value
            if lake_type == Scalar(Kind.INTERVAL):
                return IntervalText(value)
            return cast(value, Text())
        case Backend.SQLITE | Backend.MYSQL:
            return value

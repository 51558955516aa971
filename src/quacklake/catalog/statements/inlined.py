"""Rows and deletes that live in the catalog itself."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, Text, cast, select
from sqlalchemy.sql import ColumnElement
from sqlalchemy.types import UserDefinedType

from quacklake.catalog.location import Backend
from quacklake.catalog.statements.expressions import IntervalText
from quacklake.catalog.statements.scope import Scope, visible
from quacklake.catalog.textual import exported_type
from quacklake.format.sqltypes import sql_type
from quacklake.format.types import Column, Kind, LakeType, Scalar

_BYTES = frozenset({Kind.VARCHAR, Kind.JSON, Kind.BLOB, Kind.GEOMETRY})


class Spelled(UserDefinedType[Any]):
    """A type of DuckDB that SQLAlchemy has no class for."""

    cache_ok = True

    def __init__(self, spelling: str) -> None:
        self.spelling = spelling

    def get_col_spec(self, **_: Any) -> str:
        return self.spelling


def inlined_deletes(scope: Scope, table: int, at: int) -> Select[Any]:
    """File and position of every row deleted in the catalog at a snapshot."""
    rows = scope.inlined_deletes(table)
    return (
        select(rows.c.file_id, rows.c.row_id)
        .where(rows.c.begin_snapshot <= at)
        .order_by(rows.c.file_id, rows.c.row_id)
    )


def inlined_probe(scope: Scope, name: str, at: int) -> Select[Any]:
    """One row if an inlined table has any at a snapshot."""
    rows = scope.inlined_rows(name, ())
    return select(rows.c.row_id).where(visible(rows, at)).limit(1)


def inlined_rows(scope: Scope, name: str, columns: tuple[Column, ...], at: int) -> Select[Any]:
    """The rows of an inlined table at a snapshot, each value as its database gives it unharmed."""
    rows = scope.inlined_rows(name, tuple(column.name for column in columns))
    return (
        select(
            rows.c.row_id,
            rows.c.begin_snapshot,
            *(
                _fetched(scope.backend, rows.c[column.name], column.type).label(column.name)
                for column in columns
            ),
        )
        .where(visible(rows, at))
        .order_by(rows.c.row_id, rows.c.begin_snapshot)
    )


def _fetched(
    backend: Backend, value: ColumnElement[Any], lake_type: LakeType
) -> ColumnElement[Any]:
    match backend:
        case Backend.DUCKDB:
            exported = exported_type(lake_type)
            if exported == sql_type(lake_type):
                return value
            if lake_type == Scalar(Kind.VARIANT):
                value = cast(value, Spelled("JSON"))
            return cast(value, Spelled(exported))
        case Backend.POSTGRES:
            if isinstance(lake_type, Scalar) and lake_type.kind in _BYTES:
                return value
            if lake_type == Scalar(Kind.INTERVAL):
                return IntervalText(value)
            return cast(value, Text())
        case Backend.SQLITE | Backend.MYSQL:
            return value

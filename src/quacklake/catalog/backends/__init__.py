"""The four databases a catalog can live in."""

from __future__ import annotations

from typing import assert_never

from quacklake.catalog.backends.duckdb import DuckDB
from quacklake.catalog.backends.mysql import MySQL
from quacklake.catalog.backends.port import Database, Failure
from quacklake.catalog.backends.postgres import Postgres
from quacklake.catalog.backends.sqlite import SQLite
from quacklake.catalog.location import Backend

__all__ = ["Database", "Failure", "database_of"]


def database_of(backend: Backend) -> Database:
    """The adapter for a kind of database."""
    match backend:
        case Backend.DUCKDB:
            return DuckDB()
        case Backend.SQLITE:
            return SQLite()
        case Backend.POSTGRES:
            return Postgres()
        case Backend.MYSQL:
            return MySQL()
        case _:
            assert_never(backend)

"""Catalogs in a MySQL or MariaDB database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import create_engine
from sqlalchemy.engine import Connection, Engine

from quacklake.catalog.backends.port import Failure
from quacklake.catalog.location import CatalogLocation
from quacklake.kernel.errors import AccessDenied, CorruptLake, Unavailable, UsageError

_DENIED: Final = frozenset({1044, 1045, 1142, 1143, 1227, 1698})
_UNKNOWN_DATABASE: Final = 1049
_LOCK: Final = "CONCAT('quacklake.', DATABASE())"
_MISSING: Final = frozenset({1054, 1146})


class MySQL:
    """MySQL or MariaDB through pymysql; sessions are in UTC."""

    default_schema: str | None = None

    def engine(self, location: CatalogLocation, *, read_only: bool, create: bool) -> Engine:
        try:
            return create_engine(
                location.url,
                pool_pre_ping=True,
                pool_use_lifo=True,
                connect_args={
                    "init_command": "SET time_zone = '+00:00'",
                    "charset": "utf8mb4",
                },
            )
        except ModuleNotFoundError as error:
            raise UsageError(
                "MySQL catalogs need the package pymysql", hint="install quacklake[mysql]"
            ) from error

    def begin_read(self, connection: Connection) -> None:
        connection.exec_driver_sql("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")

    @contextmanager
    def creation(self, connection: Connection) -> Iterator[None]:
        # Statements that make tables commit by themselves here; the lock outlives them.
        connection.exec_driver_sql(f"SELECT GET_LOCK({_LOCK}, 60)")
        try:
            yield
            connection.commit()
        finally:
            connection.rollback()
            connection.exec_driver_sql(f"SELECT RELEASE_LOCK({_LOCK})")

    def failure(self, error: BaseException) -> Failure:
        code = error.args[0] if error.args else 0
        if code in _DENIED:
            return Failure(AccessDenied, "the database refused access to the catalog")
        if code == _UNKNOWN_DATABASE:
            return Failure(UsageError, "the database does not exist")
        if code in _MISSING:
            return Failure(
                CorruptLake,
                "the catalog lacks a table or column of the format",
                "check that nothing but DuckLake software changed it",
            )
        return Failure(Unavailable, "the catalog database cannot be reached")

"""Catalogs in a MySQL or MariaDB database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Final

from sqlalchemy import create_engine
from sqlalchemy.engine import Connection, Engine

from quacklake.catalog.backends.port import Failure
from quacklake.catalog.location import CatalogLocation
from quacklake.kernel.errors import (
    AccessDenied,
    Busy,
    CorruptLake,
    RivalCommit,
    Unavailable,
    UsageError,
)

LOCK_SECONDS: Final = 30
"""How long a statement waits for rows or tables that others hold."""
_DENIED: Final = frozenset({1044, 1045, 1142, 1143, 1227, 1290, 1698, 1792, 1836})
_FULL: Final = frozenset({1021, 1114})
_UNKNOWN_DATABASE: Final = 1049
_LOCK: Final = "CONCAT('quacklake.', DATABASE())"
_READ_ONLY: Final = "SET SESSION TRANSACTION READ ONLY"
_DUPLICATE: Final = 1062
_RETRY: Final = frozenset(
    {
        1040,  # too many connections
        1205,  # lock wait timeout
        1213,  # deadlock
        2006,  # the server has gone away
        2013,  # the connection was lost during a query
        3024,  # interrupted by a time limit of the server
    }
)
_MISSING: Final = frozenset({1054, 1146})


class MySQL:
    """MySQL or MariaDB through pymysql."""

    default_schema: str | None = None
    makes_tables_in_transactions = False

    def engine(
        self,
        location: CatalogLocation,
        *,
        read_only: bool,
        may_create: bool,  # noqa: ARG002  a server makes no files
    ) -> Engine:
        """Connections that are tried before they are lent."""
        try:
            return create_engine(
                location.url,
                pool_pre_ping=True,
                pool_use_lifo=True,
                # The writer whose turn it is must find a second connection, to make tables.
                max_overflow=-1,
                connect_args={
                    "init_command": _READ_ONLY if read_only else _patience(),
                    "charset": "utf8mb4",
                },
            )
        except ModuleNotFoundError as error:
            raise UsageError(
                "MySQL catalogs need the package pymysql", hint="install quacklake[mysql]"
            ) from error

    def begin_read(self, connection: Connection) -> None:
        """Start a transaction whose state is fixed at once and which may not write."""
        connection.exec_driver_sql("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")

    def turn(self, location: CatalogLocation) -> AbstractContextManager[object]:  # noqa: ARG002
        """The database itself makes writers wait."""
        return nullcontext()

    def begin_write(self, connection: Connection, schema: str | None) -> None:  # noqa: ARG002
        """Start a transaction that, once it has the snapshot id, reads what rivals committed."""
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
        connection.exec_driver_sql("START TRANSACTION")

    def batch(self, connection: Connection) -> AbstractContextManager[object]:  # noqa: ARG002
        """The driver waits for every answer."""
        return nullcontext()

    @contextmanager
    def creation(self, connection: Connection) -> Iterator[None]:
        """Statements that make tables commit by themselves here; the lock outlives them."""
        connection.exec_driver_sql(f"SELECT GET_LOCK({_LOCK}, 60)")
        try:
            yield
            connection.commit()
        finally:
            connection.rollback()
            connection.exec_driver_sql(f"SELECT RELEASE_LOCK({_LOCK})")

    def failure(self, error: BaseException) -> Failure:
        """Judge by the error number."""
        code = error.args[0] if error.args else 0
        if code == _DUPLICATE:
            return Failure(RivalCommit, "another writer committed first")
        if code in _RETRY:
            return Failure(Busy, "the catalog database asks to try again", "another one is writing")
        if code in _FULL:
            return Failure(Unavailable, "the catalog database has no room left")
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


def _patience() -> str:
    # By default a statement on a table would wait a day for a reader of it to end.
    return f"SET lock_wait_timeout = {LOCK_SECONDS}, innodb_lock_wait_timeout = {LOCK_SECONDS}"

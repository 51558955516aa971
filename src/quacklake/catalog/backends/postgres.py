"""Catalogs in a PostgreSQL schema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Final

from sqlalchemy import create_engine
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError

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

_CREATION_LOCK: Final = 0x71756163
"""An advisory lock number: who holds it may create a lake in this database."""

_WRITERS_LOCK: Final = 0x71756177
"""An advisory lock number: who holds it, with the schema, is the one of us that commits."""

LOCK_SECONDS: Final = 30
"""How long a writer waits for another one that has the snapshot id it wants."""
_UNIQUE_VIOLATION: Final = "23505"
_DISK_FULL: Final = "53100"
_DENIED: Final = frozenset({"42501", "25006"})
_LOST: Final = "08"
_RETRY: Final = frozenset(
    {
        "40001",  # serialization failure
        "40P01",  # deadlock
        "53300",  # too many connections
        "55006",  # object in use
        "55P03",  # lock not available
        "57014",  # cancelled, by a time limit of the server
        "57P01",  # the server shuts down
        "57P02",  # another process of the server crashed
        "57P03",  # the server starts up
        "57P05",  # idle for too long
    }
)


_REFUSALS: Final = {
    "password authentication failed": "28P01",
    "no password supplied": "28P01",
    r"pg_hba\.conf": "28000",
    'role ".*" (does not exist|is not permitted)': "28000",
    "permission denied for database": "42501",
    'database ".*" does not exist': "3D000",
}


def _refusal(error: BaseException) -> str:
    """The SQLSTATE of a refused connection, which libpq tells in words only.

    A server that speaks another language than English is merely out of reach.
    """
    words = str(error)
    return next((state for phrase, state in _REFUSALS.items() if re.search(phrase, words)), "")


class Postgres:
    """PostgreSQL through psycopg 3."""

    default_schema: str | None = "public"
    makes_tables_in_transactions = True

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
                connect_args={"application_name": "quacklake"},
                execution_options={"postgresql_readonly": read_only},
            )
        except ModuleNotFoundError as error:
            raise UsageError(
                "PostgreSQL catalogs need the package psycopg",
                hint="install quacklake[postgres]",
            ) from error

    def begin_read(self, connection: Connection) -> None:
        """Start a transaction that sees one state and may not write."""
        connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        connection.begin()

    def turn(self, location: CatalogLocation) -> AbstractContextManager[object]:  # noqa: ARG002
        """The database itself makes writers wait."""
        return nullcontext()

    def begin_write(self, connection: Connection, schema: str | None) -> None:
        """Start a transaction that reads what rivals committed; ours wait here for their turn.

        Others do not know the queue: what keeps them apart from us is the snapshot's id.
        """
        connection.execution_options(isolation_level="READ COMMITTED", postgresql_readonly=False)
        connection.begin()
        with self.batch(connection):
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {LOCK_SECONDS * 1000}")
            connection.exec_driver_sql(
                "SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (_WRITERS_LOCK, schema or "")
            )

    @contextmanager
    def batch(self, connection: Connection) -> Iterator[None]:
        """Send everything before waiting for the first answer."""
        import psycopg

        driver: Any = connection.connection.driver_connection
        try:
            with driver.pipeline() if psycopg.Pipeline.is_supported() else nullcontext():
                yield
        except psycopg.Error as error:
            raise DBAPIError(None, None, error, connection_invalidated=driver.closed) from error

    @contextmanager
    def creation(self, connection: Connection) -> Iterator[None]:
        """One creator at a time holds the advisory lock."""
        with connection.begin():
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_CREATION_LOCK})")
            yield

    def failure(self, error: BaseException) -> Failure:
        """Judge by the SQLSTATE."""
        state: Any = getattr(error, "sqlstate", None) or _refusal(error)
        if state == _UNIQUE_VIOLATION:
            return Failure(RivalCommit, "another writer committed first")
        if state in _RETRY or state.startswith(_LOST):
            return Failure(Busy, "the catalog database asks to try again", "another one is writing")
        if state == _DISK_FULL:
            return Failure(Unavailable, "the catalog database has no room left")
        if state.startswith("28") or state in _DENIED:
            return Failure(AccessDenied, "the database refused access to the catalog")
        if state == "3D000":
            return Failure(UsageError, "the database does not exist")
        if state in ("42703", "42P01"):
            return Failure(
                CorruptLake,
                "the catalog lacks a table or column of the format",
                "check that nothing but DuckLake software changed it",
            )
        return Failure(Unavailable, "the catalog database cannot be reached")

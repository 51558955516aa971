"""Catalogs in a DuckDB file: one process at a time may hold it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Final

import duckdb
from duckdb_engine import ConnectionWrapper, Dialect
from sqlalchemy import create_engine
from sqlalchemy.dialects import registry
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from quacklake.catalog.backends.files import FileKind, require_file
from quacklake.catalog.backends.port import Failure
from quacklake.catalog.location import CatalogLocation
from quacklake.catalog.statements.work import STAGED, Load
from quacklake.kernel.errors import AccessDenied, Busy, CorruptLake, RivalCommit, Unavailable

TURN_SECONDS: Final = 30.0
"""How long a writer waits for the other writers of this process."""
_TURNS: Final[dict[str, threading.Lock]] = {}


class CachingDialect(Dialect):
    """The dialect of duckdb-engine, but statements are compiled once."""

    supports_statement_cache = True


registry.register("duckdb.quacklake", __name__, CachingDialect.__name__)


class DuckDB:
    """The DuckDB in this process; connections to one file share its instance."""

    default_schema: str | None = "main"
    makes_tables_in_transactions = True

    def engine(self, location: CatalogLocation, *, read_only: bool, may_create: bool) -> Engine:
        """Connections that share one instance of the file."""
        with self.turn(location):
            path = require_file(location, FileKind.DUCKDB, may_create=may_create)
            if not os.path.exists(path):  # noqa: PTH110 - as the driver will look for it
                # Made here, so that no other thread meets a file that is half written.
                duckdb.connect(path).close()

        def connect() -> ConnectionWrapper:
            return ConnectionWrapper(duckdb.connect(path, read_only=read_only))

        url = location.url.set(drivername="duckdb+quacklake")
        return create_engine(url, creator=connect, poolclass=QueuePool)

    def begin_read(self, connection: Connection) -> None:
        """Start a transaction: DuckDB gives each a snapshot."""
        connection.begin()

    @contextmanager
    def turn(self, location: CatalogLocation) -> Iterator[None]:
        """Writers wait for each other here: DuckDB would fail the slower one at its commit."""
        lock = _TURNS.setdefault(os.path.realpath(location.path or ""), threading.Lock())
        if not lock.acquire(timeout=TURN_SECONDS):
            raise Busy(f"the catalog is locked at '{location}'", hint="another thread is writing")
        try:
            yield
        finally:
            lock.release()

    def begin_write(self, connection: Connection, schema: str | None) -> None:  # noqa: ARG002
        """Start a transaction; a rival's commit makes ours fail, at the latest at its end."""
        connection.begin()

    def batch(self, connection: Connection) -> AbstractContextManager[object]:  # noqa: ARG002
        """Statements run in this process, one after the other."""
        return nullcontext()

    def creation(self, connection: Connection) -> AbstractContextManager[object]:
        """Two transactions that make the same table conflict: the later one fails."""
        return connection.begin()

    def failure(self, error: BaseException) -> Failure:
        """Judge by the class: DuckDB's errors carry no code."""
        match error:
            case duckdb.ConstraintException() | duckdb.TransactionException():
                return Failure(RivalCommit, "another writer committed first")
            case duckdb.PermissionException():
                return Failure(AccessDenied, "the catalog file may not be read or written")
            case duckdb.CatalogException() | duckdb.BinderException():
                return Failure(
                    CorruptLake,
                    "the catalog lacks a table or column of the format",
                    "check that nothing but DuckLake software changed it",
                )
            case duckdb.IOException() | duckdb.ConnectionException():
                return Failure(
                    Unavailable,
                    "the catalog file cannot be opened",
                    "one process, and one DuckDB in it, may hold the file: close the other one, "
                    "or use a SQLite or PostgreSQL catalog",
                )
            case _:
                return Failure(Unavailable, "the catalog database failed")


def load(connection: Connection, work: Load) -> None:
    """Run a statement that reads an Arrow table."""
    session: Any = connection.connection.driver_connection
    session.register(STAGED, work.rows)
    try:
        session.execute(work.sql)
    except duckdb.Error as error:
        raise DBAPIError(None, None, error) from error
    finally:
        session.unregister(STAGED)

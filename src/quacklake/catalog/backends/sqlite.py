"""Catalogs in a SQLite file: many processes may hold it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import quote

from sqlalchemy import create_engine
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.pool import QueuePool

from quacklake.catalog.backends.files import FileKind, require_file
from quacklake.catalog.backends.port import Failure
from quacklake.catalog.location import CatalogLocation
from quacklake.catalog.statements.expressions import INSTANT_FUNCTION
from quacklake.kernel.errors import (
    AccessDenied,
    Busy,
    CorruptLake,
    RivalCommit,
    Unavailable,
    UsageError,
)

BUSY_SECONDS: Final = 30.0
"""How long a statement waits for another process to release the file."""

_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DENIED: Final = frozenset({sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_AUTH})
_PRIMARY: Final = 0xFF
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class SQLite:
    """SQLite through the standard library."""

    default_schema: str | None = None
    makes_tables_in_transactions = True

    def engine(self, location: CatalogLocation, *, read_only: bool, may_create: bool) -> Engine:
        """Connections that wait for locks and read textual timestamps."""
        path = require_file(location, FileKind.SQLITE, may_create=may_create)
        mode = "ro" if read_only else "rwc" if may_create else "rw"
        address = f"file:{quote(str(Path(path).absolute()))}?mode={mode}"

        def connect() -> sqlite3.Connection:
            # Without an isolation level the module leaves BEGIN and COMMIT to us.
            connection = sqlite3.connect(
                address,
                uri=True,
                timeout=BUSY_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
            connection.create_function(INSTANT_FUNCTION, 1, micros_of, deterministic=True)
            return connection

        return create_engine(location.url, creator=connect, poolclass=QueuePool)

    def begin_read(self, connection: Connection) -> None:
        """Start a transaction: the first question fixes what it sees."""
        connection.exec_driver_sql("BEGIN")

    def turn(self, location: CatalogLocation) -> AbstractContextManager[object]:  # noqa: ARG002
        """The database itself makes writers wait."""
        return nullcontext()

    def begin_write(self, connection: Connection, schema: str | None) -> None:  # noqa: ARG002
        """Wait for the write lock of the file: one writer at a time."""
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    def batch(self, connection: Connection) -> AbstractContextManager[object]:  # noqa: ARG002
        """Statements run in this process, one after the other."""
        return nullcontext()

    @contextmanager
    def creation(self, connection: Connection) -> Iterator[None]:
        """Take the write lock before looking."""
        with connection.begin():
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield

    def failure(self, error: BaseException) -> Failure:
        """Judge by the result code."""
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY
        if code in _BUSY:
            return Failure(Busy, "the catalog is locked", "another process is writing")
        if code == sqlite3.SQLITE_CONSTRAINT:
            return Failure(RivalCommit, "another writer committed first")
        if code == sqlite3.SQLITE_FULL:
            return Failure(Unavailable, "there is no room left for the catalog file")
        if code in _DENIED:
            return Failure(AccessDenied, "the catalog file may not be written")
        if code == sqlite3.SQLITE_NOTADB:
            return Failure(UsageError, "the file is not a DuckLake", "it is no SQLite database")
        if code == sqlite3.SQLITE_CORRUPT:
            return Failure(CorruptLake, "the catalog file is damaged")
        if code == sqlite3.SQLITE_ERROR:
            return Failure(
                CorruptLake,
                "the catalog lacks a table or column of the format",
                "check that nothing but DuckLake software changed it",
            )
        return Failure(Unavailable, "the catalog file cannot be used")


def micros_of(text: object) -> int | None:
    """Microseconds since 1970 of a timestamp as any DuckLake writer spells it."""
    if not isinstance(text, str):
        return None
    spelled = text.strip().replace(" ", "T", 1)
    try:
        instant = datetime.fromisoformat(spelled)
    except ValueError:
        return None
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=UTC)
    since = instant - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds

"""Catalogs in a DuckDB file: one process at a time may hold it."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager

import duckdb
from duckdb_engine import ConnectionWrapper
from sqlalchemy import create_engine
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.pool import QueuePool

from quacklake.catalog.backends.files import FileKind, require_file
from quacklake.catalog.backends.port import Failure
from quacklake.catalog.location import CatalogLocation
from quacklake.kernel.errors import AccessDenied, CorruptLake, Unavailable


class DuckDB:
    """The DuckDB in this process; connections to one file share its instance."""

    default_schema: str | None = "main"

    def engine(self, location: CatalogLocation, *, read_only: bool, create: bool) -> Engine:
        path = require_file(location, FileKind.DUCKDB, may_create=create and not read_only)

        def connect() -> ConnectionWrapper:
            return ConnectionWrapper(duckdb.connect(path, read_only=read_only))

        return create_engine(location.url, creator=connect, poolclass=QueuePool)

    def begin_read(self, connection: Connection) -> None:
        connection.begin()

    def creation(self, connection: Connection) -> AbstractContextManager[object]:
        # Two transactions that make the same table conflict: the later one fails.
        return connection.begin()

    def failure(self, error: BaseException) -> Failure:
        match error:
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
                    f"a DuckDB file can be open in one process and one instance: close the other "
                    f"holder, or use a SQLite or PostgreSQL catalog (this is process {os.getpid()})",
                )
            case _:
                return Failure(Unavailable, "the catalog database failed")

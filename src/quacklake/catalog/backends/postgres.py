"""Catalogs in a PostgreSQL schema."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import create_engine
from sqlalchemy.engine import Connection, Engine

from quacklake.catalog.backends.port import Failure
from quacklake.catalog.location import CatalogLocation
from quacklake.kernel.errors import AccessDenied, CorruptLake, Unavailable, UsageError

_CREATION_LOCK: Final = 0x71756163
"""An advisory lock number: who holds it may create a lake in this database."""


class Postgres:
    """PostgreSQL through psycopg 3."""

    default_schema: str | None = "public"

    def engine(self, location: CatalogLocation, *, read_only: bool, create: bool) -> Engine:
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
        connection.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
        connection.begin()

    @contextmanager
    def creation(self, connection: Connection) -> Iterator[None]:
        with connection.begin():
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_CREATION_LOCK})")
            yield

    def failure(self, error: BaseException) -> Failure:
        state: Any = getattr(error, "sqlstate", None) or ""
        if state.startswith("28") or state == "42501":
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

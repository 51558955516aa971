"""Statements put to one connection, and what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.engine import Connection
from sqlalchemy.sql import Executable

from quacklake.catalog.backends import Database
from quacklake.catalog.failures import translated
from quacklake.catalog.listing import ColumnarRows
from quacklake.catalog.location import Backend, CatalogLocation
from quacklake.catalog.statements.scope import Scope


class Asking:
    """A connection with a transaction of its own; for one thread at a time."""

    def __init__(
        self, connection: Connection, database: Database, location: CatalogLocation, scope: Scope
    ) -> None:
        self._connection = connection
        self._database = database
        self._location = location
        self._scope = scope

    def _all(self, statement: Executable, **parameters: Any) -> Sequence[Any]:
        with translated(self._database, self._location):
            return self._connection.execute(statement, parameters).all()

    def _raw(self, statement: Executable, **parameters: Any) -> Sequence[Any]:
        """All rows as the driver gives them, which for many is quicker than rows with names."""
        with translated(self._database, self._location):
            result = self._connection.execute(statement, parameters)
            try:
                return result.cursor.fetchall()
            finally:
                result.close()

    def _many(self, statement: Executable, **parameters: Any) -> Sequence[Sequence[Any]]:
        """Very many rows, of which perhaps few are looked at."""
        if self._scope.backend is not Backend.DUCKDB:
            return self._raw(statement, **parameters)
        with translated(self._database, self._location):
            result = self._connection.execute(statement, parameters)
            try:
                return ColumnarRows(result.cursor.to_arrow_table())
            finally:
                result.close()

"""The local engine."""

from __future__ import annotations

from quacklake.client.session import Session
from quacklake.client.ports import Result
from quacklake.kernel.errors import Unsupported


class LocalEngine:
    """Runs queries with DuckDB in this process."""

    def query(self, session: Session, sql: str) -> Result:
        """The result of `sql`."""
        raise Unsupported("sql")

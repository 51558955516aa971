"""The local engine: a query is planned in one view of the catalog, then DuckDB runs it."""

from __future__ import annotations

from quacklake.client.ports import Result
from quacklake.client.session import Session


class LocalEngine:
    """Runs queries with DuckDB in this process."""

    def query(self, session: Session, sql: str) -> Result:
        """The result of `sql`, checked and planned; rows are read when the result is used.

        A statement that changes the lake is carried out at once; its result is one row that
        tells what it did.
        """
        # Imported here: what DuckDB needs of Arrow brings pandas along where it is installed.
        from quacklake.client.told import told
        from quacklake.engine.local.editing import carried_out
        from quacklake.engine.local.result import QueryResult
        from quacklake.sql.editing import edit_of
        from quacklake.sql.planning import plan_query

        edit = edit_of(sql)
        if edit is not None:
            report = carried_out(session, edit, lambda query: self.query(session, query).to_arrow())
            return told(report)
        with session.reading() as reader:
            plan = plan_query(reader, sql)
        return QueryResult(session, plan)

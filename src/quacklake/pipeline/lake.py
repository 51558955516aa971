"""A lake with its stream tables."""

from __future__ import annotations

from collections.abc import Sequence

from quacklake.client.lake import Lake
from quacklake.client.ports import Engines, Result
from quacklake.client.references import DEFAULT_SCHEMA, table_name
from quacklake.client.session import Session
from quacklake.pipeline.declaring import Wanted, declare
from quacklake.pipeline.definition import Settings, checked_settings
from quacklake.pipeline.explaining import Validation, validate
from quacklake.pipeline.ports import ProgramEngines
from quacklake.pipeline.registry import definition_called, definitions
from quacklake.pipeline.reports import RefreshReport
from quacklake.pipeline.running import refresh
from quacklake.pipeline.statements import carried_out
from quacklake.pipeline.table import StreamTable
from quacklake.sql.sentence import one_query
from quacklake.sql.streams import stream_statement


class StreamingLake(Lake):
    """An open DuckLake whose queries can be kept as tables."""

    def __init__(
        self,
        session: Session,
        engines: Engines,
        programs: ProgramEngines,
        *,
        label: str,
        engine: str,
    ) -> None:
        super().__init__(session, engines, label=label)
        self._programs = programs
        self._engine = engine

    def create_stream_table(
        self,
        name: str,
        query: str,
        *,
        schedule: str | None = None,
        mode: str = "auto",
        compaction_policy: str = "fallback",
        engine: str | None = None,
        replace: bool = False,
        if_not_exists: bool = False,
    ) -> StreamTable:
        """Keep the result of a query, in Spark's SQL, as a table; it is filled at once.

        Args:
            name: The table to make, `name` or `schema.name`.
            query: A SELECT over tables and stream tables of the lake.
            schedule: How often it is to be refreshed, such as "1m".
            mode: "incremental", "full", or "auto", which chooses at every refresh.
            compaction_policy: What happens when changes since the last refresh have expired:
                "fallback" computes anew, "error" refuses.
            engine: "spark" or "local"; it also makes the refreshes.
            replace: Put it in the place of a stream table of that name, in one commit; one that
                computes the same is kept, with these settings.
            if_not_exists: Leave a stream table of that name as it is.
        """
        wanted = table_name(name)
        given = {
            "schedule": schedule,
            "mode": mode,
            "compaction_policy": compaction_policy,
            "engine": engine or self._engine,
        }
        settings = checked_settings(Settings(), given)
        made = Wanted(wanted, one_query(query), settings, replace, if_not_exists)
        report = declare(self._session, self._programs, made)
        return StreamTable(self._session, self._programs, wanted, made=report)

    def stream_table(self, name: str) -> StreamTable:
        """The stream table called `name`; it is an error if there is none."""
        wanted = table_name(name)
        with self._session.reading() as reader:
            definition_called(reader, wanted)
        return StreamTable(self._session, self._programs, wanted)

    def stream_tables(self) -> tuple[StreamTable, ...]:
        """The stream tables of the lake, in the order in which they were made."""
        with self._session.reading() as reader:
            found = definitions(reader)
        return tuple(StreamTable(self._session, self._programs, each.name) for each in found)

    def refresh(
        self,
        names: str | StreamTable | Sequence[str | StreamTable] | None = None,
        *,
        mode: str | None = None,
    ) -> tuple[RefreshReport, ...]:
        """Refresh several stream tables, or all, in one snapshot: each sees the others fresh.

        `mode` is "auto", "incremental" or "full"; without it, each has the one it was declared
        with.
        """
        how = None if mode is None else checked_settings(Settings(), {"mode": mode}).mode
        if names is None:
            chosen: Sequence[str | StreamTable] = self.stream_tables()
        else:
            chosen = [names] if isinstance(names, str | StreamTable) else names
        wanted = [
            table_name(each) if isinstance(each, str) else table_name(each.name) for each in chosen
        ]
        return refresh(self._session, self._programs, wanted, how) if wanted else ()

    def validate(self, query: str) -> Validation:
        """Whether a query can be kept incrementally, and if not, why; nothing is made."""
        return validate(self._session, one_query(query), DEFAULT_SCHEMA)

    def sql(self, query: str, *, engine: str | None = None) -> Result:
        """The result of a query over the lake's tables and views, or of a statement.

        `engine` is "local", DuckDB in this process and its SQL, or "spark" and its SQL; without
        it, the engine that the lake was opened with. Statements about stream tables are the same
        for both, and their queries are Spark's SQL.
        """
        statement = stream_statement(query)
        if statement is None:
            return super().sql(query, engine=engine)
        chosen = engine or self._engine
        return carried_out(self._session, self._programs, statement, engine=chosen)

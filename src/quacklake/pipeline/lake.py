"""A lake with its stream tables."""

from __future__ import annotations

from collections.abc import Sequence

from quacklake.client.lake import Lake
from quacklake.client.ports import Engines
from quacklake.client.references import DEFAULT_SCHEMA, table_name
from quacklake.client.session import Session
from quacklake.kernel.errors import UsageError
from quacklake.pipeline.declaring import declare, drop
from quacklake.pipeline.definition import Settings, checked_settings
from quacklake.pipeline.explaining import Validation, validate
from quacklake.pipeline.ports import ProgramEngines
from quacklake.pipeline.registry import definition_called, definitions
from quacklake.pipeline.reports import RefreshReport
from quacklake.pipeline.running import refresh
from quacklake.pipeline.table import StreamTable


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
            replace: Put it in the place of a stream table of that name with another query.
        """
        wanted = table_name(name)
        given = {"schedule": schedule, "mode": mode, "compaction_policy": compaction_policy}
        chosen = engine or self._engine
        settings = checked_settings(Settings(engine=chosen), given)
        if replace and any(each.name == str(wanted) for each in self.stream_tables()):
            drop(self._session, wanted)
        declare(self._session, wanted, query, settings, self._programs(chosen))
        return StreamTable(self._session, self._programs, wanted)

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
        self, names: str | StreamTable | Sequence[str | StreamTable] | None = None
    ) -> tuple[RefreshReport, ...]:
        """Refresh several stream tables, or all, in one snapshot: each sees the others fresh."""
        if names is None:
            chosen: Sequence[str | StreamTable] = self.stream_tables()
        else:
            chosen = [names] if isinstance(names, str | StreamTable) else names
        wanted = [
            table_name(each) if isinstance(each, str) else table_name(each.name) for each in chosen
        ]
        return refresh(self._session, self._programs, wanted) if wanted else ()

    def validate(self, query: str) -> Validation:
        """Whether a query can be kept incrementally, and if not, why; nothing is made."""
        if not query.strip():
            raise UsageError("the query is empty")
        return validate(self._session, query, DEFAULT_SCHEMA)

"""A stream table as a user holds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from quacklake.client.changes import Changes
from quacklake.client.scan import Scan
from quacklake.client.session import Session
from quacklake.client.table import TableHandle
from quacklake.format.table import TableName
from quacklake.pipeline.altering import alter
from quacklake.pipeline.definition import Definition, checked_settings
from quacklake.pipeline.dropping import drop
from quacklake.pipeline.explaining import Explanation, explain
from quacklake.pipeline.frontier import shown
from quacklake.pipeline.ports import ProgramEngines
from quacklake.pipeline.refreshing import Refreshing
from quacklake.pipeline.registry import definition_called
from quacklake.pipeline.reports import PastRefresh, RefreshReport, past_refresh
from quacklake.pipeline.running import refresh, rewind
from quacklake.pipeline.sources import compiled
from quacklake.pipeline.verifying import Verification, verify

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


class StreamTable:
    """A query whose result is a table of the lake, refreshed by what changed."""

    def __init__(
        self,
        session: Session,
        engines: ProgramEngines,
        name: TableName,
        *,
        made: RefreshReport | None = None,
    ) -> None:
        """A handle; `made` is what creating it did, if it was just created."""
        self._session = session
        self._engines = engines
        self._name = name
        self.made = made

    @property
    def name(self) -> str:
        """The name of the result, with its schema."""
        return str(self._name)

    @property
    def definition(self) -> Definition:
        """The stream table as the catalog has it now."""
        with self._session.reading() as reader:
            return definition_called(reader, self._name)

    @property
    def query(self) -> str:
        """The query as it was declared."""
        return self.definition.query

    @property
    def frontier(self) -> dict[str, Any]:
        """How far each source was read at the last refresh."""
        return shown(self.definition.frontier)

    @property
    def table(self) -> TableHandle:
        """The result, an ordinary table of the lake."""
        return TableHandle(self._session, self._name)

    def refresh(self, *, mode: str | None = None) -> RefreshReport:
        """Bring the result up to the newest snapshot; the report says how, why, and what it read.

        `mode` is "auto", "incremental" or "full"; without it, the one that was declared.
        """
        chosen = (
            None
            if mode is None
            else checked_settings(self.definition.settings, {"mode": mode}).mode
        )
        return refresh(self._session, self._engines, [self._name], chosen)[0]

    def explain(self) -> Explanation:
        """How the result is kept, and what the next refresh would do; nothing is changed."""
        return explain(self._session, self._engines, self._name)

    def verify(self) -> Verification:
        """Compute the query anew where the frontier stands, and compare row by row."""
        return verify(self._session, self._engines, self._name)

    def lineage(self) -> dict[str, list[str]]:
        """For each column of the result the columns it is computed from."""
        definition = self.definition
        run = Refreshing(self._session, self._engines, commits=False)
        tables = run.tables(definition)
        view = compiled(definition.query, tables, definition.settings.columns)
        return {
            name: sorted(f"{tables[source].name}.{column}" for source, column in origins)
            for name, origins in view.lineage().items()
        }

    def history(self) -> tuple[PastRefresh, ...]:
        """The refreshes that had something to do, newest first."""
        with self._session.reading() as reader:
            definition = definition_called(reader, self._name)
            rows = reader.refresh_rows(definition.table_id)
        return tuple(past_refresh(row, definition.name) for row in rows)

    def alter(self, **settings: object) -> None:
        """Change `schedule`, `mode` or `compaction_policy`."""
        alter(self._session, self._name, settings)

    def rewind(self, *, snapshot: int) -> RefreshReport:
        """Put the result back to what it was of its sources at `snapshot`; refresh() goes on."""
        return rewind(self._session, self._engines, self._name, snapshot)

    def drop(self, *, cascade: bool = False) -> tuple[str, ...]:
        """Drop the result and what belongs to it; with `cascade` stream tables that read it too.

        The names of what was dropped are told.
        """
        return tuple(str(each) for each in drop(self._session, self._name, cascade=cascade))

    def scan(self, columns: Sequence[str] | None = None, **options: Any) -> Scan:
        """Some columns and rows of the result, as of any table."""
        return self.table.scan(columns, **options)

    def changes(self, since: Any = None, until: Any = None) -> Changes:
        """The rows of the result that came and went, as of any table."""
        return self.table.changes(since, until)

    def to_arrow(self) -> pa.Table:
        """The result as one Arrow table."""
        return self.table.to_arrow()

    def to_pandas(self) -> pd.DataFrame:
        """The result as a pandas DataFrame."""
        return self.table.to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """The result as a Polars DataFrame."""
        return self.table.to_polars()

    def __repr__(self) -> str:
        return f"<StreamTable {self._name}>"

"""A table as a user holds it: a name in a lake, looked up anew at every use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.client.altering import ChangesDefinition
from quacklake.client.autocommit import WriteReport, autocommit, reported
from quacklake.client.changes import Changes, change_request
from quacklake.client.inspection import (
    FileInfo,
    SnapshotInfo,
    TableInfo,
    TableStats,
    commits_touching,
    file_info,
    partition_texts,
    table_info,
)
from quacklake.client.references import snapshot_ref
from quacklake.client.rows import ChangesRows
from quacklake.client.scan import Scan
from quacklake.client.session import Session
from quacklake.client.statistics import table_stats
from quacklake.client.workspace import Workspace
from quacklake.client.writing.affected import Affected
from quacklake.format.arrow import arrow_schema
from quacklake.format.snapshot import Latest
from quacklake.format.table import Table, TableName
from quacklake.kernel.errors import UsageError
from quacklake.scan.plan import Request

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl


class TableHandle(ChangesRows, ChangesDefinition):
    """A table of a lake, or, `within` an open transaction, as that one sees it."""

    def __init__(
        self, session: Session, name: TableName, *, within: Workspace | None = None
    ) -> None:
        self._session = session
        self._name = name
        self._within = within

    def _run(
        self, operate: Callable[[Workspace], Affected], *, repeatable: bool = True
    ) -> WriteReport:
        if self._within is not None:
            return reported(operate(self._within), None)
        return autocommit(self._session, operate, repeatable=repeatable, table=self._name)

    @property
    def name(self) -> str:
        """The table's name with its schema."""
        return str(self._name)

    def described(self) -> Table:
        """The table as the newest snapshot, or the open transaction, has it."""
        if self._within is not None:
            return self._within.drafted(self._name).table
        with self._session.reading() as reader:
            return reader.table(self._name, reader.snapshot(Latest()))

    @property
    def info(self) -> TableInfo:
        """Columns with their lake types, partitioning and comment."""
        return table_info(self.described())

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the table's rows."""
        return arrow_schema(self.described().columns)

    @property
    def partitions(self) -> tuple[str, ...]:
        """The keys that new files are split by, such as `day(ts)`."""
        table = self.described()
        return partition_texts(table, table.partition)

    def scan(
        self,
        columns: Sequence[str] | None = None,
        *,
        filter: str | pc.Expression | None = None,  # noqa: A002 - the word users know
        snapshot: int | None = None,
        timestamp: datetime | str | None = None,
    ) -> Scan:
        """Some columns and rows, at the newest snapshot or an earlier one.

        `filter` is a SQL condition or a pyarrow expression. `columns` may name the virtual
        columns `rowid` and `snapshot_id`.
        """
        names = None if columns is None else tuple(columns)
        at = snapshot_ref(snapshot, timestamp)
        request = Request(self._name, at, names, filter)
        if self._within is None:
            return Scan(self._session, request)
        if at != Latest():
            raise UsageError("a transaction reads the snapshot it began from, and no other")
        return Scan(self._within, request)

    def changes(
        self,
        since: int | datetime | str | None = None,
        until: int | datetime | str | None = None,
        *,
        columns: Sequence[str] | None = None,
    ) -> Changes:
        """The rows that came and went after `since`, up to and including `until`.

        Both are snapshots or timestamps. Without `since` the changes begin with the table's
        first row, without `until` they go on to the newest snapshot. Rows are shown with the
        columns the table has at `until`.
        """
        return Changes(self._session, change_request(self._name, since, until, columns))

    def to_arrow(self) -> pa.Table:
        """All rows as one Arrow table."""
        return self.scan().to_arrow()

    def to_pandas(self) -> pd.DataFrame:
        """All rows as a pandas DataFrame."""
        return self.scan().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """All rows as a Polars DataFrame."""
        return self.scan().to_polars()

    def to_duckdb(self, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        """All rows as a relation of `connection`."""
        return self.scan().to_duckdb(connection)

    def files(self, *, snapshot: int | None = None) -> tuple[FileInfo, ...]:
        """The data files that make up the table."""
        with self._session.reading() as reader:
            at = reader.snapshot(snapshot_ref(snapshot, None))
            table = reader.table(self._name, at)
            inlined = reader.inlined_deletes(table, at)
            files = reader.files(table, at)
            return tuple(file_info(file, len(inlined.get(file.id, ()))) for file in files)

    def stats(self) -> TableStats:
        """Rows, files, bytes, and the range of every column, from the catalog alone."""
        return self._session.asked(lambda reader: table_stats(reader, self._name))

    def history(self) -> tuple[SnapshotInfo, ...]:
        """The readable snapshots that changed the table, oldest first."""
        with self._session.reading() as reader:
            table = reader.table(self._name, reader.snapshot(Latest()))
            return commits_touching(reader.commits(), table)

    def __repr__(self) -> str:
        return f"<Table {self._name}>"

"""A lake as a user holds it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from types import TracebackType
from typing import Self

from quacklake.client.autocommit import WriteReport, autocommit
from quacklake.client.definitions import MakesEntries
from quacklake.client.inspection import (
    OptionInfo,
    SnapshotInfo,
    TableInfo,
    option_info,
    snapshot_info,
    table_info,
)
from quacklake.client.maintaining import Maintains
from quacklake.client.ports import Engines, Result
from quacklake.client.references import snapshot_ref, table_name
from quacklake.client.session import Session
from quacklake.client.settings import set_option
from quacklake.client.table import TableHandle
from quacklake.client.transaction import Transaction
from quacklake.client.workspace import Workspace
from quacklake.client.writing.affected import Affected
from quacklake.format.table import TableName, View
from quacklake.transaction.commit import RetryPolicy
from quacklake.transaction.lowering.commit import CommitInfo


class Lake(MakesEntries, Maintains):
    """An open DuckLake. Safe to share between threads; close it, or use it in a `with`."""

    def __init__(self, session: Session, engines: Engines, *, label: str) -> None:
        self._session = session
        self._engines = engines
        self._label = label

    @property
    def data_path(self) -> str:
        """The location below which the lake keeps its files."""
        return self._session.catalog.data_path

    @property
    def session(self) -> Session:
        """The open catalog and the storage, for tools that look closer than a lake shows."""
        return self._session

    @property
    def label(self) -> str:
        """The address of the catalog, without secrets."""
        return self._label

    def table(
        self,
        name: str,
        *,
        snapshot: int | None = None,
        timestamp: datetime | str | None = None,
    ) -> TableHandle:
        """The table called `name` or `schema.name`.

        It is an error if there is none at the newest snapshot; to reach one that was dropped,
        name a snapshot that has it, here and in the scan.
        """
        wanted = table_name(name)
        with self._session.reading() as reader:
            reader.require_table(wanted, reader.snapshot(snapshot_ref(snapshot, timestamp)))
        return TableHandle(self._session, wanted)

    def transaction(
        self,
        *,
        author: str | None = None,
        message: str | None = None,
        extra_info: str | None = None,
    ) -> Transaction:
        """Several changes as one, over any number of tables; use it in a `with` block."""
        return Transaction(self._session, CommitInfo(author, message, extra_info), RetryPolicy())

    def _run(
        self, operate: Callable[[Workspace], Affected], *, repeatable: bool = True
    ) -> WriteReport:
        return autocommit(self._session, operate, repeatable=repeatable)

    def _handle(self, name: TableName) -> TableHandle:
        return TableHandle(self._session, name)

    def schemas(self, *, snapshot: int | None = None) -> tuple[str, ...]:
        """The names of the schemas."""
        with self._session.reading() as reader:
            at = reader.snapshot(snapshot_ref(snapshot, None))
            return tuple(schema.name for schema in reader.schemas(at))

    def tables(
        self, schema: str | None = None, *, snapshot: int | None = None
    ) -> tuple[TableInfo, ...]:
        """The tables of the lake, or of one schema."""
        with self._session.reading() as reader:
            at = reader.snapshot(snapshot_ref(snapshot, None))
            return tuple(table_info(table) for table in reader.tables(at, schema))

    def views(self, *, snapshot: int | None = None) -> tuple[View, ...]:
        """The stored queries of the lake."""
        with self._session.reading() as reader:
            return reader.views(reader.snapshot(snapshot_ref(snapshot, None)))

    def snapshots(self) -> tuple[SnapshotInfo, ...]:
        """Every readable snapshot, oldest first, with what its commit did."""
        with self._session.reading() as reader:
            return tuple(snapshot_info(commit) for commit in reader.commits())

    def snapshot_at(self, timestamp: datetime | str) -> int:
        """The id of the newest snapshot at or before `timestamp`."""
        with self._session.reading() as reader:
            return int(reader.snapshot(snapshot_ref(None, timestamp)).id)

    def options(self) -> tuple[OptionInfo, ...]:
        """The options that are set, with their scopes."""
        with self._session.reading() as reader:
            return tuple(option_info(option) for option in reader.options())

    def set_option(
        self, name: str, value: object, *, schema: str | None = None, table: str | None = None
    ) -> None:
        """Set an option of the lake, of a schema or of a table; it holds from now on."""
        set_option(self._session, name, value, schema=schema, table=table)

    def sql(self, query: str, *, engine: str | None = None) -> Result:
        """The result of a query over the lake's tables and views, or of a statement.

        `engine` is "local", DuckDB in this process and its SQL, or "spark" and its SQL; without
        it, the engine that the lake was opened with.
        """
        return self._engines(engine).query(self._session, query)

    def close(self) -> None:
        """Let go of the catalog's connections."""
        self._session.catalog.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Lake {self._label}>"

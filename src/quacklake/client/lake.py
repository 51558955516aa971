"""A lake as a user holds it."""

from __future__ import annotations

from datetime import datetime
from types import TracebackType
from typing import Self

from quacklake.catalog.connection import Catalog
from quacklake.client.inspection import (
    OptionInfo,
    SnapshotInfo,
    TableInfo,
    option_info,
    snapshot_info,
    table_info,
)
from quacklake.client.ports import QueryEngine, Result
from quacklake.client.references import snapshot_ref, table_name
from quacklake.client.session import Session
from quacklake.client.table import TableHandle
from quacklake.format.table import View
from quacklake.storage.filesystem import Storage


class Lake:
    """An open DuckLake. Safe to share between threads; close it, or use it in a `with`."""

    def __init__(
        self, catalog: Catalog, storage: Storage, engine: QueryEngine, *, label: str
    ) -> None:
        self._session = Session(catalog, storage)
        self._engine = engine
        self._label = label

    @property
    def data_path(self) -> str:
        """The location below which the lake keeps its files."""
        return self._session.catalog.data_path

    def table(self, name: str) -> TableHandle:
        """The table called `name` or `schema.name`; an error if the newest snapshot has none."""
        handle = TableHandle(self._session, table_name(name))
        handle.described()
        return handle

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

    def sql(self, query: str) -> Result:
        """The result of a query over the lake's tables, views and macros."""
        return self._engine.query(self._session, query)

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

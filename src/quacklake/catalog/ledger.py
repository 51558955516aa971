"""What the catalog knows of stream tables, as it is stored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from quacklake.catalog.describing import Describing
from quacklake.catalog.mutations import CreateOwn, Delete, Insert, Mutation, Swap
from quacklake.catalog.statements import ledger
from quacklake.format.snapshot import Latest
from quacklake.kernel.ids import TableId

KEPT_OPTION: Final = "quacklake_stream_table"
"""The option of a table whose rows only a refresh may change."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class StreamRow:
    """A stream table: the id of its result, and texts that the pipeline reads and writes.

    Every change of the row raises `generation` and has a `token` of its own.
    """

    table_id: TableId
    query: str
    settings: str
    states: str
    frontier: str
    generation: int
    token: str

    def snapshots(self) -> Iterator[int]:
        """The snapshots of lake tables that the frontier names."""
        for position in json.loads(self.frontier).values():
            if "snapshot_id" in position:
                yield int(position["snapshot_id"])


@dataclass(frozen=True, slots=True)
class RefreshRow:
    """One refresh that changed a stream table, or its frontier."""

    table_id: TableId
    generation: int
    snapshot_id: int | None
    finished: datetime
    mode: str
    reason: str
    frontier: str
    rows_in: int
    rows_out: int
    rows_read: int
    bytes_read: int
    files_read: int
    duration_ms: int


class LedgerReading(Describing):
    """Questions about stream tables."""

    def stream_rows(self) -> tuple[StreamRow, ...]:
        """Every stream table, also those whose result was dropped by others."""
        if not self._all(ledger.is_kept(self._scope)):
            return ()
        return tuple(StreamRow(*row) for row in self._all(ledger.stream_tables(self._scope)))

    def needed_snapshots(self) -> frozenset[int]:
        """Where stream tables stand: from there the changes of their sources are read."""
        rows = self.stream_rows()
        if not rows:
            return frozenset()
        tables = {int(table.id) for table in self.tables(self.snapshot(Latest()))}
        kept = (row for row in rows if int(row.table_id) in tables)
        return frozenset(snapshot for row in kept for snapshot in row.snapshots())

    def refresh_rows(self, table: TableId) -> tuple[RefreshRow, ...]:
        """The refreshes of a stream table, newest first."""
        if not self._all(ledger.is_kept(self._scope)):
            return ()
        found = self._all(ledger.refreshes(self._scope), table=table)
        return tuple(_refresh(*row) for row in found)


def _refresh(
    table: int, generation: int, snapshot: int | None, micros: int, *rest: Any
) -> RefreshRow:
    finished = _EPOCH + timedelta(microseconds=micros)
    return RefreshRow(TableId(table), generation, snapshot, finished, *rest)


def opened(row: StreamRow, states: tuple[int, ...]) -> Iterator[Mutation]:
    """The mutations that enter a stream table; `states` are the tables of its state."""
    yield CreateOwn()
    yield Insert(ledger.STREAM_TABLE, (astuple(row),))
    marks = tuple((KEPT_OPTION, "true", "table", table) for table in (row.table_id, *states))
    yield Insert("metadata", marks)


def moved(row: StreamRow, since: int) -> Mutation:
    """The mutation that puts `row` in the place of generation `since`, or is a conflict."""
    where = (("table_id", row.table_id), ("generation", since))
    texts = (("query", row.query), ("settings", row.settings), ("states", row.states))
    place = (("frontier", row.frontier), ("generation", row.generation), ("token", row.token))
    return Swap(ledger.STREAM_TABLE, where, (*texts, *place))


def recorded(row: RefreshRow) -> Mutation:
    """The mutation that remembers a refresh."""
    return Insert(ledger.REFRESH, (astuple(row),))


def closed(table: TableId, states: tuple[int, ...]) -> Iterator[Mutation]:
    """The mutations that forget a stream table and its refreshes."""
    yield Delete(ledger.STREAM_TABLE, (("table_id", table),))
    yield Delete(ledger.REFRESH, (("table_id", table),))
    tables = tuple(int(each) for each in (table, *states))
    yield Delete("metadata", (("key", KEPT_OPTION), ("scope", "table"), ("scope_id", tables)))

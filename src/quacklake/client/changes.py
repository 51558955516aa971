"""A table's changes as a user asks for them: a value until rows are wanted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

import pyarrow as pa

from quacklake.changefeed.columns import change_columns, schema_of, weighted_columns
from quacklake.changefeed.plan import ChangePlan, ChangeRequest, plan_changes
from quacklake.changefeed.reading import read_changes
from quacklake.changefeed.weighted import read_weighted
from quacklake.client import frames
from quacklake.client.references import instant
from quacklake.client.session import Session
from quacklake.format import casting
from quacklake.format.snapshot import AtTime, AtVersion, Latest, SnapshotRef
from quacklake.format.sqltypes import quoted
from quacklake.format.table import TableName
from quacklake.format.types import Column, Kind, Scalar
from quacklake.kernel.errors import UsageError
from quacklake.kernel.ids import SnapshotId
from quacklake.scan.masks import RowFilter
from quacklake.scan.reads import Meter

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl


@dataclass(frozen=True, slots=True)
class Changes:
    """The rows of a table that came and went between two snapshots, in no particular order."""

    session: Session
    request: ChangeRequest
    is_weighted: bool = False

    def weighted(self) -> Changes:
        """The sum of the changes: each different row once, with how many more there are of it.

        The columns are the table's and `weight`, which is never zero. Only the two snapshots
        have to be readable, not those between them.
        """
        return replace(self, is_weighted=True)

    def plan(self) -> ChangePlan:
        """What reading will do: the files of the window, and the rows of the catalog."""
        return self.session.asked(
            lambda reader: plan_changes(reader, self.request, net=self.is_weighted)
        )

    def to_arrow(self) -> pa.Table:
        """All changes as one Arrow table."""
        return self._table(self.plan())

    def to_batches(self, *, meter: Meter | None = None) -> Iterator[pa.RecordBatch]:
        """The changes as a stream that holds few of them in memory, unless they are summed."""
        return self._batches(self.plan(), meter)

    def to_reader(self) -> pa.RecordBatchReader:
        """The stream with its schema, as other Arrow libraries take it."""
        plan = self.plan()
        schema = schema_of(self.columns_of(plan))
        return pa.RecordBatchReader.from_batches(schema, self._batches(plan))

    def to_pandas(self) -> pd.DataFrame:
        """All changes as a pandas DataFrame."""
        return frames.to_pandas(self.to_arrow())

    def to_polars(self) -> pl.DataFrame:
        """All changes as a Polars DataFrame."""
        plan = self.plan()
        huge = Scalar(Kind.INT128)
        wide = [column.name for column in self.columns_of(plan) if column.type == huge]
        return frames.to_polars(self._table(plan), int128=wide)

    def to_duckdb(self, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        """The changes as a relation of `connection`, in the lake's own types.

        They are read when the relation is used, and again at every use.
        """
        # Imported here: it brings pandas along wherever pandas is installed.
        from quacklake.scan.dataset import LakeDataset

        plan = self.plan()
        columns = self.columns_of(plan)
        typed = ", ".join(
            f"{casting.restored(quoted(column.name), column.type)} AS {quoted(column.name)}"
            for column in columns
        )

        def opened(names: Sequence[str] | None, given: RowFilter | None) -> pa.RecordBatchReader:
            schema = schema_of(columns)
            chosen = schema if names is None else pa.schema([schema.field(name) for name in names])
            batches = (
                kept
                for each in self._batches(plan)
                for kept in _narrowed(each, given, chosen.names)
            )
            return pa.RecordBatchReader.from_batches(chosen, batches)

        shown = replace(plan.table, columns=columns)
        return connection.from_arrow(LakeDataset(shown, schema_of(columns), opened)).project(typed)

    def columns_of(self, plan: ChangePlan) -> tuple[Column, ...]:
        """The columns of the result, with the lake's types."""
        return (weighted_columns if self.is_weighted else change_columns)(plan.columns)

    def _table(self, plan: ChangePlan) -> pa.Table:
        return pa.Table.from_batches(self._batches(plan), schema_of(self.columns_of(plan)))

    def _batches(self, plan: ChangePlan, meter: Meter | None = None) -> Iterator[pa.RecordBatch]:
        if self.is_weighted:
            yield from read_weighted(plan, self.session.storage, meter=meter).to_batches()
        else:
            yield from read_changes(plan, self.session.storage, meter=meter)


def change_request(
    table: TableName,
    since: int | datetime | str | None,
    until: int | datetime | str | None,
    columns: Sequence[str] | None,
) -> ChangeRequest:
    """The changes that a call asks for."""
    names = None if columns is None else tuple(columns)
    if names == ():
        raise UsageError("changes need at least one column", hint="leave columns out for all")
    start = None if since is None else _moment(since, "since")
    end = Latest() if until is None else _moment(until, "until")
    return ChangeRequest(table, start, end, names)


def _moment(given: int | datetime | str, what: str) -> SnapshotRef:
    match given:
        case bool():
            raise UsageError(f"{what} is a snapshot or a timestamp, not bool")
        case int():
            return AtVersion(SnapshotId(given))
        case str() | datetime():
            return AtTime(instant(given))
        case _:
            raise UsageError(f"{what} is a snapshot or a timestamp, not {type(given).__name__}")


def _narrowed(
    batch: pa.RecordBatch, given: RowFilter | None, names: Sequence[str]
) -> list[pa.RecordBatch]:
    rows = pa.Table.from_batches([batch])
    if given is not None:
        seen = rows.select([column.name for column in given.columns])
        rows = rows.filter(given.mask(seen))
    narrow: list[pa.RecordBatch] = rows.select(names).to_batches()
    return narrow

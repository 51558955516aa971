"""`spark.readStream.format("ducklake")`: the change feed, with snapshots as offsets.

A window of snapshots always has the same changes, so a batch that Spark repeats after a
failure has the same rows, and `foreachBatch` with its batch id makes them exactly once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from quacklake.catalog.reader import CatalogReader
from quacklake.changefeed.columns import change_columns
from quacklake.changefeed.plan import ChangePlan, ChangeRequest, plan_changes
from quacklake.changefeed.reading import read_changes
from quacklake.engine.spark.carriers import to_spark
from quacklake.engine.spark.options import SourceOptions
from quacklake.format.snapshot import AtVersion, Latest, SnapshotRef
from quacklake.format.table import TableName
from quacklake.format.types import Column
from quacklake.kernel.errors import NotFound, UsageError
from quacklake.kernel.ids import SnapshotId
from quacklake.storage.filesystem import Storage

_OFFSET: Final = "snapshot_id"
_BEGINNING: Final = -1
_PARTS: Final = 8


def stream_columns(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """The columns of a stream: snapshot, row id, kind of change, then the table's."""
    return change_columns(columns)


class _Window(InputPartition):
    """The changes of some consecutive snapshots."""

    def __init__(self, plan: ChangePlan, storage: Storage) -> None:
        super().__init__(0)
        self.plan = plan
        self.storage = storage


class DuckLakeStream(DataSourceStreamReader):
    """The changes of a table, from a snapshot on."""

    def __init__(self, options: SourceOptions, names: Sequence[str]) -> None:
        said = options.starting
        if said is None or not (said in ("earliest", "latest") or said.isdigit()):
            raise UsageError(
                "a stream needs the option 'starting_snapshot'",
                hint="'earliest', 'latest', or a snapshot: its successors' changes come first",
            )
        self._options = options
        self._names = tuple(names)

    def initialOffset(self) -> dict[str, int]:  # noqa: N802 - Spark's name
        """Where a new stream begins."""
        said = str(self._options.starting)
        if said == "earliest":
            return {_OFFSET: _BEGINNING}
        if said == "latest":
            return self._head()
        return {_OFFSET: int(said)}

    def latestOffset(self, start: Any = None, limit: Any = None) -> dict[str, int]:  # noqa: N802
        """The newest snapshot."""
        del start, limit
        return self._head()

    def _head(self) -> dict[str, int]:
        with self._options.session() as session, session.reading() as reader:
            return {_OFFSET: int(reader.snapshot(Latest()).id)}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        """The window, cut into smaller ones: changes of a window are the sum of its parts'."""
        name = self._options.table
        with self._options.session() as session, session.reading() as reader:
            storage = session.storage
            plans = [
                plan_changes(reader, ChangeRequest(name, since, until, self._names))
                for since, until in _windows(reader, name, start[_OFFSET], end[_OFFSET])
            ]
        return [_Window(plan, storage) for plan in plans if plan.tasks or plan.came or plan.went]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The changes of one window."""
        window = cast("_Window", partition)
        columns = change_columns(window.plan.columns)
        for batch in read_changes(window.plan, window.storage, threads=1):
            yield to_spark(batch, columns)

    def commit(self, end: dict[str, int]) -> None:
        """Nothing is held back for readers, so nothing is let go."""


def _windows(
    reader: CatalogReader, name: TableName, start: int, end: int
) -> Iterator[tuple[SnapshotRef | None, SnapshotRef]]:
    """Smaller windows that make up one, cut where the table has the columns it has at the end."""
    columns = reader.table(name, reader.snapshot(AtVersion(SnapshotId(end)))).columns
    known = [commit.snapshot for commit in reader.commits() if start < commit.snapshot.id < end]
    since: SnapshotRef | None = None if start == _BEGINNING else AtVersion(SnapshotId(start))
    for snapshot in known[:: max(1, -(-len(known) // _PARTS))]:
        try:
            fits = reader.table(name, snapshot).columns == columns
        except NotFound:
            continue
        if fits:
            until = AtVersion(snapshot.id)
            yield since, until
            since = until
    yield since, AtVersion(SnapshotId(end))

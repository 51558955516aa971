"""What programs read: changes of a window, and sources before and after it, found by key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.changefeed.plan import ChangePlan, ChangeRequest, plan_changes
from quacklake.changefeed.weighted import consolidated, read_weighted
from quacklake.client.ports import Planner
from quacklake.client.workspace import Workspace
from quacklake.format.snapshot import AtVersion
from quacklake.format.table import Table
from quacklake.format.types import Column, Kind, Scalar
from quacklake.ivm import ROW_ID_COLUMN, WEIGHT_COLUMN, Origin, Read, State
from quacklake.kernel.ids import ColumnId, SnapshotId
from quacklake.pipeline.keys import key_filter
from quacklake.scan.masks import RowFilter
from quacklake.scan.plan import ROW_ID, Request, ScanPlan
from quacklake.scan.reading import read_table
from quacklake.scan.reads import Meter

WEIGHT = Column(ColumnId(0), WEIGHT_COLUMN, Scalar(Kind.INT64))
IDENTITY = replace(ROW_ID, name=ROW_ID_COLUMN)
"""The row id of a row, under the name it has in programs."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A read that is a scan: what it will read, and who planned it."""

    planner: Planner
    plan: ScanPlan


@dataclass(slots=True)
class Supply:
    """The reads of one refresh of one view.

    `old` and `new` are the snapshots of each source; None means what the open transaction has.
    `staged` are changes made in the transaction itself, and `own` the tables of the result ("")
    and of the states. `given` are changes of tables that are no sources: they are not counted.
    """

    work: Workspace
    tables: Mapping[str, Table]
    old: Mapping[str, SnapshotId]
    new: Mapping[str, SnapshotId | None]
    own: Mapping[str, Table] = field(default_factory=dict)
    staged: Mapping[str, Callable[[], pa.Table]] = field(default_factory=dict)
    given: Mapping[str, pa.Table] = field(default_factory=dict)
    meter: Meter = field(default_factory=Meter)
    rows_in: int = 0
    _changes: dict[tuple[str, tuple[str, ...], bool], pa.Table] = field(default_factory=dict)

    def columns(self, read: Read) -> tuple[Column, ...]:
        """The columns of a read with the lake's types; a change has its weight besides."""
        table = self._table(read)
        found = tuple(table.column(name) for name in _own_columns(read))
        ids = (IDENTITY,) if read.row_ids else ()
        return (*found, *ids, WEIGHT) if self.is_change(read) else (*found, *ids)

    def is_change(self, read: Read) -> bool:
        """Whether a read asks for weighted rows."""
        return read.origin is Origin.SOURCE and read.state is State.CHANGE

    def change(self, read: Read) -> pa.Table:
        """The change of a source in its window, each distinct row once, with its weight.

        With row ids rows of different ids are different.
        """
        wanted = read.source, read.columns, read.row_ids
        if wanted not in self._changes:
            found = self._change(read)
            if read.source not in self.given:
                self.rows_in += pc.sum(pc.abs(found.column(WEIGHT_COLUMN))).as_py() or 0
            self._changes[wanted] = found
        return self._changes[wanted]

    def beside(self, name: str, table: Table, change: pa.Table | None = None) -> Supply:
        """The same supply with a table of the view's own as one more source.

        With a `change`, its new rows are those of the open transaction; else it is as stored.
        """
        at = self.work.ground.snapshot.id
        return replace(
            self,
            tables={**self.tables, name: table},
            old={**self.old, name: at},
            new={**self.new, name: at if change is None else None},
            given={} if change is None else {name: change},
            _changes=dict(self._changes),
        )

    def _change(self, read: Read) -> pa.Table:
        table = self.tables[read.source]
        # A change without columns is a number of rows; one column is read to count them.
        names = _own_columns(read) or (table.columns[0].name,)
        ids = (ROW_ID_COLUMN,) if read.row_ids else ()
        if read.source in self.given:
            chosen = self.given[read.source].select([*names, WEIGHT_COLUMN])
            columns = tuple(table.column(name) for name in names)
            return _shown(read, consolidated(chosen.to_batches(), columns, chosen.schema))
        plan = self._planned_change(read)
        found = read_weighted(plan, self.work.storage, row_ids=read.row_ids, meter=self.meter)
        found = found.rename_columns([*names, *ids, WEIGHT_COLUMN])
        staged = self.staged.get(read.source)
        if staged is not None:
            parts = (found, staged().select([*names, *ids, WEIGHT_COLUMN]).cast(found.schema))
            batches = [batch for part in parts for batch in part.to_batches()]
            columns = (*plan.columns, IDENTITY) if read.row_ids else plan.columns
            found = consolidated(batches, columns, found.schema)
        if read.row_ids and not _own_columns(read):
            alone = found.select([*ids, WEIGHT_COLUMN])
            return consolidated(alone.to_batches(), (IDENTITY,), alone.schema)
        return _shown(read, found)

    def large_change(self, read: Read, limit: int) -> ChangePlan | None:
        """How the change of a source is read, if the catalog counts more than `limit` rows.

        What the open transaction has staged is here already, and so is what was read before.
        """
        wanted = read.source, read.columns, read.row_ids
        here = read.source in self.given or read.source in self.staged or wanted in self._changes
        if here or not _own_columns(read):
            return None
        plan = self._planned_change(read)
        return plan if plan.rows > limit else None

    def _planned_change(self, read: Read) -> ChangePlan:
        table = self.tables[read.source]
        names = _own_columns(read) or (table.columns[0].name,)
        upto = self.new[read.source] or self.work.ground.snapshot.id
        since = self.old[read.source]
        request = ChangeRequest(table.name, AtVersion(since), AtVersion(upto), names)
        return self.work.session.asked(lambda reader: plan_changes(reader, request, net=True))

    def scan(self, read: Read, keys: Mapping[str, pa.Table]) -> Planned | None:
        """A read that is not a change, limited to `keys`; None if it has no row at all.

        A set of keys that is not there was too large, and limits nothing.
        """
        filters: list[RowFilter] = []
        table = self._table(read)
        for each in read.keys:
            step = keys.get(each.step)
            if step is None:
                continue
            if not step.num_rows:
                return None
            columns = tuple(table.column(name) for name in each.columns)
            made = key_filter(columns, step.select(list(each.key_columns)))
            if made is not None:
                filters.append(made)
        # The first is the narrowest a plan can use; the program itself checks all of them.
        chosen = filters[0] if filters else None
        at = self._snapshot(read)
        planner: Planner = self.work if at is None else self.work.session
        ref = AtVersion(self.work.ground.snapshot.id if at is None else at)
        names = _own_columns(read) or (table.columns[0].name,)
        plan = planner.plan(Request(table.name, ref, names, chosen))
        if read.row_ids:
            plan = replace(plan, columns=self.columns(read))
        return Planned(planner, plan)

    def rows(self, planned: Planned) -> pa.Table:
        """The rows of a scan, read here."""
        return read_table(planned.plan, planned.planner.storage, meter=self.meter)

    def count(self, plan: ScanPlan) -> None:
        """Note the most that others, who read a plan themselves, may read for it."""
        kept = sum(rows.rows.num_rows for rows in plan.inlined)
        for task in plan.tasks:
            self.meter.add(files=1, rows=task.file.record_count, size=task.file.file_size_bytes)
        self.meter.add(rows=kept)

    def _table(self, read: Read) -> Table:
        return self.tables[read.source] if read.origin is Origin.SOURCE else self._own(read)

    def _own(self, read: Read) -> Table:
        return self.own["" if read.origin is Origin.RESULT else read.source]

    def _snapshot(self, read: Read) -> SnapshotId | None:
        if read.origin is not Origin.SOURCE:
            return self.work.ground.snapshot.id
        return self.old[read.source] if read.state is State.OLD else self.new[read.source]


def _shown(read: Read, found: pa.Table) -> pa.Table:
    """A change as a read wants it: without columns it is a number of rows."""
    if read.columns:
        return found
    total = pc.sum(found.column(WEIGHT_COLUMN)).as_py() or 0
    return pa.table({WEIGHT_COLUMN: pa.array([total] if total else [], pa.int64())})


def _own_columns(read: Read) -> tuple[str, ...]:
    """The columns of the table itself that a read asks for."""
    return read.columns[:-1] if read.row_ids else read.columns

"""Stream tables refreshed: several in one transaction, or none of them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import pyarrow as pa

from quacklake.catalog.ledger import RefreshRow
from quacklake.changefeed.plan import ChangeRequest, plan_changes
from quacklake.client.session import Session
from quacklake.client.workspace import Workspace
from quacklake.client.writing import operations
from quacklake.client.writing.clusters import cluster_of
from quacklake.client.writing.inputs import rows_of
from quacklake.format.snapshot import AtVersion
from quacklake.format.table import Table, TableName
from quacklake.ivm import ByKey, Program, View
from quacklake.kernel.errors import SnapshotExpired, Unsupported
from quacklake.kernel.ids import SnapshotId, TableId
from quacklake.pipeline.applying import Applied, apply_change
from quacklake.pipeline.choosing import Choice, Sizes, choose
from quacklake.pipeline.comparing import difference
from quacklake.pipeline.definition import Definition, LostHistory, Mode
from quacklake.pipeline.entries import HERE, Refreshed
from quacklake.pipeline.frontier import Frontier, Position, source_key
from quacklake.pipeline.ports import Changed, Filled, Kept, ProgramEngine, ProgramEngines
from quacklake.pipeline.registry import called, definitions_of
from quacklake.pipeline.reports import NO_CHANGE, RefreshReport
from quacklake.pipeline.sources import Tables, compiled, tables_of
from quacklake.pipeline.supply import Supply
from quacklake.pipeline.window import Since, since_frontier
from quacklake.scan.plan import Request
from quacklake.scan.reading import read_table

_FEW: Final = 100_000
"""Up to so many rows a result that is computed anew is compared with the one that is stored."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A refresh that was staged: what it did, and the definition to store."""

    before: Definition
    after: Definition
    report: RefreshReport


def timed(outcome: Outcome, start: float) -> Outcome:
    """An outcome with the time it took since `start`."""
    spent = round((time.perf_counter() - start) * 1000)
    return replace(outcome, report=replace(outcome.report, duration_ms=spent))


class Refreshing:
    """Refreshes in one transaction; later ones see what earlier ones staged."""

    def __init__(self, session: Session, engines: ProgramEngines, *, commits: bool = True) -> None:
        self.work = Workspace(session, refreshes=True, commits=commits)
        self._session = session
        self._engines = engines
        self._staged: dict[TableId, pa.Table] = {}
        self._refilled: set[TableId] = set()
        self._known: tuple[Definition, ...] | None = None

    @property
    def target(self) -> SnapshotId:
        """The snapshot up to which sources are read."""
        return self.work.ground.snapshot.id

    def called(self, name: TableName) -> Definition:
        """A stream table as it stood when the transaction began: rows and frontier agree."""
        if self._known is None:
            ground = self.work.ground
            with self._session.reading() as reader:
                self._known = definitions_of(reader, ground.streams, ground.snapshot)
        return called(self._known, name)

    def refresh(self, definition: Definition, mode: Mode) -> Outcome:
        """Stage one refresh."""
        start = time.perf_counter()
        tables = self.tables(definition)
        view = compiled(definition.query, tables, definition.settings.columns)
        since = self._since(definition, tables, view)
        choice = self._choice(definition, view, tables, since, mode)
        if choice is None:
            report = RefreshReport(str(definition.name), NO_CHANGE, "no source changed")
            outcome = Outcome(definition, self._moved(definition, tables), report)
        elif choice.mode is Mode.FULL:
            outcome = self.refill(definition, view, tables, choice.reason)
        else:
            outcome = self._change(definition, view, tables, since, choice.reason)
        return timed(outcome, start)

    def decided(self, definition: Definition, mode: Mode) -> str:
        """What a refresh would do now, in words."""
        tables = self.tables(definition)
        view = compiled(definition.query, tables, definition.settings.columns)
        choice = self._choice(definition, view, tables, self._since(definition, tables, view), mode)
        return "nothing, no source changed" if choice is None else f"{choice.mode}, {choice.reason}"

    def tables(self, definition: Definition) -> Tables:
        """The sources of a view as the transaction found them."""
        with self._session.reading() as reader:
            at = self.work.ground.snapshot
            return tables_of(reader, definition.query, at, definition.name.schema)

    def _since(self, definition: Definition, tables: Tables, view: View) -> Since:
        used = {name: view.columns_read(name) for name in view.sources}
        with self._session.reading() as reader:
            found = since_frontier(
                reader, definition.frontier, tables, self.work.ground.snapshot, used
            )
        anew = next((t for t in tables.values() if t.id in self._refilled), None)
        if anew is not None:
            return Since(frozenset(tables), anew=f"'{anew.name}' was computed anew, too")
        staged = {name for name, table in tables.items() if table.id in self._staged}
        return replace(found, changed=found.changed | staged)

    def _choice(
        self, definition: Definition, view: View, tables: Tables, since: Since, mode: Mode
    ) -> Choice | None:
        if mode is Mode.FULL:
            return Choice(Mode.FULL, "asked for")
        if since.anew is not None:
            _refuse_full(definition, mode, since.anew)
            return Choice(Mode.FULL, since.anew)
        if since.lost is not None:
            return _without_history(definition, mode, since.lost)
        if not since.changed:
            return None
        if mode is Mode.INCREMENTAL:
            return Choice(Mode.INCREMENTAL, "asked for")
        return choose(self._sizes(definition, tables, since, view), self._history(definition))

    def _history(self, definition: Definition) -> Sequence[RefreshRow]:
        with self._session.reading() as reader:
            return reader.refresh_rows(definition.table_id)

    def _sizes(self, definition: Definition, tables: Tables, since: Since, view: View) -> Sizes:
        changed = 0
        whole = 0
        with self._session.reading() as reader:
            for name in view.sources:
                table = tables[name]
                stats = reader.table_stats(table)
                whole += stats.record_count if stats else 0
                if name in since.changed:
                    after = definition.frontier[source_key(table.name)].snapshot
                    request = ChangeRequest(table.name, AtVersion(after), AtVersion(self.target))
                    changed += plan_changes(reader, request, net=True).rows
                    changed += self._staged[table.id].num_rows if table.id in self._staged else 0
        return Sizes(changed, whole)

    def refill(
        self,
        definition: Definition,
        view: View,
        tables: Tables,
        reason: str,
        *,
        at: SnapshotId | None = None,
    ) -> Outcome:
        """Stage all rows computed anew, from the sources as of `at` or as they are now."""
        engine = self._engine(definition)
        supply = self.supply(definition, tables, at=at)
        filled = engine.filled(view, supply)
        count = self._replace(definition, view, supply, engine, filled)
        read = supply.meter.total
        report = RefreshReport(
            str(definition.name),
            Mode.FULL.value,
            reason,
            rows_out=count,
            rows_read=read.rows,
            bytes_read=read.bytes,
            files_read=read.files,
        )
        return Outcome(definition, self._moved(definition, tables, at), report)

    def _replace(
        self,
        definition: Definition,
        view: View,
        supply: Supply,
        engine: ProgramEngine,
        filled: Filled,
    ) -> int:
        """Stage new rows in the place of the old ones; of few, only those that differ."""
        for name, part in filled.states.items():
            given = rows_of(part.rows, cluster_of(self.work))
            operations.overwrite(self.work, supply.own[name].name, given, None)
        stored = supply.own[""]
        rows = engine.few(filled.rows, stored.columns, _FEW)
        if rows is not None and self._count(stored) <= _FEW:
            at = AtVersion(self.target)
            found = read_table(self._session.plan(Request(stored.name, at)), self.work.storage)
            change = difference(rows, found, stored.columns)
            done = self._changed(definition, view, change, supply)
            return done.added + done.removed
        given = rows_of(filled.rows.rows, cluster_of(self.work))
        written = operations.overwrite(self.work, stored.name, given, None)
        self._refilled.add(definition.table_id)
        return written.inserted + written.deleted

    def _count(self, table: Table) -> int:
        with self._session.reading() as reader:
            stats = reader.table_stats(table)
        return stats.record_count if stats else 0

    def _changed(
        self, definition: Definition, view: View, change: pa.Table, supply: Supply
    ) -> Applied:
        """Stage a change of the result, which views that read it see too."""
        key = view.identity.columns if isinstance(view.identity, ByKey) else None
        done = apply_change(self.work, supply.own[""].name, change, key=key, meter=supply.meter)
        if change.num_rows:
            self._staged[definition.table_id] = change
        return done

    def _change(
        self, definition: Definition, view: View, tables: Tables, since: Since, reason: str
    ) -> Outcome:
        engine = self._engine(definition)
        program = view.delta(engine.dialect, changed=since.changed)
        supply = self.supply(definition, tables)
        done = Applied()
        if program is not None:
            changed = engine.changed(program, supply, self._kept(supply, program))
            done = self._apply(definition, view, supply, changed)
        read = supply.meter.total
        report = RefreshReport(
            str(definition.name),
            Mode.INCREMENTAL.value,
            reason,
            supply.rows_in,
            done.added + done.removed,
            read.rows,
            read.bytes,
            read.files,
        )
        return Outcome(definition, self._moved(definition, tables), report)

    def _apply(
        self, definition: Definition, view: View, supply: Supply, changed: Changed
    ) -> Applied:
        done = self._changed(definition, view, changed.rows, supply)
        keys = {state.name: state.key for state in view.states}
        for name, rows in changed.states.items():
            apply_change(self.work, supply.own[name].name, rows, key=keys[name], meter=supply.meter)
        return done

    def _kept(self, supply: Supply, program: Program) -> Kept:
        states = {each.name: supply.own[each.name].columns for each in program.states}
        return Kept(supply.own[""].columns, states)

    def supply(
        self, definition: Definition, tables: Tables, *, at: SnapshotId | None = None
    ) -> Supply:
        """What a program of the view reads; with `at` the sources as they were then."""
        own: dict[str, Table] = {"": self.work.drafted(definition.name).table}
        for state in definition.states:
            own[state] = self.work.drafted(definition.state_name(state)).table
        return Supply(
            self.work,
            tables,
            _old(definition.frontier, tables),
            {name: at or self._new(table) for name, table in tables.items()},
            own,
            {name: self._staged[t.id] for name, t in tables.items() if t.id in self._staged},
        )

    def _new(self, table: Table) -> SnapshotId | None:
        touched = table.id in self._staged or table.id in self._refilled
        return None if touched else self.target

    def _moved(
        self, definition: Definition, tables: Tables, at: SnapshotId | None = None
    ) -> Definition:
        frontier = {
            source_key(table.name): Position(at or self._new(table) or HERE, table.id)
            for table in tables.values()
        }
        if frontier == definition.frontier:
            return definition
        return definition.advanced(frontier)

    def _engine(self, definition: Definition) -> ProgramEngine:
        return self._engines(definition.settings.engine)

    def stage(self, outcome: Outcome) -> None:
        """Tell the commit of a refresh."""
        if outcome.after is not outcome.before:
            entry = Refreshed(outcome.after, outcome.report)
            self.work.draft = self.work.draft.with_entry(entry)


def _old(frontier: Frontier, tables: Mapping[str, Table]) -> dict[str, SnapshotId]:
    found = {}
    for name, table in tables.items():
        position = frontier.get(source_key(table.name))
        if position is not None:
            found[name] = position.snapshot
    return found


def _refuse_full(definition: Definition, mode: Mode, why: str) -> None:
    if mode is Mode.INCREMENTAL:
        raise Unsupported(
            f"'{definition.name}' cannot be refreshed incrementally: {why}",
            hint="refresh it once with mode='full'",
        )


def _without_history(definition: Definition, mode: Mode, lost: int) -> Choice:
    """What to do when snapshot `lost`, where the view stands, can no longer be read."""
    gone = f"snapshot {lost}, where it stands, has expired"
    policy = definition.settings.compaction_policy
    if policy is LostHistory.ERROR or mode is Mode.INCREMENTAL:
        raise SnapshotExpired(
            f"'{definition.name}' cannot be refreshed incrementally: {gone}",
            hint="refresh it with mode='full', and let snapshots live longer before they expire",
            snapshot=lost,
        )
    return Choice(Mode.FULL, f"{gone}; let snapshots live longer before they expire")

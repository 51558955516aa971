"""Stream tables refreshed: several in one transaction, or none of them."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from typing import Final

import pyarrow as pa

from quacklake.client.session import Session
from quacklake.client.workspace import Workspace
from quacklake.client.writing import operations
from quacklake.client.writing.clusters import cluster_of
from quacklake.client.writing.inputs import rows_of
from quacklake.format.table import Table, TableName
from quacklake.ivm import RECURSION, ROW_ID_COLUMN, ROWS, ByKey, Program, RecursiveView
from quacklake.kernel.errors import UsageError
from quacklake.kernel.ids import SnapshotId, TableId
from quacklake.pipeline.applying import apply_change
from quacklake.pipeline.comparing import difference, kept_columns, stored_rows
from quacklake.pipeline.deciding import Decision, anew, decide
from quacklake.pipeline.definition import Definition, Mode
from quacklake.pipeline.entries import HERE, Refreshed
from quacklake.pipeline.frontier import Position, snapshots, source_key
from quacklake.pipeline.identifying import Streams, carried_on, filled_anew
from quacklake.pipeline.outcomes import Outcome, reported, timed
from quacklake.pipeline.ports import (
    Changed,
    Filled,
    Kept,
    LargeChange,
    ProgramEngine,
    ProgramEngines,
    Staged,
)
from quacklake.pipeline.recursing import gained, in_the_way
from quacklake.pipeline.registry import called, definitions_of
from quacklake.pipeline.reports import NO_CHANGE, RefreshReport
from quacklake.pipeline.settling import Applied
from quacklake.pipeline.sources import KeptQuery, Tables, compiled, tables_of
from quacklake.pipeline.supply import Supply
from quacklake.pipeline.window import Since, since_frontier

_FEW: Final = 100_000
"""Up to so many rows a result that is computed anew is compared with the one that is stored."""


class Refreshing:
    """Refreshes in one transaction; later ones see what earlier ones staged.

    What engines hold of changes is `held` to the end: computed again, it might be other rows.
    """

    def __init__(self, session: Session, engines: ProgramEngines, *, commits: bool = True) -> None:
        self.work = Workspace(session, refreshes=True, commits=commits)
        self.held = ExitStack()
        self._session = session
        self._engines = engines
        self._staged: dict[TableId, Staged] = {}
        self._refilled: set[TableId] = set()
        self._known: tuple[Definition, ...] | None = None
        self._made: dict[TableId, Definition] = {}

    @property
    def target(self) -> SnapshotId:
        """The snapshot up to which sources are read."""
        return self.work.ground.snapshot.id

    def called(self, name: TableName) -> Definition:
        """A stream table as it stood when the transaction began: rows and frontier agree."""
        return called(self._definitions(), name)

    def _definitions(self) -> tuple[Definition, ...]:
        if self._known is None:
            ground = self.work.ground
            with self._session.reading() as reader:
                self._known = definitions_of(reader, ground.streams, ground.snapshot)
        return self._known

    def _streams(self) -> Streams:
        """The stream tables as they are here: those refreshed before as they will be stored."""
        return {**{each.table_id: each for each in self._definitions()}, **self._made}

    def refresh(self, definition: Definition, mode: Mode) -> Outcome:
        """Stage one refresh."""
        start = time.perf_counter()
        tables = self.tables(definition)
        view = compiled(definition.query, tables, definition.settings.columns)
        found = self._choice(definition, view, tables, mode)
        choice = found.choice
        if choice is not None and choice.mode is Mode.FULL:
            outcome = self.refill(definition, view, tables, choice.reason, read=found.supply)
            return timed(outcome, start)
        made = carried_on(definition, view, tables, self._streams(), found.since)
        self._made[definition.table_id] = made
        if choice is None:
            report = RefreshReport(str(definition.name), NO_CHANGE, "no source changed")
        else:
            supply = found.supply or self.supply(definition, tables)
            report = self._change(made, view, supply, found.since, choice.reason)
        after = self._moved(definition, tables, made=made)
        return timed(Outcome(definition, after, report), start)

    def decided(self, definition: Definition, mode: Mode) -> str:
        """What a refresh would do now, in words."""
        tables = self.tables(definition)
        view = compiled(definition.query, tables, definition.settings.columns)
        try:
            choice = self._choice(definition, view, tables, mode).choice
        except UsageError as error:
            return f"refused, {error.problem}"
        return "nothing, no source changed" if choice is None else f"{choice.mode}, {choice.reason}"

    def tables(self, definition: Definition) -> Tables:
        """The sources of a view as the transaction found them."""
        with self._session.reading() as reader:
            at = self.work.ground.snapshot
            return tables_of(reader, definition.query, at, definition.name.schema)

    def _since(self, definition: Definition, tables: Tables, view: KeptQuery) -> Since:
        used = {name: view.columns_read(name) for name in view.sources}
        anew = next((t for t in tables.values() if t.id in self._refilled), None)
        if anew is not None:
            return Since(frozenset(tables), anew=f"'{anew.name}' was computed anew, too")
        staged = [name for name, table in tables.items() if table.id in self._staged]
        target = self.work.ground.snapshot
        with self._session.reading() as reader:
            return since_frontier(
                reader, definition.frontier, tables, target, used, staged, definition.table_id
            )

    def _choice(
        self, definition: Definition, view: KeptQuery, tables: Tables, mode: Mode
    ) -> Decision:
        since = self._since(definition, tables, view)
        staged = {table: each.count for table, each in self._staged.items()}
        choice = decide(self._session, self.target, definition, view, tables, since, mode, staged)
        if choice is None or choice.mode is Mode.FULL or not isinstance(view, RecursiveView):
            return Decision(since, choice)
        supply = self.supply(definition, tables)
        why = in_the_way(view, self._engine(definition).dialect, supply, since.changed)
        return Decision(since, choice if why is None else anew(definition, mode, why), supply)

    def refill(
        self,
        definition: Definition,
        view: KeptQuery,
        tables: Tables,
        reason: str,
        *,
        at: SnapshotId | None = None,
        read: Supply | None = None,
    ) -> Outcome:
        """Stage all rows computed anew, from the sources as of `at` or as they are now.

        What was `read` to find that out is told too.
        """
        engine = self._engine(definition)
        supply = self.supply(definition, tables, at=at)
        if read is not None:
            supply = replace(supply, meter=read.meter)
        made = filled_anew(definition, view, tables, self._streams())
        self._made[definition.table_id] = made
        with engine.filled(view, supply, row_ids=made.settings.row_ids) as filled:
            count = self._replace(made, view, supply, engine, filled)
        report = reported(definition, Mode.FULL, reason, supply.meter.total, rows_out=count)
        return Outcome(definition, self._moved(definition, tables, at, made), report)

    def _replace(
        self,
        definition: Definition,
        view: KeptQuery,
        supply: Supply,
        engine: ProgramEngine,
        filled: Filled,
    ) -> int:
        """Stage new rows in the place of the old ones; of few, only those that differ."""
        row_ids = definition.settings.row_ids
        for name, part in filled.states.items():
            given = rows_of(part.rows, cluster_of(self.work))
            operations.overwrite(self.work, supply.own[name].name, given, None)
        stored = supply.own[""]
        columns = kept_columns(stored, row_ids=row_ids)
        rows = engine.few(filled.rows, columns, _FEW)
        if rows is not None and self._count(stored) <= _FEW:
            found = stored_rows(self._session, stored, self.target, row_ids=row_ids)
            done = self._changed(definition, view, difference(rows, found, columns), supply)
            return done.added + done.removed
        given = rows_of(filled.rows.rows, cluster_of(self.work))
        ids = ROW_ID_COLUMN if row_ids else None
        written = operations.overwrite(self.work, stored.name, given, None, row_ids=ids)
        self._refilled.add(definition.table_id)
        return written.inserted + written.deleted

    def _count(self, table: Table) -> int:
        with self._session.reading() as reader:
            stats = reader.table_stats(table)
        return stats.record_count if stats else 0

    def _changed(
        self,
        definition: Definition,
        view: KeptQuery,
        change: pa.Table | LargeChange,
        supply: Supply,
    ) -> Applied:
        """Stage a change of the result, which views that read it see too."""
        key = view.identity.columns if isinstance(view.identity, ByKey) else None
        table, settings = supply.own[""], definition.settings
        count = change.num_rows if isinstance(change, pa.Table) else change.count
        if count:
            self._staged[table.id] = Staged(count, change)
        return apply_change(
            supply, table.name, change, key=key, row_ids=settings.row_ids, doubt=settings.doubt
        )

    def _change(
        self, definition: Definition, view: KeptQuery, supply: Supply, since: Since, reason: str
    ) -> RefreshReport:
        """Stage the change of a view since its frontier."""
        engine = self._engine(definition)
        row_ids = definition.settings.row_ids
        changed_sources = since.changed
        if isinstance(view, RecursiveView):
            supply, changed_sources = self._followed(view, engine, supply, since)
            view = view.rest
        program = view.delta(engine.dialect, changed=changed_sources, row_ids=row_ids)
        done = Applied()
        if program is not None:
            kept = _kept(supply, program, row_ids=row_ids)
            changed = self.held.enter_context(engine.changed(program, supply, kept))
            done = self._apply(definition, view, supply, changed)
        changed_rows = done.added + done.removed
        read = supply.meter.total
        return reported(
            definition,
            Mode.INCREMENTAL,
            reason,
            read,
            rows_in=supply.rows_in,
            rows_out=changed_rows,
        )

    def _followed(
        self, view: RecursiveView, engine: ProgramEngine, supply: Supply, since: Since
    ) -> tuple[Supply, frozenset[str]]:
        """Stage what a recursion gains; then it is one more source, which changed or did not."""
        table = supply.own[RECURSION]
        rows = gained(view, engine, supply, table, since.changed)
        if not rows.num_rows:
            return supply.beside(ROWS, table), since.changed
        apply_change(supply, table.name, rows, key=None)
        return supply.beside(ROWS, table, rows), since.changed | {ROWS}

    def _apply(
        self, definition: Definition, view: KeptQuery, supply: Supply, changed: Changed
    ) -> Applied:
        done = self._changed(definition, view, changed.rows, supply)
        keys = {state.name: state.key for state in view.states}
        for name, rows in changed.states.items():
            apply_change(supply, supply.own[name].name, rows, key=keys[name])
        return done

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
            snapshots(definition.frontier, tables),
            {name: at or self._new(table) for name, table in tables.items()},
            own,
            {n: self._staged[t.id].rows for n, t in tables.items() if t.id in self._staged},
        )

    def _new(self, table: Table) -> SnapshotId | None:
        touched = table.id in self._staged or table.id in self._refilled
        return None if touched else self.target

    def _moved(
        self,
        definition: Definition,
        tables: Tables,
        at: SnapshotId | None = None,
        made: Definition | None = None,
    ) -> Definition:
        frontier = {
            source_key(table.name): Position(at or self._new(table) or HERE, table.id)
            for table in tables.values()
        }
        made = definition if made is None else made
        if frontier == definition.frontier and made is definition:
            return definition
        return made.advanced(frontier)

    def _engine(self, definition: Definition) -> ProgramEngine:
        return self._engines(definition.settings.engine)

    def stage(self, outcome: Outcome) -> None:
        """Tell the commit of a refresh."""
        if outcome.after is not outcome.before:
            entry = Refreshed(outcome.after, outcome.report)
            self.work.draft = self.work.draft.with_entry(entry)


def _kept(supply: Supply, program: Program, *, row_ids: bool) -> Kept:
    states = {each.name: supply.own[each.name].columns for each in program.states}
    return Kept(kept_columns(supply.own[""], row_ids=row_ids), states)

"""A stream table declared: checked, filled, and entered in one commit; and dropped again."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Final
from uuid import uuid4

from quacklake.client.defining import entries
from quacklake.client.session import Session
from quacklake.client.workspace import Workspace
from quacklake.client.writing import operations
from quacklake.client.writing.clusters import cluster_of
from quacklake.client.writing.inputs import rows_of
from quacklake.format.table import TableName
from quacklake.kernel.errors import UsageError
from quacklake.kernel.ids import SnapshotId, TableId
from quacklake.pipeline.definition import STATE_SCHEMA, Definition, Mode, Settings
from quacklake.pipeline.entries import Closed, Opened
from quacklake.pipeline.frontier import Position, source_key
from quacklake.pipeline.ports import Part, ProgramEngine
from quacklake.pipeline.registry import definition_called, readers_of
from quacklake.pipeline.reports import RefreshReport
from quacklake.pipeline.sources import Tables, compiled, tables_of
from quacklake.pipeline.supply import Supply
from quacklake.transaction.commit import RetryPolicy
from quacklake.transaction.lowering.commit import CommitInfo

_NAMES: Final = 24


def declare(
    session: Session, name: TableName, query: str, settings: Settings, engine: ProgramEngine
) -> RefreshReport:
    """Make the result of `query`, its states, and the entry that keeps them."""
    start = time.perf_counter()
    work = Workspace(session, refreshes=True)
    try:
        with session.reading() as reader:
            tables = tables_of(reader, query, work.ground.snapshot, name.schema)
        view = compiled(query, tables, None)
        supply = _supply(work, tables)
        filled = engine.filled(view, supply)
        table_id = _made(work, name, filled.rows)
        states = _states(work, name, filled.states)
        read = supply.meter.total
        report = RefreshReport(
            str(name),
            Mode.FULL.value,
            "declared",
            0,
            0,
            read.rows,
            read.bytes,
            read.files,
            round((time.perf_counter() - start) * 1000),
        )
        kept = replace(settings, columns=_columns(tables))
        definition = Definition(
            table_id,
            name,
            query.strip().rstrip(";"),
            kept,
            {state: made.table for state, (made, _) in states.items()},
            {source_key(t.name): Position(work.ground.snapshot.id, t.id) for t in tables.values()},
        )
        entry = Opened(definition, tuple(int(i) for _, i in states.values()), report)
        work.draft = work.draft.with_entry(entry)
        message = CommitInfo(message=f"stream table {name}")
        return replace(report, snapshot_id=int(work.commit(message, RetryPolicy()).id))
    except Exception:
        work.abandon()
        raise


def _supply(work: Workspace, tables: Tables) -> Supply:
    at = work.ground.snapshot.id
    new: dict[str, SnapshotId | None] = dict.fromkeys(tables, at)
    return Supply(work, tables, {}, new)


def _columns(tables: Tables) -> Mapping[str, tuple[str, ...]]:
    return {str(t.name): tuple(c.name for c in t.columns) for t in tables.values()}


def _made(work: Workspace, name: TableName, part: Part) -> TableId:
    table = entries.create_table(work, name, part.columns)
    operations.append(work, name, rows_of(part.rows, cluster_of(work)))
    return table.id


def _states(
    work: Workspace, name: TableName, parts: Mapping[str, Part]
) -> dict[str, tuple[TableName, TableId]]:
    if parts:
        entries.create_schema(work, STATE_SCHEMA, if_not_exists=True)
    found = {}
    for state, part in parts.items():
        # The name is for people; what makes it unique is the rest.
        made = TableName(STATE_SCHEMA, f"{name.table[:_NAMES]}_{uuid4().hex[:12]}_{state}")
        found[state] = (made, _made(work, made, part))
    return found


def drop(session: Session, name: TableName, *, cascade: bool = False) -> tuple[TableName, ...]:
    """Drop a stream table, its result and its states; with `cascade` those that read it too."""
    with session.reading() as reader:
        going = [definition_called(reader, name)]
        for each in going:
            going += [d for d in readers_of(reader, each.table_id) if d not in going]
    if len(going) > 1 and not cascade:
        raise UsageError(
            f"stream table '{going[1].name}' reads '{going[0].name}'",
            hint="drop it first, or drop with cascade=True",
        )
    work = Workspace(session, refreshes=True)
    for each in going:
        states = tuple(each.state_name(state) for state in each.states)
        ids = tuple(int(work.drafted(state).table.id) for state in states)
        for table in (each.name, *states):
            entries.drop_table(work, table)
        work.draft = work.draft.with_entry(Closed(each.table_id, ids))
    work.commit(CommitInfo(message=f"drop stream table {name}"), RetryPolicy())
    return tuple(each.name for each in going)

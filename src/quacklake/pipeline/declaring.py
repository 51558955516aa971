"""A stream table declared: checked, filled, and entered in one commit."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Final
from uuid import uuid4

from quacklake.client.defining import entries
from quacklake.client.session import Session
from quacklake.client.workspace import Workspace
from quacklake.client.writing import operations
from quacklake.client.writing.clusters import cluster_of
from quacklake.client.writing.inputs import rows_of
from quacklake.format.table import Table, TableName
from quacklake.ivm import ROW_ID_COLUMN
from quacklake.kernel.errors import Unsupported, UsageError
from quacklake.kernel.ids import SnapshotId, TableId
from quacklake.pipeline.altering import alter
from quacklake.pipeline.definition import STATE_SCHEMA, Definition, Mode, Settings
from quacklake.pipeline.dropping import close
from quacklake.pipeline.entries import Opened
from quacklake.pipeline.frontier import Position, source_key
from quacklake.pipeline.identifying import bears_ids
from quacklake.pipeline.ports import Filled, Part, ProgramEngines
from quacklake.pipeline.registry import definitions, definitions_of, readers_of
from quacklake.pipeline.replacing import check_no_cycle, check_readers, is_same
from quacklake.pipeline.reports import NO_CHANGE, RefreshReport
from quacklake.pipeline.sources import Tables, compiled, tables_of
from quacklake.pipeline.supply import Supply
from quacklake.transaction.commit import RetryPolicy
from quacklake.transaction.draft import same_name
from quacklake.transaction.lowering.commit import CommitInfo

_NAMES: Final = 24


@dataclass(frozen=True, slots=True)
class Wanted:
    """A stream table to be made, and what to do if there is one of that name."""

    name: TableName
    query: str
    settings: Settings
    replaces: bool = False
    if_not_exists: bool = False


def declare(session: Session, engines: ProgramEngines, wanted: Wanted) -> RefreshReport:
    """Make the result of a query, its states, and the entry that keeps them.

    What stands in its place goes in the same commit, or stays if it computes the same.
    """
    start = time.perf_counter()
    standing = _standing(session, wanted)
    # Others know it by the name it has, however that is spelled now.
    name = wanted.name if standing is None else standing.name
    if standing is not None and wanted.if_not_exists:
        return RefreshReport(str(name), NO_CHANGE, "there is a stream table of this name")
    work = Workspace(session, refreshes=True)
    _check_place(work, name, standing)
    with session.reading() as reader:
        tables = tables_of(reader, wanted.query, work.ground.snapshot, name.schema)
        readers = [] if standing is None else readers_of(reader, standing)
        known = definitions_of(reader, work.ground.streams, work.ground.snapshot)
    view = compiled(wanted.query, tables, None)
    row_ids = bears_ids(view, tables, {each.table_id: each for each in known})
    if view.recomputed is not None and wanted.settings.mode is Mode.INCREMENTAL:
        raise Unsupported(
            f"'{name}' cannot be kept incrementally: {view.recomputed}",
            hint="declare it with mode='auto' or 'full': it is then computed anew",
        )
    if standing is not None:
        check_no_cycle(standing, readers, tables)
        if is_same(standing, view, wanted.settings, tables):
            alter(session, name, _settable(wanted.settings))
            return RefreshReport(str(name), NO_CHANGE, "the query is the same")
    supply = _supply(work, tables)
    try:
        engine = engines(wanted.settings.engine)
        with engine.filled(view, supply, row_ids=row_ids) as filled:
            if standing is not None:
                close(work, standing)
            made, rows = _made(work, name, filled.rows, row_ids=ROW_ID_COLUMN if row_ids else None)
            if readers:
                with session.reading() as reader:
                    check_readers(reader, work.ground.snapshot, made, readers)
            read = supply.meter.total
            report = RefreshReport(
                str(made.name),
                Mode.FULL,
                "declared" if standing is None else "replaced",
                rows_out=rows,
                rows_read=read.rows,
                bytes_read=read.bytes,
                files_read=read.files,
                duration_ms=round((time.perf_counter() - start) * 1000),
            )
            settings = replace(wanted.settings, columns=_columns(tables), row_ids=row_ids)
            entry = _entry(work, replace(wanted, settings=settings), made, filled, tables, report)
        work.draft = work.draft.with_entry(entry)
        message = CommitInfo(message=f"stream table {made.name}")
        return replace(report, snapshot_id=int(work.commit(message, RetryPolicy()).id))
    except Exception:
        work.abandon()
        raise


def _standing(session: Session, wanted: Wanted) -> Definition | None:
    """The stream table of that name; it is an error if nothing is to be done with it."""
    with session.reading() as reader:
        found = [each for each in definitions(reader) if same_name(each.name, wanted.name)]
    if not found:
        return None
    if not (wanted.replaces or wanted.if_not_exists):
        raise UsageError(
            f"stream table '{found[0].name}' exists already",
            hint="replace it, drop it first, or choose another name",
        )
    return found[0]


def _check_place(work: Workspace, name: TableName, standing: Definition | None) -> None:
    """Refuse a name before anything is computed for it."""
    if work.schema(name.schema).name == STATE_SCHEMA:
        raise UsageError(
            f"schema '{STATE_SCHEMA}' is for what stream tables need besides their results",
            hint="choose another schema",
        )
    if standing is None and (work.exists(name) or work.view(name) is not None):
        raise UsageError(
            f"'{name}' exists already, and is no stream table",
            hint="drop it first, or choose another name",
        )


def _settable(settings: Settings) -> dict[str, object]:
    known = asdict(settings)
    return {each: known[each] for each in ("mode", "schedule", "compaction_policy")}


def _entry(
    work: Workspace,
    wanted: Wanted,
    made: Table,
    filled: Filled,
    tables: Tables,
    report: RefreshReport,
) -> Opened:
    states = _states(work, made.name, filled.states)
    at = work.ground.snapshot.id
    definition = Definition(
        made.id,
        made.name,
        wanted.query,
        wanted.settings,
        {state: name.table for state, (name, _) in states.items()},
        {source_key(table.name): Position(at, table.id) for table in tables.values()},
    )
    return Opened(definition, tuple(int(i) for _, i in states.values()), report)


def _supply(work: Workspace, tables: Tables) -> Supply:
    at = work.ground.snapshot.id
    new: dict[str, SnapshotId | None] = dict.fromkeys(tables, at)
    return Supply(work, tables, {}, new)


def _columns(tables: Tables) -> Mapping[str, tuple[str, ...]]:
    return {str(t.name): tuple(c.name for c in t.columns) for t in tables.values()}


def _made(
    work: Workspace, name: TableName, part: Part, *, row_ids: str | None = None
) -> tuple[Table, int]:
    table = entries.create_table(work, name, part.columns)
    done = operations.append(work, name, rows_of(part.rows, cluster_of(work)), row_ids=row_ids)
    return table, done.inserted


def _states(
    work: Workspace, name: TableName, parts: Mapping[str, Part]
) -> dict[str, tuple[TableName, TableId]]:
    if parts:
        entries.create_schema(work, STATE_SCHEMA, if_not_exists=True)
    found = {}
    for state, part in parts.items():
        # The name is for people; what makes it unique is the rest.
        made = TableName(STATE_SCHEMA, f"{name.table[:_NAMES]}_{uuid4().hex[:12]}_{state}")
        found[state] = (made, _made(work, made, part)[0].id)
    return found

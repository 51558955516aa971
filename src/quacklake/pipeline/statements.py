"""Statements about stream tables carried out; the result tells what was done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, Final, assert_never

import pyarrow as pa

from quacklake.client.references import DEFAULT_SCHEMA
from quacklake.client.session import Session
from quacklake.client.told import Told
from quacklake.kernel.errors import NotFound
from quacklake.pipeline.altering import alter
from quacklake.pipeline.declaring import Wanted, declare
from quacklake.pipeline.definition import Definition, Mode, Settings, checked_settings
from quacklake.pipeline.dropping import drop
from quacklake.pipeline.explaining import explain, validate
from quacklake.pipeline.frontier import frontier_text
from quacklake.pipeline.ports import ProgramEngines
from quacklake.pipeline.registry import definitions
from quacklake.pipeline.reports import RefreshReport
from quacklake.pipeline.running import refresh
from quacklake.sql.streams import (
    AlterStream,
    CreateStream,
    DropStream,
    ExplainStream,
    RefreshStreams,
    ShowStreams,
    StreamStatement,
    ValidateStream,
)

_REPORT: Final = pa.schema(
    [
        *((name, pa.string()) for name in ("name", "mode", "reason")),
        *((name, pa.int64()) for name in ("rows_in", "rows_out")),
        *((name, pa.int64()) for name in ("rows_read", "bytes_read", "files_read")),
        *((name, pa.int64()) for name in ("duration_ms", "snapshot_id")),
    ]
)
_TEXTS: Final = ("name", "schedule", "mode", "compaction_policy", "engine", "frontier", "query")
_STANDING: Final = pa.schema([(name, pa.string()) for name in _TEXTS])


def carried_out(
    session: Session, engines: ProgramEngines, statement: StreamStatement, *, engine: str
) -> Told:
    """Carry out a statement; `engine` makes what is created, unless the statement says."""
    match statement:
        case CreateStream():
            return _reports([declare(session, engines, _wanted(statement, engine))])
        case AlterStream(name, settings):
            return _standing([alter(session, name, dict(settings))])
        case RefreshStreams():
            return _reports(_refreshed(session, engines, statement))
        case ExplainStream(name):
            lines = str(explain(session, engines, name)).splitlines()
            return Told(pa.table({"explanation": pa.array(lines, pa.string())}))
        case ValidateStream(query):
            found = validate(session, query, DEFAULT_SCHEMA)
            return Told(pa.table({"incremental": [found.incremental], "reason": [found.reason]}))
        case DropStream():
            return _dropped(session, statement)
        case ShowStreams():
            with session.reading() as reader:
                return _standing(definitions(reader))
        case _:
            assert_never(statement)


def _wanted(statement: CreateStream, engine: str) -> Wanted:
    given: Mapping[str, object] = {"engine": engine, **dict(statement.settings)}
    return Wanted(
        statement.name,
        statement.query,
        checked_settings(Settings(), given),
        statement.replaces,
        statement.if_not_exists,
    )


def _refreshed(
    session: Session, engines: ProgramEngines, statement: RefreshStreams
) -> tuple[RefreshReport, ...]:
    names = statement.names
    if names is None:
        with session.reading() as reader:
            names = tuple(each.name for each in definitions(reader))
    mode = None if statement.mode is None else Mode(statement.mode)
    return refresh(session, engines, names, mode) if names else ()


def _dropped(session: Session, statement: DropStream) -> Told:
    try:
        names = drop(session, statement.name, cascade=statement.cascade)
    except NotFound:
        if not statement.if_exists:
            raise
        names = ()
    return Told(pa.table({"name": pa.array([str(each) for each in names], pa.string())}))


def _reports(reports: Iterable[RefreshReport]) -> Told:
    rows = [{**asdict(each), "mode": str(each.mode)} for each in reports]
    return Told(pa.Table.from_pylist(rows, schema=_REPORT))


def _standing(found: Iterable[Definition]) -> Told:
    return Told(pa.Table.from_pylist([described(each) for each in found], schema=_STANDING))


def described(definition: Definition) -> dict[str, Any]:
    """A stream table as it is listed."""
    settings = definition.settings
    return {
        "name": str(definition.name),
        "schedule": settings.schedule,
        "mode": settings.mode.value,
        "compaction_policy": settings.compaction_policy.value,
        "engine": settings.engine,
        "frontier": frontier_text(definition.frontier),
        "query": definition.query,
    }

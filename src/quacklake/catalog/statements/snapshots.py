"""Finding snapshots."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Select, bindparam, func, select

from quacklake.catalog.statements.expressions import Micros
from quacklake.catalog.statements.scope import AFTER, AT, Scope, built_once


def _facts(rows: Any) -> tuple[Any, ...]:
    return (
        rows.c.snapshot_id,
        Micros(rows.c.snapshot_time).label("time"),
        rows.c.schema_version,
        rows.c.next_catalog_id,
        rows.c.next_file_id,
    )


@built_once
def latest(scope: Scope) -> Select[Any]:
    """The newest snapshot."""
    rows = scope.rows("snapshot")
    return select(*_facts(rows)).order_by(rows.c.snapshot_id.desc()).limit(1)


@built_once
def with_id(scope: Scope) -> Select[Any]:
    """The snapshot `:at`, if it is still there."""
    rows = scope.rows("snapshot")
    return select(*_facts(rows)).where(rows.c.snapshot_id == AT)


@built_once
def before(scope: Scope) -> Select[Any]:
    """The newest snapshot at or before `:micros`."""
    rows = scope.rows("snapshot")
    time = Micros(rows.c.snapshot_time)
    ordered = select(*_facts(rows)).where(time <= bindparam("micros", type_=BigInteger()))
    return ordered.order_by(time.desc(), rows.c.snapshot_id.desc()).limit(1)


@built_once
def bounds(scope: Scope) -> Select[Any]:
    """The oldest and the newest snapshot id."""
    rows = scope.rows("snapshot")
    return select(func.min(rows.c.snapshot_id), func.max(rows.c.snapshot_id))


@built_once
def commits(scope: Scope) -> Select[Any]:
    """All snapshots in order, with what their commits said."""
    return _commits(scope)


@built_once
def commits_after(scope: Scope) -> Select[Any]:
    """The snapshots after `:after` in order, with what their commits said."""
    return _commits(scope).where(scope.rows("snapshot").c.snapshot_id > AFTER)


@built_once
def commit(scope: Scope) -> Select[Any]:
    """The snapshot `:at`, with what its commit said."""
    return _commits(scope).where(scope.rows("snapshot").c.snapshot_id == AT)


def _commits(scope: Scope) -> Select[Any]:
    rows, said = scope.rows("snapshot"), scope.rows("snapshot_changes")
    return (
        select(
            *_facts(rows),
            said.c.changes_made,
            said.c.author,
            said.c.commit_message,
            said.c.commit_extra_info,
        )
        .select_from(rows.outerjoin(said, said.c.snapshot_id == rows.c.snapshot_id))
        .order_by(rows.c.snapshot_id)
    )

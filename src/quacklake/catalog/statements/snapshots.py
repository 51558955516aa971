"""Finding snapshots."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, func, select

from quacklake.catalog.statements.expressions import Micros
from quacklake.catalog.statements.scope import Scope


def _facts(rows: Any) -> tuple[Any, ...]:
    return (
        rows.c.snapshot_id,
        Micros(rows.c.snapshot_time).label("time"),
        rows.c.schema_version,
        rows.c.next_catalog_id,
        rows.c.next_file_id,
    )


def latest(scope: Scope) -> Select[Any]:
    """The newest snapshot."""
    rows = scope.rows("snapshot")
    return select(*_facts(rows)).order_by(rows.c.snapshot_id.desc()).limit(1)


def with_id(scope: Scope, snapshot: int) -> Select[Any]:
    """The snapshot `snapshot`, if it is still there."""
    rows = scope.rows("snapshot")
    return select(*_facts(rows)).where(rows.c.snapshot_id == snapshot)


def before(scope: Scope, micros: int) -> Select[Any]:
    """The newest snapshot at or before an instant."""
    rows = scope.rows("snapshot")
    time = Micros(rows.c.snapshot_time)
    ordered = select(*_facts(rows)).where(time <= micros)
    return ordered.order_by(time.desc(), rows.c.snapshot_id.desc()).limit(1)


def bounds(scope: Scope) -> Select[Any]:
    """The oldest and the newest snapshot id."""
    rows = scope.rows("snapshot")
    return select(func.min(rows.c.snapshot_id), func.max(rows.c.snapshot_id))


def commits(scope: Scope) -> Select[Any]:
    """All snapshots in order, with what their commits said."""
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

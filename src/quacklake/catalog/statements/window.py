"""What happened to a table in a window of snapshots."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import BigInteger, Select, and_, bindparam, func, or_, select
from sqlalchemy.sql import ColumnElement, FromClause
from sqlalchemy.types import Text

from quacklake.catalog.statements.files import file_columns
from quacklake.catalog.statements.scope import AFTER, TABLE, UPTO, Scope, built_once, within

FIRST_FILE: Final = bindparam("first_file", type_=BigInteger())
"""The first file id that was given after the window began."""
MENTIONED: Final = tuple(bindparam(name, type_=Text()) for name in ("rewritten", "compacted"))
"""Patterns of what a commit says that rewrote files of a table."""


@built_once
def retained(scope: Scope) -> Select[Any]:
    """When the table began, how many of the snapshots needed are there, and the files before.

    Needed are those from `AFTER`, or from the table's first, to `UPTO`. The last column is
    the first file id given after `AFTER`, NULL if that snapshot is gone.
    """
    columns, snapshots = scope.rows("column"), scope.rows("snapshot")
    number = snapshots.c.snapshot_id
    began = (
        select(func.min(columns.c.begin_snapshot))
        .where(columns.c.table_id == TABLE)
        .scalar_subquery()
    )
    there = (
        select(func.count())
        .select_from(snapshots)
        .where(number >= AFTER, number >= began, number <= UPTO)
        .scalar_subquery()
    )
    next_file = select(snapshots.c.next_file_id).where(number == AFTER).scalar_subquery()
    return select(began.label("began"), there.label("there"), next_file.label("next_file"))


@built_once
def unbroken(scope: Scope) -> Select[Any]:
    """The first of the snapshots that lead up to `UPTO` without a gap."""
    rows, before = scope.rows("snapshot"), scope.rows("snapshot").alias("predecessor")
    has_before = (
        select(before.c.snapshot_id).where(before.c.snapshot_id == rows.c.snapshot_id - 1).exists()
    )
    return select(func.max(rows.c.snapshot_id)).where(rows.c.snapshot_id <= UPTO, ~has_before)


@built_once
def rewrites(scope: Scope) -> Select[Any]:
    """The commits of the window that say what `MENTIONED` looks for."""
    rows = scope.rows("snapshot_changes")
    said = func.lower(rows.c.changes_made)
    return select(rows.c.snapshot_id, rows.c.changes_made).where(
        within(rows.c.snapshot_id), or_(*(said.like(pattern) for pattern in MENTIONED))
    )


@built_once
def files(scope: Scope) -> Select[Any]:
    """The data files with rows that came or went in the window, one row per delete file of each.

    A file's delete files are those that say something new, or all if the file itself ended.
    After the columns of both come the file's end, and whether the delete file is new.
    """
    return _files(scope, None)


def files_of(scope: Scope, table: int) -> Select[Any]:
    """The same for a table of which the catalog keeps deletions itself."""
    removed = scope.inlined_deletes(table)
    return _files(scope, select(removed.c.file_id).where(within(removed.c.begin_snapshot)))


def _files(scope: Scope, deleted_from: Select[Any] | None) -> Select[Any]:
    rows, deletes = scope.rows("data_file"), scope.rows("delete_file")
    begun = or_(rows.c.begin_snapshot > AFTER, rows.c.partial_max > AFTER)
    ended = within(rows.c.end_snapshot)
    belongs = and_(
        deletes.c.data_file_id == rows.c.data_file_id,
        deletes.c.table_id == TABLE,
        deletes.c.begin_snapshot <= UPTO,
        or_(ended, _is_news(deletes)),
    )
    touched = [begun, ended, deletes.c.delete_file_id.is_not(None)]
    if deleted_from is not None:
        touched.append(rows.c.data_file_id.in_(deleted_from))
    return (
        select(*file_columns(rows, deletes), rows.c.end_snapshot, _is_news(deletes))
        .select_from(rows.outerjoin(deletes, belongs))
        .where(rows.c.table_id == TABLE, rows.c.begin_snapshot <= UPTO, or_(*touched))
        .order_by(rows.c.data_file_id, deletes.c.delete_file_id)
    )


def _is_news(deletes: FromClause) -> ColumnElement[bool]:
    """Whether a delete file may say when a row went away after the window began.

    One without `partial_max` may still hold deletions of several snapshots, but none later
    than the commit that wrote it, which its id dates.
    """
    columns: Any = deletes.c
    return or_(
        columns.begin_snapshot > AFTER,
        columns.partial_max > AFTER,
        and_(columns.partial_max.is_(None), columns.delete_file_id >= FIRST_FILE),
    )


def deletions(scope: Scope, table: int) -> Select[Any]:
    """File, position and snapshot of deletions in the catalog: new ones, and all of ended files."""
    rows, homes = scope.inlined_deletes(table), scope.rows("data_file")
    new = rows.c.begin_snapshot > AFTER
    return (
        select(rows.c.file_id, rows.c.row_id, rows.c.begin_snapshot)
        .join_from(rows, homes, homes.c.data_file_id == rows.c.file_id)
        .where(homes.c.table_id == TABLE, rows.c.begin_snapshot <= UPTO)
        .where(or_(new, within(homes.c.end_snapshot)))
        .order_by(rows.c.file_id, rows.c.row_id)
    )

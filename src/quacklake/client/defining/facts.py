"""What a definition may depend on: whether a table has files, rows, or NULLs."""

from __future__ import annotations

from dataclasses import replace

from quacklake.client.workspace import Workspace
from quacklake.format.snapshot import AtVersion
from quacklake.format.sqltypes import quoted
from quacklake.format.types import Column
from quacklake.scan.plan import Request
from quacklake.scan.reading import read_batches
from quacklake.transaction.columns import highest_id
from quacklake.transaction.draft import TableDraft


def has_files(work: Workspace, draft: TableDraft) -> bool:
    """Whether any data file is part of the table."""
    plan = work.plan(Request(draft.table.name, AtVersion(work.ground.snapshot.id)))
    return bool(plan.tasks)


def has_rows(work: Workspace, draft: TableDraft) -> bool:
    """Whether the table has a row."""
    return _any_row(work, draft, draft.table.columns[0], None)


def has_null(work: Workspace, draft: TableDraft, column: Column) -> bool:
    """Whether some row has NULL in a column."""
    return _any_row(work, draft, column, f"{quoted(column.name)} IS NULL")


def _any_row(work: Workspace, draft: TableDraft, column: Column, where: str | None) -> bool:
    at = AtVersion(work.ground.snapshot.id)
    plan = work.plan(Request(draft.table.name, at, None, where))
    narrow = replace(plan, columns=(column,))
    batches = read_batches(narrow, work.session.storage)
    return any(batch.num_rows for batch in batches)


def highest_column_id(work: Workspace, draft: TableDraft) -> int:
    """The greatest column id the table ever had: ids are never used again."""
    ever = 0
    if draft.base is not None:
        with work.session.reading() as reader:
            ever = reader.highest_column_id(draft.base.id)
    return max(ever, highest_id(draft.table.columns))

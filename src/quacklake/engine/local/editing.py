"""Statements that change a lake, carried out as one transaction each."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from quacklake.client.autocommit import WriteReport, autocommit
from quacklake.client.defining import entries
from quacklake.client.session import Session
from quacklake.client.workspace import Workspace
from quacklake.client.writing import merging, operations
from quacklake.client.writing.affected import NOTHING_AFFECTED, Affected
from quacklake.client.writing.inputs import Input, input_of
from quacklake.engine.local.choosing import changed
from quacklake.kernel.errors import UsageError
from quacklake.sql.edits import (
    CreateFromRows,
    Define,
    DeleteChosen,
    DeleteRows,
    Edit,
    InsertRows,
    MergeRows,
    UpdateChosen,
    UpdateRows,
)

Rows = Callable[[str], pa.Table]
"""The rows of a query over the lake."""


def carried_out(session: Session, edit: Edit, rows: Rows) -> WriteReport:
    """Do what a statement asks for; after a conflict it is done anew on the newest snapshot."""
    return autocommit(session, lambda work: operated(work, edit, rows), repeatable=True)


def defined(session: Session, edit: Define) -> WriteReport:
    """Make, alter or drop something."""

    def operate(work: Workspace) -> Affected:
        edit.operate(work)
        return NOTHING_AFFECTED

    return autocommit(session, operate, repeatable=True)


def operated(work: Workspace, edit: Edit, rows: Rows) -> Affected:
    """Do what a statement asks for within a transaction."""
    match edit:
        case InsertRows():
            return _insert(work, edit, rows)
        case CreateFromRows(table, query, keys):
            if edit.if_not_exists and work.exists(table):
                return NOTHING_AFFECTED
            found = input_of(rows(query))
            if edit.replaces and work.exists(table):
                entries.drop_table(work, table)
            entries.create_table(work, table, found.schema, partition_by=keys)
            return operations.append(work, table, found)
        case DeleteRows(table, where):
            return operations.delete(work, table, where)
        case UpdateRows(table, assignments, where):
            return operations.update(work, table, dict(assignments), where)
        case DeleteChosen() | UpdateChosen():
            return changed(work, edit)
        case MergeRows(table, query, keys, clauses):
            brought = input_of(rows(query))
            return merging.merge(work, name=table, rows=brought, on=keys, clauses=clauses)
        case Define(operate):
            operate(work)
            return NOTHING_AFFECTED


def _insert(work: Workspace, edit: InsertRows, rows: Rows) -> Affected:
    """SQL inserts by position, into the columns named or into all of them."""
    table = work.drafted(edit.table).table
    names = edit.columns or tuple(column.name for column in table.columns)
    found = rows(edit.query)
    if edit.by_name:
        return operations.append(work, edit.table, operations.cast_for(table, input_of(found)))
    if found.num_columns != len(names):
        raise UsageError(
            f"the rows have {found.num_columns} columns, and {len(names)} are to be filled",
            hint="name the columns: INSERT INTO t (a, b) …",
        )
    given: Input = input_of(found.rename_columns(list(names)))
    return operations.append(work, edit.table, operations.cast_for(table, given))

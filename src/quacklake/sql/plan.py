"""What a query needs: every table, view and macro it reaches, each at one snapshot.

A snapshot of the lake is a database to the engine, so names resolve as DuckDB resolves them.
Only references that travel in time are rewritten, into names of another such database.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from quacklake.format.snapshot import Snapshot
from quacklake.format.sqltypes import quoted
from quacklake.format.table import Macro, Table, TableName, View
from quacklake.kernel.ids import SnapshotId


@dataclass(frozen=True, slots=True)
class DeclaredTable:
    """A table to read at a snapshot; a stand-in is only listed, never read."""

    table: Table
    at: Snapshot
    stands_in: bool = False

    @property
    def name(self) -> TableName:
        """The table's name."""
        return self.table.name


@dataclass(frozen=True, slots=True)
class DeclaredView:
    """A stored query, its text rewritten for the engine."""

    view: View
    at: Snapshot
    sql: str

    @property
    def name(self) -> TableName:
        """The view's name."""
        return self.view.name


@dataclass(frozen=True, slots=True)
class DeclaredMacro:
    """All implementations of a macro, their texts rewritten for the engine."""

    name: TableName
    at: Snapshot
    implementations: tuple[Macro, ...]


Declaration: TypeAlias = DeclaredTable | DeclaredView | DeclaredMacro


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """A query ready to run: what to declare, in order, and then the text."""

    sql: str
    snapshot: Snapshot
    declarations: tuple[Declaration, ...]


def database_name(snapshot: SnapshotId) -> str:
    """What the engine calls the lake as it was at `snapshot`."""
    return f"snapshot {snapshot}"


def qualified(name: TableName, at: SnapshotId) -> str:
    """SQL for `name` in the database of a snapshot."""
    return f"{quoted(database_name(at))}.{quoted(name.schema)}.{quoted(name.table)}"

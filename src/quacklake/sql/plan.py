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
    """A table to read at a snapshot; a stand-in is only listed, never read.

    With `virtual` columns it is another table, in a database of its own.
    """

    table: Table
    at: Snapshot
    stands_in: bool = False
    virtual: tuple[str, ...] = ()

    @property
    def name(self) -> TableName:
        """The table's name."""
        return self.table.name

    @property
    def database(self) -> str:
        """The database that the engine has it in."""
        return database_name(self.at.id, virtual=bool(self.virtual))


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

    @property
    def database(self) -> str:
        """The database that the engine has it in."""
        return database_name(self.at.id)


@dataclass(frozen=True, slots=True)
class DeclaredMacro:
    """All implementations of a macro, their texts rewritten for the engine."""

    name: TableName
    at: Snapshot
    implementations: tuple[Macro, ...]

    @property
    def database(self) -> str:
        """The database that the engine has it in."""
        return database_name(self.at.id)


Declaration: TypeAlias = DeclaredTable | DeclaredView | DeclaredMacro


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """A query ready to run: what to declare, in order, and then the text."""

    sql: str
    snapshot: Snapshot
    declarations: tuple[Declaration, ...]


def database_name(snapshot: SnapshotId, *, virtual: bool = False) -> str:
    """What the engine calls the lake as it was at `snapshot`."""
    return f"snapshot {snapshot} with virtual columns" if virtual else f"snapshot {snapshot}"


def qualified(name: TableName, at: SnapshotId, *, virtual: bool = False) -> str:
    """SQL for `name` in the database of a snapshot."""
    database = database_name(at, virtual=virtual)
    return f"{quoted(database)}.{quoted(name.schema)}.{quoted(name.table)}"

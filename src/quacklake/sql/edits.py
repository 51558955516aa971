"""Statements that change a lake, as values: what to do, to which table, with which rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from quacklake.client.workspace import Workspace
from quacklake.client.writing.clauses import Clauses
from quacklake.format.table import TableName


@dataclass(frozen=True, slots=True)
class InsertRows:
    """Rows of a query go into a table; `columns` name what the query gives, in its order."""

    table: TableName
    columns: tuple[str, ...]
    query: str


@dataclass(frozen=True, slots=True)
class CreateFromRows:
    """A table is made from the rows of a query."""

    table: TableName
    query: str
    partition_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeleteRows:
    """Rows that satisfy a condition go; all of them without one."""

    table: TableName
    where: str | None


@dataclass(frozen=True, slots=True)
class UpdateRows:
    """Columns of rows that satisfy a condition get new values."""

    table: TableName
    assignments: tuple[tuple[str, str], ...]
    where: str | None


@dataclass(frozen=True, slots=True)
class MergeRows:
    """Rows of a query are merged into a table by key."""

    table: TableName
    query: str
    keys: tuple[str, ...]
    clauses: Clauses


@dataclass(frozen=True, slots=True)
class Define:
    """Something is made, altered or dropped."""

    operate: Callable[[Workspace], object]


Edit: TypeAlias = InsertRows | CreateFromRows | DeleteRows | UpdateRows | MergeRows | Define

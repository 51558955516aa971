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
    """Rows of a query go into a table; `columns` name what the query gives, in its order.

    With `by_name` the query names them itself.
    """

    table: TableName
    columns: tuple[str, ...]
    query: str
    by_name: bool = False


@dataclass(frozen=True, slots=True)
class CreateFromRows:
    """A table is made from the rows of a query, in place of one of its name if it `replaces`.

    With `if_not_exists` nothing is done where there is a table of its name.
    """

    table: TableName
    query: str
    partition_by: tuple[str, ...]
    replaces: bool = False
    if_not_exists: bool = False


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
class Chosen:
    """Rows of a table chosen by a query in DuckDB's SQL, which calls the table `name`.

    `head` comes before its SELECT, `rest` after the columns: FROM, and what follows.
    """

    name: str
    head: str
    rest: str

    def query(self, columns: str) -> str:
        """A query of columns of the chosen rows."""
        return f"{self.head}SELECT {columns} {self.rest}"


@dataclass(frozen=True, slots=True)
class DeleteChosen:
    """Rows that a query chooses go, each once.

    `plain` does it for a table that has columns of its own by the names of virtual ones.
    """

    table: TableName
    rows: Chosen
    plain: DeleteRows | None = None


@dataclass(frozen=True, slots=True)
class UpdateChosen:
    """Columns of rows that a query chooses get values that it computes; see `DeleteChosen`."""

    table: TableName
    assignments: tuple[tuple[str, str], ...]
    rows: Chosen
    plain: UpdateRows | None = None


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


Edit: TypeAlias = (
    InsertRows
    | CreateFromRows
    | DeleteRows
    | UpdateRows
    | DeleteChosen
    | UpdateChosen
    | MergeRows
    | Define
)

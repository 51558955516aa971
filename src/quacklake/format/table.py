"""A table, schema, view or macro as it is at one snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from quacklake.format.partition import PartitionSpec
from quacklake.format.types import Column
from quacklake.kernel.errors import NotFound
from quacklake.kernel.ids import SchemaId, TableId


@dataclass(frozen=True, slots=True)
class TableName:
    """A table's schema and name; both compare without regard to case."""

    schema: str
    table: str

    def __str__(self) -> str:
        return f"{self.schema}.{self.table}"


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema and the full location of its folder."""

    id: SchemaId
    name: str
    location: str


@dataclass(frozen=True, slots=True)
class SortKey:
    """One expression of the order in which rows are written."""

    expression: str
    dialect: str
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A table at one snapshot; `location` is the full location of its folder."""

    id: TableId
    uuid: UUID
    name: TableName
    location: str
    columns: tuple[Column, ...]
    partition: PartitionSpec | None = None
    sort: tuple[SortKey, ...] = ()
    comment: str | None = None

    def column(self, name: str) -> Column:
        """The top-level column called `name`, without regard to case."""
        wanted = name.casefold()
        for column in self.columns:
            if column.name.casefold() == wanted:
                return column
        raise NotFound(
            f"no column '{name}' in table '{self.name}'",
            hint="its columns are " + ", ".join(column.name for column in self.columns),
            kind="column",
            name=name,
        )


@dataclass(frozen=True, slots=True)
class View:
    """A stored query; unqualified names in it resolve in the view's own schema."""

    name: TableName
    dialect: str
    sql: str
    column_aliases: tuple[str, ...] = ()
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Macro:
    """One implementation of a stored macro, with its parameters as `name` or `name := default`."""

    name: TableName
    dialect: str
    sql: str
    is_table: bool
    parameters: tuple[str, ...]

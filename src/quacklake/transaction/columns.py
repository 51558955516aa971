"""Columns as catalog rows, and the rows that a change of columns ends and begins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from quacklake.format.types import Column, type_name
from quacklake.kernel.ids import ColumnId, SnapshotId, TableId

NO_DEFAULT = "NULL"


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """One row of `ducklake_column` without its life span."""

    column: Column
    parent: ColumnId | None

    def cells(self, table: TableId, begin: SnapshotId) -> tuple[object, ...]:
        """The row in the format's order."""
        column = self.column
        nested = bool(column.children())
        kind = "expression" if column.default_is_expression else "" if nested else "literal"
        return (
            int(column.id),
            int(begin),
            None,
            int(table),
            int(column.id),
            column.name,
            type_name(column.type),
            column.initial_default,
            NO_DEFAULT if column.default is None else column.default,
            column.nullable,
            None if self.parent is None else int(self.parent),
            kind,
            "duckdb",
        )

    def differs(self, other: ColumnRow) -> bool:
        """Whether the rows differ in anything but the fields below."""
        return self.cells(TableId(0), SnapshotId(0)) != other.cells(TableId(0), SnapshotId(0))


def rows_of(columns: tuple[Column, ...], parent: ColumnId | None = None) -> Iterator[ColumnRow]:
    """A row for each column and nested field, parents first."""
    for column in columns:
        yield ColumnRow(column, parent)
        yield from rows_of(column.children(), column.id)


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """The column ids whose rows end, and the rows that begin."""

    ended: tuple[ColumnId, ...]
    begun: tuple[ColumnRow, ...]


def change_between(before: tuple[Column, ...], after: tuple[Column, ...]) -> ColumnChange:
    """What turns the rows of `before` into those of `after`."""
    old = {row.column.id: row for row in rows_of(before)}
    new = {row.column.id: row for row in rows_of(after)}
    changed = [i for i, row in new.items() if i in old and row.differs(old[i])]
    ended = [i for i in old if i not in new] + changed
    begun = [row for i, row in new.items() if i not in old or i in changed]
    return ColumnChange(tuple(sorted(ended)), tuple(begun))


def highest_id(columns: tuple[Column, ...]) -> int:
    """The greatest id among columns and nested fields."""
    return max((int(row.column.id) for row in rows_of(columns)), default=0)

"""New columns for rewritten plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from quacklake.ivm.expressions import Expr, reference
from quacklake.ivm.plan import Column, Item

# Given a name and a type, a column whose id is new.
Fresh: TypeAlias = Callable[[str, str], Column]


def kept(columns: Iterable[Column]) -> tuple[Item, ...]:
    """Items that hand columns on as they are."""
    return tuple(Item(column, reference(column.id)) for column in columns)


def renamed(columns: Iterable[Column], fresh: Fresh) -> tuple[Item, ...]:
    """Items that hand columns on under new ids."""
    return tuple(Item(fresh(each.id, each.type), reference(each.id)) for each in columns)


def by_id(items: Iterable[Item]) -> dict[str, Expr]:
    """What computes each column."""
    return {item.column.id: item.expression for item in items}

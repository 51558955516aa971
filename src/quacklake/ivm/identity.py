"""How a row of a stored result is found again when it must go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from quacklake.ivm.plan import Aggregate, Filter, Plan, Project, Scan, Stored
from quacklake.ivm.shape import columns_of


@dataclass(frozen=True, slots=True)
class ByRowId:
    """Each result row is one row of `source`, and can carry its row id."""

    source: str


@dataclass(frozen=True, slots=True)
class ByKey:
    """No two result rows have the same `columns`; without columns there is one row at most."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ByContent:
    """Rows are told apart by all their values, NULL equal to NULL."""


Identity: TypeAlias = ByRowId | ByKey | ByContent


def identity_of(plan: Plan, names: tuple[str, ...]) -> Identity:
    """What identifies the rows of a view's result."""
    top = plan
    shown = {column.id: name for column, name in zip(columns_of(plan), names, strict=True)}
    while isinstance(top, Filter | Project | Stored):
        if isinstance(top, Project):
            shown = {
                item.expression.name: shown[item.column.id]
                for item in top.items
                if isinstance(item.expression, exp.Column) and item.column.id in shown
            }
        top = top.input
    if isinstance(top, Scan):
        return ByRowId(top.source)
    if isinstance(top, Aggregate) and all(item.column.id in shown for item in top.keys):
        return ByKey(tuple(shown[item.column.id] for item in top.keys))
    return ByContent()

"""How a row of a stored result is found again when it must go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from sqlglot import exp

from quacklake.ivm.passes.fresh import kept
from quacklake.ivm.plan import Aggregate, Column, Filter, Plan, Project, Scan, Stored
from quacklake.ivm.program import ROW_ID_COLUMN
from quacklake.ivm.shape import columns_of

ROW_ID: Final = Column(ROW_ID_COLUMN, "BIGINT")


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
        return ByContent() if _is_taken(*top.fields, *names) else ByRowId(top.source)
    if isinstance(top, Aggregate) and all(item.column.id in shown for item in top.keys):
        return ByKey(tuple(shown[item.column.id] for item in top.keys))
    return ByContent()


def _is_taken(*names: str) -> bool:
    """Whether a column of the view or of its source has the name that carries row ids."""
    return any(name.casefold() == ROW_ID_COLUMN for name in names)


def with_row_ids(plan: Plan) -> Plan:
    """The plan of a view identified by row id, with that id as one more column.

    Filters and projections give one row at most for each row they take, so its id is theirs.
    """
    match plan:
        case Scan():
            fields, columns = (*plan.fields, ROW_ID_COLUMN), (*plan.columns, ROW_ID)
            return replace(plan, fields=fields, columns=columns, row_ids=True)
        case Filter():
            return replace(plan, input=with_row_ids(plan.input))
        case Project():
            return Project(with_row_ids(plan.input), (*plan.items, *kept((ROW_ID,))))
        case _:
            raise AssertionError(f"rows of {type(plan).__name__} are not rows of one source")

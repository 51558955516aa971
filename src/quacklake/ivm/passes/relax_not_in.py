"""NOT IN between columns that are never NULL is a plain anti join.

    AntiJoin(L, R, on COALESCE(l.x = r.y, TRUE))  becomes  AntiJoin(L, R, on l.x = r.y)

The first form must compare every pair of rows; the second joins on a key.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from quacklake.ivm.expressions import Expr, conjuncts, references
from quacklake.ivm.plan import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    LeftJoin,
    MarkJoin,
    Plan,
    Project,
    Restrict,
    Scan,
    SemiJoin,
    TopN,
    Unnest,
    Window,
)
from quacklake.ivm.shape import bottom_up


def relax_not_in(plan: Plan) -> Plan:
    """The plan with NULL-aware anti joins made plain where no NULL can come."""

    def change(node: Plan) -> Plan:
        if not isinstance(node, SemiJoin):
            return node
        never_null = required(node.left) | required(node.right)
        on = tuple(part for each in node.on for part in _relaxed(each, never_null))
        return replace(node, on=on)

    return bottom_up(plan, change)


def _relaxed(condition: Expr, never_null: frozenset[str]) -> tuple[Expr, ...]:
    if not isinstance(condition, exp.Coalesce) or not references(condition) <= never_null:
        return (condition,)
    parts = conjuncts(condition.this)
    plain = all(isinstance(each, exp.EQ) and _bare(each.left) and _bare(each.right)
                for each in parts)  # fmt: skip
    return parts if plain else (condition,)


def _bare(side: Expr) -> bool:
    return isinstance(side, exp.Column)


def required(plan: Plan) -> frozenset[str]:
    """The ids of columns that are surely never NULL."""
    match plan:
        case Scan():
            return plan.required
        case Filter():
            return required(plan.input) | _demanded(plan.predicate)
        case Distinct() | TopN() | Restrict() | Window() | Unnest():
            return required(plan.input)
        case Project():
            return _handed_on(plan, required(plan.input))
        case Aggregate():
            below = required(plan.input)
            return frozenset(
                item.column.id
                for item in plan.keys
                if isinstance(item.expression, exp.Column) and item.expression.name in below
            )
        case Join():
            return frozenset().union(*(required(each) for each in plan.inputs))
        case LeftJoin() | SemiJoin() | MarkJoin():
            return required(plan.left)
        case _:
            return frozenset()


def _handed_on(plan: Project, below: frozenset[str]) -> frozenset[str]:
    return frozenset(
        item.column.id
        for item in plan.items
        if (isinstance(item.expression, exp.Column) and item.expression.name in below)
        or isinstance(item.expression, exp.Literal | exp.Boolean)
    )


def _demanded(predicate: Expr) -> frozenset[str]:
    """The columns a predicate says are not NULL."""
    found = set()
    for each in conjuncts(predicate):
        inner = each.this.unnest() if isinstance(each, exp.Not) else None
        if (
            isinstance(inner, exp.Is)
            and isinstance(inner.expression, exp.Null)
            and isinstance(inner.this, exp.Column)
        ):
            found.add(inner.this.name)
    return frozenset(found)

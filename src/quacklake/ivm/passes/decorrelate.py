"""Subqueries become joins: afterwards no plan reads a column from outside.

    Apply(SEMI, L, Filter(r.k = l.k, R))  becomes  SemiJoin(L, R, on r.k = l.k)

A predicate that compares with the outer row is lifted out of the subquery into the join where
that keeps the meaning. What remains correlated is evaluated for the distinct outer values it
reads (see `domains`), and joined back on those, NULL equal to NULL.
"""

from __future__ import annotations

from sqlglot import exp

from quacklake.ivm.expressions import Expr, substitute
from quacklake.ivm.passes.domains import joined_back, over_domain
from quacklake.ivm.passes.fresh import Fresh, by_id, kept
from quacklake.ivm.passes.lift import lifted
from quacklake.ivm.passes.scalars import scalar_joined
from quacklake.ivm.plan import (
    Apply,
    ApplyKind,
    Distinct,
    Item,
    Join,
    LeftJoin,
    MarkJoin,
    Plan,
    Project,
    SemiJoin,
)
from quacklake.ivm.shape import bottom_up, columns_of, free_columns, ids_of


def decorrelate(plan: Plan, fresh: Fresh) -> Plan:
    """The plan with every Apply replaced by joins."""

    def change(node: Plan) -> Plan:
        return _unapplied(node, fresh) if isinstance(node, Apply) else node

    return bottom_up(plan, change)


def _unapplied(node: Apply, fresh: Fresh) -> Plan:
    match node.kind:
        case ApplyKind.SCALAR:
            return scalar_joined(node, fresh)
        case ApplyKind.INNER:
            return _lateral(node, fresh)
        case ApplyKind.LEFT:
            return _left_lateral(node, fresh)
        case ApplyKind.SEMI | ApplyKind.ANTI | ApplyKind.MARK:
            return _existence(node, fresh)


def _existence(node: Apply, fresh: Fresh) -> Plan:
    """Only whether there are rows matters: projections and duplicates do not."""
    right, on = node.right, node.on
    while True:
        if isinstance(right, Project):
            items = by_id(right.items)
            right, on = right.input, tuple(substitute(each, items) for each in on)
        elif isinstance(right, Distinct):
            right = right.input
        else:
            break
    outer = ids_of(node.left)
    inner = lifted(right, outer)
    if not free_columns(inner.plan) & outer:
        on += inner.predicates
        return _matched(node, inner.plan if on else _any_row(inner.plan, fresh), on)
    over = over_domain(node.left, right, fresh)
    return _matched(node, over.plan, on + joined_back(over))


def _any_row(plan: Plan, fresh: Fresh) -> Plan:
    """One row if there is any: it changes only when the first comes or the last goes."""
    return Distinct(Project(plan, (Item(fresh("any", "BOOLEAN"), exp.true()),)))


def _matched(node: Apply, right: Plan, on: tuple[Expr, ...]) -> Plan:
    if node.kind is ApplyKind.MARK and node.output is not None:
        return MarkJoin(node.left, right, on, node.output)
    return SemiJoin(node.left, right, on, node.kind is ApplyKind.ANTI)


def _lateral(node: Apply, fresh: Fresh) -> Plan:
    items = kept(columns_of(node.left)) + kept(columns_of(node.right))
    right = node.right
    if isinstance(right, Project):
        items = kept(columns_of(node.left)) + right.items
        right = right.input
    outer = ids_of(node.left)
    inner = lifted(right, outer)
    if not free_columns(inner.plan) & outer:
        return Project(Join((node.left, inner.plan), node.on + inner.predicates), items)
    over = over_domain(node.left, node.right, fresh)
    joined = Join((node.left, over.plan), node.on + joined_back(over))
    return Project(joined, kept(columns_of(node.left) + columns_of(node.right)))


def _left_lateral(node: Apply, fresh: Fresh) -> Plan:
    if not free_columns(node.right) & ids_of(node.left):
        return LeftJoin(node.left, node.right, node.on)
    over = over_domain(node.left, node.right, fresh)
    joined = LeftJoin(node.left, over.plan, node.on + joined_back(over))
    return Project(joined, kept(columns_of(node.left) + columns_of(node.right)))

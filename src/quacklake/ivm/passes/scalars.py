"""A scalar subquery is a join with a plan that has at most one row for each outer row."""

from __future__ import annotations

from sqlglot import exp

from quacklake.ivm.expressions import Expr, reference, references, references_of, substitute
from quacklake.ivm.passes.domains import joined_back, over_domain
from quacklake.ivm.passes.empty import or_empty
from quacklake.ivm.passes.fresh import Fresh, by_id, kept
from quacklake.ivm.passes.lift import lifted
from quacklake.ivm.plan import (
    Aggregate,
    Apply,
    Column,
    Item,
    Join,
    LeftJoin,
    Plan,
    Project,
    Values,
)
from quacklake.ivm.shape import columns_of, free_columns, ids_of

# The engine's function that ends a query with a message.
RAISE = "raise_error"


def scalar_joined(node: Apply, fresh: Fresh) -> Plan:
    """The outer rows with the value of a scalar subquery as their last column."""
    if node.output is None:
        raise AssertionError("a scalar subquery has a value")
    outer = ids_of(node.left)
    if not free_columns(node.right) & outer:
        right = node.right if _has_one_row(node.right) else _at_most_one(node.right, (), fresh)
        value = reference(columns_of(right)[0].id)
        return _with_value(node, Join((node.left, right), ()), value)
    return _grouped_by_correlation(node, fresh) or _over_domain(node, fresh)


def _with_value(node: Apply, joined: Plan, value: Expr) -> Plan:
    if node.output is None:
        raise AssertionError("a scalar subquery has a value")
    return Project(joined, (*kept(columns_of(node.left)), Item(node.output, value)))


def _has_one_row(plan: Plan) -> bool:
    if isinstance(plan, Project):
        return _has_one_row(plan.input)
    if isinstance(plan, Values):
        return len(plan.rows) == 1
    return isinstance(plan, Aggregate) and not plan.keys


def _at_most_one(plan: Plan, keys: tuple[Column, ...], fresh: Fresh) -> Plan:
    """One row per key; more rows than one end the query, as SQL wants it."""
    value = columns_of(plan)[0]
    largest = Item(fresh(value.id, value.type), exp.Max(this=reference(value.id)))
    count = Item(fresh("rows", "BIGINT"), exp.Count(this=exp.Star()))
    message = exp.Literal.string("a scalar subquery returned more than one row")
    several = exp.GT(this=reference(count.column.id), expression=exp.Literal.number(1))
    only = (
        exp.Case()
        .when(several, exp.Anonymous(this=RAISE, expressions=[message]))
        .else_(reference(largest.column.id))
    )
    grouped = Aggregate(plan, kept(keys), (largest, count))
    return Project(grouped, (Item(fresh(value.id, value.type), only), *kept(keys)))


def _grouped_by_correlation(node: Apply, fresh: Fresh) -> Plan | None:
    """An aggregate correlated by equalities alone is grouped by them, and joined on them."""
    top = node.right
    value: Expr = reference(columns_of(top)[0].id)
    while isinstance(top, Project):
        value, top = substitute(value, by_id(top.items)), top.input
    outer = ids_of(node.left)
    if not (isinstance(top, Aggregate) and not top.keys):
        return None
    inner = lifted(top.input, outer)
    calls = references_of(item.expression for item in top.aggregates)
    pairs = [_equality(each, outer) for each in inner.predicates]
    if (free_columns(inner.plan) | calls) & outer or None in pairs:
        return None
    found = [pair for pair in pairs if pair is not None]
    keys = tuple(Item(fresh("correlation", ""), inside) for _, inside, _ in found)
    on = tuple(
        kind(this=outside.copy(), expression=reference(key.column.id))
        for (outside, _, kind), key in zip(found, keys, strict=True)
    )
    joined = LeftJoin(node.left, Aggregate(inner.plan, keys, top.aggregates), on)
    filled = {item.column.id: or_empty(item) for item in top.aggregates}
    return _with_value(node, joined, substitute(value, filled))


def _equality(predicate: Expr, outer: frozenset[str]) -> tuple[Expr, Expr, type[Expr]] | None:
    """The outer and the inner side of an equality of the two."""
    if not isinstance(predicate, exp.EQ | exp.NullSafeEQ):
        return None
    left, right = predicate.this, predicate.expression
    for outside, inside in ((left, right), (right, left)):
        if references(outside) <= outer and references(inside) and not references(inside) & outer:
            return outside, inside, type(predicate)
    return None


def _over_domain(node: Apply, fresh: Fresh) -> Plan:
    over = over_domain(node.left, node.right, fresh)
    value = columns_of(node.right)[0]
    if _has_one_row(node.right):
        joined: Plan = Join((node.left, over.plan), joined_back(over))
        return _with_value(node, joined, reference(value.id))
    columns = tuple(over.outer.values())
    trimmed = Project(over.plan, kept((value, *columns)))
    guarded = _at_most_one(trimmed, columns, fresh)
    joined = LeftJoin(node.left, guarded, joined_back(over))
    return _with_value(node, joined, reference(columns_of(guarded)[0].id))

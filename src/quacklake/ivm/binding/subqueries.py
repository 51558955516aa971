"""Subqueries inside expressions: each becomes an Apply that adds a column, or keeps or drops rows.

Three-valued logic is spelled out: `x IN S` is true if some `x = s` is true, else unknown if some
is unknown, else false; `x NOT IN S` keeps a row if no `x = s` is true or unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from quacklake.ivm.binding.context import Bound, Context, Scope
from quacklake.ivm.expressions import (
    Expr,
    conjunction,
    conjuncts,
    is_not_false,
    is_null,
    reference,
    rewrite,
)
from quacklake.ivm.plan import Apply, ApplyKind, Filter, Plan
from quacklake.kernel.errors import UsageError


@dataclass(frozen=True, slots=True)
class _Membership:
    """A comparison of an outer value with each row of a subquery."""

    right: Plan
    matches: Expr
    every: bool


def bind_scalar(context: Context, plan: Plan, node: Expr, scope: Scope) -> tuple[Plan, Expr]:
    """An expression over the rows of the plan answered beside it, which has what it needs."""

    def change(each: Expr) -> Expr | None:
        nonlocal plan
        if isinstance(each, exp.Column) and each.table:
            found = reference(scope.find(each.table, each.name).id)
            found.type = each.type
            return found
        if is_subquery(each):
            plan, value = _bind_value(context, plan, each, scope)
            return value
        return None

    bound = rewrite(node, change)
    return plan, bound


def bind_predicate(context: Context, plan: Plan, node: Expr, scope: Scope) -> Plan:
    """The rows of a plan for which a predicate is true."""
    for each in conjuncts(node):
        plan = _keep(context, plan, each, scope)
    return plan


def _keep(context: Context, plan: Plan, node: Expr, scope: Scope) -> Plan:
    """Rows for which one conjunct is true; subqueries directly in it need no mark."""
    inner = node.this.unnest() if isinstance(node, exp.Not) else node
    negated = isinstance(node, exp.Not)
    if _is_exists(inner):
        kind = ApplyKind.ANTI if negated else ApplyKind.SEMI
        return Apply(kind, plan, _any_rows(context, inner, scope), ())
    if _is_membership(inner):
        plan, member = _membership(context, plan, inner, scope)
        if member.every == negated:
            on = exp.Not(this=exp.Paren(this=member.matches)) if member.every else member.matches
            return Apply(ApplyKind.SEMI, plan, member.right, (on,))
        bad = exp.Not(this=exp.Paren(this=member.matches)) if member.every else member.matches
        return Apply(ApplyKind.ANTI, plan, member.right, (is_not_false(bad),))
    plan, predicate = bind_scalar(context, plan, node, scope)
    return Filter(plan, predicate)


def is_subquery(node: Expr) -> bool:
    """Whether a node's value comes from a query of its own."""
    return _is_exists(node) or _is_membership(node) or isinstance(node, exp.Query)


def _is_exists(node: Expr) -> bool:
    return isinstance(node, exp.Exists) and isinstance(node.this, exp.Query)


def _any_rows(context: Context, node: Expr, scope: Scope) -> Plan:
    """The rows EXISTS asks for; whether there are any does not depend on LIMIT 1 or an order."""
    query = node.this.copy()
    limit = query.args.get("limit")
    if isinstance(limit, exp.Limit) and limit.expression.name != "0":
        query.set("limit", None)
    return context.query(query, scope).plan


def _is_membership(node: Expr) -> bool:
    if isinstance(node, exp.In):
        return node.args.get("query") is not None
    return isinstance(node, exp.Binary) and isinstance(node.expression, exp.Any | exp.All)


def _bind_value(context: Context, plan: Plan, node: Expr, scope: Scope) -> tuple[Plan, Expr]:
    if _is_exists(node):
        return _marked(context, plan, _any_rows(context, node, scope), ())
    if _is_membership(node):
        return _bind_membership(context, plan, node, scope)
    bound = context.query(node, scope)
    if len(bound.outputs) != 1:
        raise UsageError("a scalar subquery must have one column", hint="select one value")
    value = context.fresh(bound.outputs[0][0], bound.outputs[0][1].type)
    return Apply(ApplyKind.SCALAR, plan, bound.plan, (), value), reference(value.id)


def _marked(context: Context, plan: Plan, right: Plan, on: tuple[Expr, ...]) -> tuple[Plan, Expr]:
    mark = context.fresh("mark", "BOOLEAN")
    return Apply(ApplyKind.MARK, plan, right, on, mark), reference(mark.id)


def _bind_membership(context: Context, plan: Plan, node: Expr, scope: Scope) -> tuple[Plan, Expr]:
    plan, member = _membership(context, plan, node, scope)
    deciding = exp.Not(this=exp.Paren(this=member.matches)) if member.every else member.matches
    plan, decided = _marked(context, plan, member.right, (deciding,))
    plan, unknown = _marked(context, plan, member.right, (is_null(member.matches),))
    case = (
        exp.Case()
        .when(decided, exp.false() if member.every else exp.true())
        .when(unknown, exp.cast(exp.null(), "BOOLEAN"))
        .else_(exp.true() if member.every else exp.false())
    )
    return plan, exp.Paren(this=case)


def _membership(context: Context, plan: Plan, node: Expr, scope: Scope) -> tuple[Plan, _Membership]:
    query = node.args["query"] if isinstance(node, exp.In) else node.expression.this
    left = node.this.unnest()
    parts = left.expressions if isinstance(left, exp.Tuple) else [left]
    values = []
    for part in parts:
        plan, value = bind_scalar(context, plan, part, scope)
        values.append(value)
    bound = context.query(query, scope)
    if len(bound.outputs) != len(values):
        raise UsageError(
            "both sides of a comparison with a subquery need as many columns", hint="select as many"
        )
    compare = exp.EQ if isinstance(node, exp.In) else type(node)
    matches = conjunction(_compared(compare, values, bound))
    every = not isinstance(node, exp.In) and isinstance(node.expression, exp.All)
    return plan, _Membership(bound.plan, matches, every)


def _compared(compare: type[Expr], values: list[Expr], bound: Bound) -> list[Expr]:
    return [
        compare(this=_operand(value), expression=reference(column.id))
        for value, (_, column) in zip(values, bound.outputs, strict=True)
    ]


def _operand(value: Expr) -> Expr:
    return value if isinstance(value, exp.Column | exp.Literal) else exp.Paren(this=value)

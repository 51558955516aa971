"""A whole query: WITH, set operations, SELECT."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from sqlglot import exp

from quacklake.ivm.binding.context import Bound, Context, Scope
from quacklake.ivm.binding.limits import limited, ordering
from quacklake.ivm.binding.names import Resolved
from quacklake.ivm.binding.selects import bind_select
from quacklake.ivm.expressions import Expr, reference
from quacklake.ivm.plan import Column, Distinct, Plan, SetKind, SetOperation, UnionAll
from quacklake.ivm.refusals import RECURSIVE, refusal
from quacklake.kernel.errors import UsageError


def bind(resolved: Resolved) -> tuple[Context, Bound]:
    """The plan of a resolved query, still with correlated subqueries in it."""
    context = Context(resolved.sources, bind_query)
    return context, bind_query(context, resolved.tree, Scope())


def bind_query(context: Context, node: exp.Query, scope: Scope) -> Bound:
    """The plan of a query that may read the columns of the scopes outside."""
    scope = _with_ctes(context, node, scope)
    match node:
        case exp.Select():
            return bind_select(context, node, scope)
        case exp.SetOperation():
            return _limited(_set_operation(context, node, scope), node)
        case exp.Subquery():
            inner = bind_query(context, cast("exp.Query", node.this), scope)
            return _limited(inner, node)
        case exp.Table() | exp.Values():
            select = exp.select("*").from_(node)
            raise refusal(f"a bare {node.key}", f"write {select.key.upper()}")
        case _:
            raise refusal(f"a {node.key}", "a view is a SELECT")


def _with_ctes(context: Context, node: exp.Query, scope: Scope) -> Scope:
    """The scope with the common table expressions of a query; each is planned once."""
    clause = node.args.get("with_")
    if clause is None:
        return scope
    for cte in clause.expressions:
        if clause.recursive and any(table.name == cte.alias for table in cte.find_all(exp.Table)):
            raise refusal(RECURSIVE, "its change has no bound")
        bound = bind_query(context, cte.this, replace(scope, tables={}))
        names = [each.name for each in cte.args["alias"].columns]
        if names:
            columns = [column for _, column in bound.outputs]
            bound = Bound(bound.plan, tuple(zip(names, columns, strict=True)))
        scope = replace(scope, ctes={**scope.ctes, cte.alias: bound})
    return scope


def _set_operation(context: Context, node: exp.SetOperation, scope: Scope) -> Bound:
    if node.args.get("by_name"):
        raise refusal("UNION BY NAME", "name the columns in order")
    left = bind_query(context, cast("exp.Query", node.this), scope)
    right = bind_query(context, cast("exp.Query", node.expression), scope)
    if len(left.outputs) != len(right.outputs):
        raise UsageError(
            "both sides of a set operation need as many columns",
            hint=f"{len(left.outputs)} and {len(right.outputs)} are given",
        )
    outputs = tuple((name, context.fresh(name, column.type)) for name, column in left.outputs)
    columns = tuple(column for _, column in outputs)
    sides = (_ordered(context, left), _ordered(context, right))
    return Bound(_combined(node, sides, columns), outputs)


def _ordered(context: Context, bound: Bound) -> Plan:
    """A plan whose columns are exactly the outputs, in their order."""
    return context.renamed(bound).plan


def _combined(
    node: exp.SetOperation, sides: tuple[Plan, Plan], columns: tuple[Column, ...]
) -> Plan:
    distinct = bool(node.args.get("distinct"))
    if isinstance(node, exp.Union):
        union = UnionAll(sides, columns)
        return Distinct(union) if distinct else union
    kind = SetKind.INTERSECT if isinstance(node, exp.Intersect) else SetKind.EXCEPT
    return SetOperation(kind, not distinct, *sides, columns)


def _limited(bound: Bound, node: exp.Query) -> Bound:
    """LIMIT of a set operation or of a query in parentheses; its ORDER BY names outputs."""
    if not (node.args.get("limit") or node.args.get("offset")):
        return bound
    by_name = dict(bound.outputs)
    order = []
    for each in ordering(node):
        name = each.this.name if isinstance(each.this, exp.Column) else ""
        if name not in by_name:
            raise refusal("ORDER BY an expression of a set operation", "order by its columns")
        ordered: Expr = each.copy()
        ordered.set("this", reference(by_name[name].id))
        order.append(ordered)
    return Bound(limited(bound.plan, node, tuple(order)), bound.outputs)

"""Window functions are lifted out of expressions into operators, one per partitioning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from sqlglot import exp

from quacklake.ivm.binding.context import Context, Scope
from quacklake.ivm.binding.subqueries import bind_scalar, is_subquery
from quacklake.ivm.expressions import Expr, reference, rewrite
from quacklake.ivm.plan import Item, Plan, Window
from quacklake.ivm.refusals import refusal
from quacklake.kernel.errors import UsageError


def lift_windows(
    context: Context, plan: Plan, select: exp.Select, scope: Scope, clauses: Sequence[Expr]
) -> tuple[Plan, tuple[Expr, ...]]:
    """The plan with a column for each window function, and the clauses that read them."""
    named = {each.name: each for each in select.args.get("windows") or ()}
    lifted: list[tuple[exp.Window, Item]] = []

    def change(node: Expr) -> Expr | None:
        nonlocal plan
        if is_subquery(node):
            return node.copy()
        if not isinstance(node, exp.Window):
            return None
        whole = _with_definition(node, named)
        for earlier, item in lifted:
            if earlier == whole:
                return reference(item.column.id)
        plan, bound = bind_scalar(context, plan, whole, scope)
        column = context.fresh(_function_of(whole).key, context.type_of(node, bound))
        lifted.append((whole, Item(column, bound)))
        found = reference(column.id)
        found.type = node.type
        return found

    rewritten = tuple(rewrite(clause, change) for clause in clauses)
    by_partition: dict[tuple[Expr, ...], list[Item]] = {}
    for _, item in lifted:
        window = cast("exp.Window", item.expression)
        if window.args.get("exclude"):
            raise refusal("EXCLUDE in a window frame", "Spark does not have it")
        partition = tuple(window.args.get("partition_by") or ())
        by_partition.setdefault(partition, []).append(item)
    for items in by_partition.values():
        plan = Window(plan, tuple(items))
    return plan, rewritten


def _function_of(window: exp.Window) -> Expr:
    function = window.this
    while isinstance(function, exp.IgnoreNulls | exp.RespectNulls | exp.Filter):
        function = function.this
    return cast("Expr", function)


def _with_definition(window: exp.Window, named: dict[str, Expr]) -> exp.Window:
    """A window written out, where it refers to the WINDOW clause."""
    whole = window.copy()
    name = whole.args.get("alias")
    if name is None:
        return whole
    if name.name not in named:
        raise UsageError(f"there is no window '{name.name}'", hint="define it in WINDOW")
    definition = named[name.name]
    whole.set("alias", None)
    for part in ("partition_by", "order", "spec"):
        if not whole.args.get(part) and definition.args.get(part):
            value = definition.args[part]
            copied = [each.copy() for each in value] if isinstance(value, list) else value.copy()
            whole.set(part, copied)
    return whole

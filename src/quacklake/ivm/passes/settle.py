"""Where SQL leaves a choice, the choice is made, so that a view is a function of its sources.

Ties of an order are broken by all columns: rows that are equal in every column are interchangeable.
`first`, `last` and `any_value` become a minimum or maximum, collected lists are sorted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlglot import exp

from quacklake.ivm.expressions import Expr, reference, rewrite
from quacklake.ivm.plan import Aggregate, Column, Item, Plan, TopN, Window
from quacklake.ivm.refusals import function_name, refusal
from quacklake.ivm.shape import bottom_up, columns_of

_BY_PLACE: Final = (exp.RowNumber, exp.Ntile, exp.Lag, exp.Lead, exp.FirstValue, exp.First)
_BY_FRAME: Final = (exp.LastValue, exp.Last, exp.NthValue)
_UNORDERED: Final = ("MAP", "VARIANT")


def settle(plan: Plan) -> Plan:
    """The plan with every choice made."""
    return bottom_up(plan, _settled)


def _settled(plan: Plan) -> Plan:
    match plan:
        case TopN():
            return replace(plan, order=_total(plan.order, columns_of(plan.input)))
        case Window():
            columns = columns_of(plan.input)
            items = tuple(Item(each.column, _steady(each.expression, columns))
                          for each in plan.items)  # fmt: skip
            return replace(plan, items=items)
        case Aggregate():
            items = tuple(Item(each.column, rewrite(each.expression, _chosen))
                          for each in plan.aggregates)  # fmt: skip
            return replace(plan, aggregates=items)
        case _:
            return plan


def _total(order: tuple[Expr, ...], columns: tuple[Column, ...]) -> tuple[Expr, ...]:
    """An order in which only equal rows are tied."""
    named = {each.this.name for each in order if isinstance(each.this, exp.Column)}
    rest = tuple(
        exp.Ordered(this=reference(column.id), desc=False, nulls_first=True)
        for column in columns
        if column.id not in named and not column.type.startswith(_UNORDERED)
    )
    return order + rest


def _steady(window: Expr, columns: tuple[Column, ...]) -> Expr:
    function = window.this
    while isinstance(function, exp.IgnoreNulls | exp.RespectNulls | exp.Filter):
        function = function.this
    if isinstance(function, exp.ArrayAgg | exp.ArrayUniqueAgg | exp.GroupConcat):
        raise refusal(f"{function.key} over a window", "aggregate it in a subquery")
    spec = window.args.get("spec")
    by_rows = spec is not None and str(spec.args.get("kind") or "").upper() == "ROWS"
    whole = spec is not None and _is_whole(spec)
    if isinstance(function, _BY_FRAME) and not (by_rows or whole):
        raise refusal(
            f"{function.key} over a RANGE frame", "rows with equal order share one frame; use ROWS"
        )
    if not (by_rows or isinstance(function, _BY_PLACE + _BY_FRAME)):
        return window
    order = window.args.get("order")
    terms = _total(tuple(order.expressions) if order else (), columns)
    steady = window.copy()
    steady.set("order", exp.Order(expressions=[each.copy() for each in terms]))
    return steady


def _is_whole(spec: Expr) -> bool:
    return (
        str(spec.args.get("end")).upper() == "UNBOUNDED"
        and "FOLLOWING" in str(spec.args.get("end_side")).upper()
    )


def _chosen(node: Expr) -> Expr | None:
    match node:
        case exp.IgnoreNulls() | exp.RespectNulls() if isinstance(node.this, exp.First | exp.Last):
            return _chosen(node.this)
        case exp.First() | exp.AnyValue() | exp.FirstValue():
            return exp.Min(this=node.this.copy())
        case exp.Last() | exp.LastValue():
            return exp.Max(this=node.this.copy())
        case exp.ArrayAgg() | exp.ArrayUniqueAgg():
            return exp.ArraySort(this=node.copy())
        case exp.CountIf():
            return exp.Count(this=exp.Case().when(node.this.copy(), exp.Literal.number(1)))
        case exp.WithinGroup(this=exp.PercentileCont()):
            return exp.Quantile(this=_only_order(node), quantile=node.this.this.copy())
        case exp.GroupConcat() if not isinstance(node.parent, exp.WithinGroup):
            order = exp.Order(expressions=[exp.Ordered(this=node.this.copy(), nulls_first=True)])
            return exp.WithinGroup(this=node.copy(), expression=order)
        case exp.Anonymous() if function_name(node) in {"every", "bool_and"}:
            return exp.LogicalAnd(this=node.expressions[0].copy())
        case exp.Anonymous() if function_name(node) in {"some", "any", "bool_or"}:
            return exp.LogicalOr(this=node.expressions[0].copy())
        case _:
            return None


def _only_order(node: Expr) -> Expr:
    """What an ordered aggregate orders by, ascending."""
    terms = node.expression.expressions
    if len(terms) != 1 or terms[0].args.get("desc"):
        raise refusal("percentile_cont in descending order", "order ascending and use 1 - p")
    ordered: Expr = terms[0].this.copy()
    return ordered

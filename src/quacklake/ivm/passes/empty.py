"""The value of an aggregate over no rows."""

from __future__ import annotations

from sqlglot import exp

from quacklake.ivm.expressions import Expr, number, reference
from quacklake.ivm.plan import Item


def or_empty(item: Item) -> Expr:
    """A reading of an aggregate's column that is right where its group does not exist.

    A count of nothing is 0 and a collection of nothing is empty; other aggregates are NULL,
    which is what an outer join gives.
    """
    call = item.expression
    while isinstance(call, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
        call = call.this
    column = reference(item.column.id)
    if isinstance(call, exp.Count | exp.CountIf | exp.ApproxDistinct):
        return exp.Coalesce(this=column, expressions=[number(0)])
    if isinstance(call, exp.ArrayAgg | exp.ArrayUniqueAgg):
        return exp.Coalesce(this=column, expressions=[exp.Array(expressions=[])])
    return column

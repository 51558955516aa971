"""ORDER BY … LIMIT and OFFSET."""

from __future__ import annotations

from sqlglot import exp

from quacklake.ivm.expressions import Expr
from quacklake.ivm.plan import Plan, TopN
from quacklake.ivm.refusals import refusal


def ordering(node: exp.Query) -> tuple[Expr, ...]:
    """The terms of a query's ORDER BY."""
    order = node.args.get("order")
    return tuple(order.expressions) if order else ()


def limited(plan: Plan, node: exp.Query, order: tuple[Expr, ...]) -> Plan:
    """The first rows of a plan, if the query has a LIMIT or an OFFSET."""
    limit, offset = node.args.get("limit"), node.args.get("offset")
    if limit is None and offset is None:
        return plan
    if not order:
        raise refusal("LIMIT without ORDER BY", "any rows would do; say which ones by ORDER BY")
    if isinstance(limit, exp.Fetch):
        raise refusal("FETCH", "write LIMIT")
    return TopN(plan, (), order, _constant(limit), _constant(offset) or 0)


def _constant(clause: Expr | None) -> int | None:
    if clause is None:
        return None
    value = clause.expression
    if not (isinstance(value, exp.Literal) and value.is_int):
        raise refusal("a LIMIT or OFFSET that is not a number", "write the number")
    return int(value.name)

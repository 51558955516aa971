"""Weighted rows: how often a row comes (positive) or goes (negative), as an ordinary column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from sqlglot import exp

from quacklake.ivm.expressions import Expr, number, reference
from quacklake.ivm.passes.fresh import Fresh, kept
from quacklake.ivm.passes.prune_columns import exactly
from quacklake.ivm.plan import Aggregate, Column, Distinct, Filter, Item, Plan, Project, UnionAll
from quacklake.ivm.shape import columns_of

WEIGHT: Final = Column("__weight", "BIGINT")


def signed(plan: Plan, sign: int) -> Plan:
    """Every row of a plan with one weight."""
    return Project(plan, (*kept(columns_of(plan)), Item(WEIGHT, _weight(sign))))


def _weight(sign: int) -> Expr:
    return exp.cast(number(sign), "BIGINT")


def summed(terms: Sequence[Plan], columns: tuple[Column, ...]) -> Plan:
    """The sum of weighted plans with these columns."""
    shaped = tuple(exactly(each, (*columns, WEIGHT)) for each in terms)
    return shaped[0] if len(shaped) == 1 else UnionAll(shaped, (*columns, WEIGHT))


def consolidated(plan: Plan) -> Plan:
    """Each distinct row once with the sum of its weights, where that is not zero."""
    columns = tuple(each for each in columns_of(plan) if each.id != WEIGHT.id)
    total = exp.cast(exp.Sum(this=reference(WEIGHT.id)), "BIGINT")
    grouped = Aggregate(plan, kept(columns), (Item(WEIGHT, total),))
    return Filter(grouped, exp.NEQ(this=reference(WEIGHT.id), expression=number(0)))


def key_set(plan: Plan, keys: Iterable[Expr], fresh: Fresh) -> Plan:
    """The distinct values of some expressions over a plan's rows."""
    return Distinct(Project(plan, tuple(Item(fresh("key", ""), each) for each in keys)))

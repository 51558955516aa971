"""Aggregates carried forward: the new state is the old one plus what the change contributes.

Counts and sums add up with the weights. An extremum follows insertions; a group that loses a row
equal to its extremum is recomputed from the input, and no other group reads the input at all.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from quacklake.ivm.delta.restrict import Keys, Restriction
from quacklake.ivm.delta.weights import WEIGHT, consolidated, key_set
from quacklake.ivm.expressions import (
    Expr,
    is_null,
    null_safe_equal,
    number,
    reference,
)
from quacklake.ivm.passes.exactness import Exact, exactness
from quacklake.ivm.passes.fresh import Fresh, kept, renamed
from quacklake.ivm.plan import (
    Aggregate,
    Distinct,
    Filter,
    Item,
    Join,
    Origin,
    Plan,
    Project,
    Scan,
    SemiJoin,
    State,
    Stored,
    UnionAll,
    Unnest,
)
from quacklake.ivm.shape import columns_of


@dataclass(frozen=True, slots=True)
class NewState:
    """The rows of a state that a change touches, before and after; and the keys touched."""

    before: Plan
    after: Plan
    keys: Plan


def stored_rows(plan: Stored) -> Scan:
    """The state as it was kept after the last refresh."""
    return Scan(plan.name, plan.fields, columns_of(plan), state=State.OLD, origin=Origin.STATE)


def carried_forward(
    plan: Stored, change: Plan, new: Plan, restriction: Restriction, fresh: Fresh
) -> NewState:
    """The state after a change of its input; `new` is the aggregate over the changed input."""
    if not isinstance(plan.input, Aggregate):
        raise TypeError(f"{plan.name} keeps no aggregate")
    work = _Carrying(plan, plan.input, restriction, fresh)
    if work.extrema():
        # A row that comes and goes within one sum of terms was never there; it is no extremum.
        change = consolidated(change)
    keys = key_set(change, (item.expression for item in plan.keys), fresh)
    before: Plan = stored_rows(plan)
    if plan.keys:
        before = restriction.of(before, Keys(work.key_columns(), keys)).plan
    after = work.merged(before, change)
    if work.extrema():
        after = work.mended(after, before, change, new)
    return NewState(before, after, keys)


def untouched(plan: Stored, keys: Plan) -> Plan:
    """The state of the groups that a change leaves alone."""
    on = tuple(
        null_safe_equal(reference(item.column.id), reference(key.id))
        for item, key in zip(plan.keys, columns_of(keys), strict=True)
    )
    return SemiJoin(stored_rows(plan), keys, on, anti=True)


@dataclass(frozen=True, slots=True)
class _Carrying:
    plan: Stored
    aggregate: Aggregate
    restriction: Restriction
    fresh: Fresh

    def key_columns(self) -> tuple[Expr, ...]:
        return tuple(reference(item.column.id) for item in self.aggregate.keys)

    def extrema(self) -> list[Item]:
        return [
            item
            for item in self.aggregate.aggregates
            if isinstance(item.expression, exp.Min | exp.Max)
        ]

    def merged(self, before: Plan, change: Plan) -> Plan:
        """Old state and contributions, added up group by group."""
        columns = columns_of(self.plan)
        parts = UnionAll((before, self.contributions(change)), columns)
        totals = tuple(_total(item) for item in self.aggregate.aggregates)
        keys = kept(item.column for item in self.aggregate.keys)
        whole = Aggregate(parts, keys, totals)
        if not keys:
            return whole
        rows = reference(self.aggregate.aggregates[0].column.id)
        return Filter(whole, exp.GT(this=rows, expression=number(0)))

    def contributions(self, change: Plan) -> Plan:
        """What each changed row adds to the state of its group."""
        types = {column.id: column.type for column in columns_of(change)}
        sums = [_summed(item.expression) for item in self.aggregate.aggregates]
        decimals = [each for each in sums if each and exactness(each, types) is Exact.DECIMAL]
        if decimals:
            change = self.one_by_one(change)
        keys = tuple(Item(self.fresh("key", ""), item.expression) for item in self.aggregate.keys)
        values = tuple(
            Item(self.fresh("part", ""), _contribution(item.expression, types))
            for item in self.aggregate.aggregates
        )
        return Project(change, keys + values)

    def one_by_one(self, change: Plan) -> Plan:
        """Each copy of a row by itself: decimals are added and subtracted, never multiplied."""
        weight = reference(WEIGHT.id)
        copies = exp.GenerateSeries(start=exp.cast(number(1), "BIGINT"), end=exp.Abs(this=weight))
        spread = Unnest(change, copies, (self.fresh("copy", ""),), None, outer=False)
        positive = exp.GT(this=weight.copy(), expression=number(0))
        sign = exp.Case().when(positive, number(1)).else_(number(-1))
        own = [column for column in columns_of(change) if column.id != WEIGHT.id]
        return Project(spread, (*kept(own), Item(WEIGHT, sign)))

    def mended(self, after: Plan, before: Plan, change: Plan, new: Plan) -> Plan:
        """The merged state with the groups recomputed that lost an extremum."""
        lost = self.lost(before, change)
        columns = columns_of(self.plan)
        on = tuple(
            null_safe_equal(mine, reference(key.id))
            for mine, key in zip(self.key_columns(), columns_of(lost), strict=True)
        )
        stay = SemiJoin(after, lost, on, anti=True)
        again = self.restriction.of(new, Keys(self.key_columns(), lost)).plan
        return UnionAll((stay, Project(again, kept(columns))), columns)

    def lost(self, before: Plan, change: Plan) -> Plan:
        """The keys of groups from which a row went that had the group's extremum."""
        gone = Filter(change, exp.LT(this=reference(WEIGHT.id), expression=number(0)))
        old = renamed(columns_of(before), self.fresh)
        names = {item.expression.name: reference(item.column.id) for item in old}
        on = [
            null_safe_equal(item.expression, names[item.column.id]) for item in self.aggregate.keys
        ]
        hits = [
            null_safe_equal(item.expression.this, names[item.column.id]) for item in self.extrema()
        ]
        hit = hits[0] if len(hits) == 1 else exp.Paren(this=exp.or_(*hits))
        met = Join((gone, Project(before, old)), (*on, hit))
        keys = tuple(Item(self.fresh("key", ""), item.expression) for item in self.aggregate.keys)
        return Distinct(Project(met, keys))


def _summed(call: Expr) -> Expr | None:
    inner = call.this if isinstance(call, exp.Cast) else call
    return inner.this if isinstance(inner, exp.Sum) else None


def _contribution(call: Expr, types: dict[str, str]) -> Expr:
    weight: Expr = reference(WEIGHT.id)
    positive = exp.GT(this=weight.copy(), expression=number(0))
    summed = _summed(call)
    if summed is not None:
        value = exp.Paren(this=summed.copy())
        if exactness(summed, types) is Exact.INTEGER:
            return exp.Mul(this=exp.cast(value, "BIGINT"), expression=weight)
        return exp.Case().when(positive, value).else_(exp.Neg(this=value.copy()))
    if isinstance(call, exp.Count):
        if isinstance(call.this, exp.Star):
            return weight
        return exp.Case().when(is_null(call.this), number(0)).else_(weight)
    return exp.Case().when(positive, call.this.copy())


def _total(item: Item) -> Item:
    """How parts of one state column add up."""
    column = reference(item.column.id)
    if isinstance(item.expression, exp.Min | exp.Max):
        return Item(item.column, type(item.expression)(this=column))
    total: Expr = exp.Sum(this=column)
    if item.column.type == "BIGINT":
        total = exp.cast(total, "BIGINT")
    return Item(item.column, total)

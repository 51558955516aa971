"""A correlated plan evaluated for all outer values it can meet, at once.

D is the set of distinct values of the outer columns that the plan reads. The plan over D has D's
columns besides its own, and for each row of D exactly the rows the plan gives for that outer row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from quacklake.ivm.expressions import Expr, null_safe_equal, reference, substitute
from quacklake.ivm.passes.empty import or_empty
from quacklake.ivm.passes.fresh import Fresh, kept, renamed
from quacklake.ivm.plan import (
    Aggregate,
    Column,
    Distinct,
    Filter,
    Item,
    Join,
    LeftJoin,
    MarkJoin,
    Plan,
    Project,
    SemiJoin,
    SetOperation,
    TopN,
    UnionAll,
    Unnest,
    Window,
)
from quacklake.ivm.shape import columns_of, free_columns


@dataclass(frozen=True, slots=True)
class Over:
    """A plan over the domain; `outer` says which of its columns carries which outer column."""

    plan: Plan
    outer: Mapping[str, Column]


def over_domain(left: Plan, plan: Plan, fresh: Fresh) -> Over:
    """`plan` evaluated for every distinct row of `left`, as far as it reads it."""
    read = free_columns(plan)
    columns = tuple(column for column in columns_of(left) if column.id in read)
    domain = Distinct(Project(left, renamed(columns, fresh)))
    return _Evaluation(domain, tuple(column.id for column in columns), fresh).over(plan)


def joined_back(over: Over) -> tuple[Expr, ...]:
    """The conditions that bring each outer row together with its own rows."""
    return tuple(
        null_safe_equal(reference(outer), reference(column.id))
        for outer, column in over.outer.items()
    )


@dataclass(frozen=True, slots=True)
class _Evaluation:
    domain: Plan
    ids: tuple[str, ...]
    fresh: Fresh

    def over(self, plan: Plan) -> Over:
        if not free_columns(plan).intersection(self.ids):
            own = self.standing()
            return Over(Join((own.plan, plan), ()), own.outer)
        match plan:
            case Filter():
                below = self.over(plan.input)
                return Over(Filter(below.plan, _read(plan.predicate, below)), below.outer)
            case Project():
                below = self.over(plan.input)
                items = tuple(replace(i, expression=_read(i.expression, below)) for i in plan.items)
                return Over(Project(below.plan, items + kept(below.outer.values())), below.outer)
            case Join():
                return self.joined(plan)
            case LeftJoin() | SemiJoin() | MarkJoin():
                return self.beside(plan)
            case Aggregate():
                return self.grouped(plan)
            case Distinct():
                below = self.over(plan.input)
                return Over(Distinct(_trimmed(below, columns_of(plan.input))), below.outer)
            case UnionAll() | SetOperation():
                return self.combined(plan)
            case Window() | TopN() | Unnest():
                return self.partitioned(plan)
            case _:
                raise AssertionError(f"{type(plan).__name__} cannot be correlated")

    def standing(self) -> Over:
        """The domain itself, under new ids so that it can stand anywhere."""
        items = renamed(columns_of(self.domain), self.fresh)
        outer = {each: item.column for each, item in zip(self.ids, items, strict=True)}
        return Over(Project(self.domain, items), outer)

    def joined(self, plan: Join) -> Over:
        correlated = [bool(free_columns(each).intersection(self.ids)) for each in plan.inputs]
        if not any(correlated):
            correlated[0] = True
        overs = [self.over(each) if own else None
                 for each, own in zip(plan.inputs, correlated, strict=True)]  # fmt: skip
        first = next(each for each in overs if each is not None)
        inputs = tuple(each if over is None else over.plan
                       for each, over in zip(plan.inputs, overs, strict=True))  # fmt: skip
        on = tuple(_read(each, first) for each in plan.on)
        for over in overs:
            if over is not None and over is not first:
                on += _agreeing(first, over)
        return Over(Join(inputs, on), first.outer)

    def beside(self, plan: LeftJoin | SemiJoin | MarkJoin) -> Over:
        left = self.over(plan.left)
        on = tuple(_read(each, left) for each in plan.on)
        right = plan.right
        if free_columns(plan.right).intersection(self.ids):
            inner = self.over(plan.right)
            right, on = inner.plan, on + _agreeing(left, inner)
        whole = Over(replace(plan, left=left.plan, right=right, on=on), left.outer)
        return Over(_trimmed(whole, columns_of(plan)), left.outer)

    def grouped(self, plan: Aggregate) -> Over:
        below = self.over(plan.input)
        read = [replace(item, expression=_read(item.expression, below))
                for item in plan.keys + plan.aggregates]  # fmt: skip
        keys, aggregates = tuple(read[: len(plan.keys)]), tuple(read[len(plan.keys) :])
        outer_keys = renamed(below.outer.values(), self.fresh)
        outer = {each: item.column for each, item in zip(below.outer, outer_keys, strict=True)}
        grouped = Aggregate(below.plan, keys + outer_keys, aggregates)
        if plan.keys:
            return Over(grouped, outer)
        # An aggregate without keys has a row even where there is nothing to aggregate.
        own = self.standing()
        padded = LeftJoin(own.plan, grouped, _agreeing(own, Over(grouped, outer)))
        values = tuple(Item(item.column, or_empty(item)) for item in aggregates)
        return Over(Project(padded, values + kept(own.outer.values())), own.outer)

    def combined(self, plan: UnionAll | SetOperation) -> Over:
        sides = plan.inputs if isinstance(plan, UnionAll) else (plan.left, plan.right)
        overs = [self.over(each) for each in sides]
        trimmed = tuple(_trimmed(over, columns_of(each))
                        for over, each in zip(overs, sides, strict=True))  # fmt: skip
        outer = {each: self.fresh(each, "") for each in self.ids}
        columns = plan.columns + tuple(outer.values())
        if isinstance(plan, UnionAll):
            return Over(UnionAll(trimmed, columns), outer)
        left, right = trimmed
        return Over(replace(plan, left=left, right=right, columns=columns), outer)

    def partitioned(self, plan: Window | TopN | Unnest) -> Over:
        below = self.over(plan.input)
        by = tuple(reference(column.id) for column in below.outer.values())
        match plan:
            case Window():
                items = tuple(replace(item, expression=_also_by(_read(item.expression, below), by))
                              for item in plan.items)  # fmt: skip
                return Over(Window(below.plan, items), below.outer)
            case TopN():
                partition = tuple(_read(each, below) for each in plan.partition) + by
                order = tuple(_read(each, below) for each in plan.order)
                top = replace(plan, input=below.plan, partition=partition, order=order)
                return Over(top, below.outer)
            case Unnest():
                array = _read(plan.array, below)
                return Over(replace(plan, input=below.plan, array=array), below.outer)


def _read(expression: Expr, over: Over) -> Expr:
    return substitute(expression, {each: reference(c.id) for each, c in over.outer.items()})


def _agreeing(left: Over, right: Over) -> tuple[Expr, ...]:
    return tuple(
        null_safe_equal(reference(column.id), reference(right.outer[each].id))
        for each, column in left.outer.items()
    )


def _trimmed(over: Over, columns: Iterable[Column]) -> Plan:
    """Only the plan's own columns and the outer ones, in this order."""
    return Project(over.plan, kept((*columns, *over.outer.values())))


def _also_by(window: Expr, by: tuple[Expr, ...]) -> Expr:
    partition = [*(cast("list[Expr]", window.args.get("partition_by")) or []), *by]
    window.set("partition_by", [each.copy() for each in partition])
    return window

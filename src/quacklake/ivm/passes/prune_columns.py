"""Operators keep only the columns that something above them reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import assert_never

from quacklake.ivm.expressions import references_of
from quacklake.ivm.passes.fresh import kept
from quacklake.ivm.plan import (
    Aggregate,
    Apply,
    Column,
    Distinct,
    Filter,
    Item,
    Join,
    LeftJoin,
    MarkJoin,
    Plan,
    Project,
    Restrict,
    Scan,
    SemiJoin,
    SetOperation,
    Stored,
    TopN,
    UnionAll,
    Unnest,
    Values,
    Window,
)
from quacklake.ivm.shape import columns_of, expressions_of, ids_of, inputs_of, with_inputs


def prune_columns(plan: Plan) -> Plan:
    """The same columns at the top, fewer below."""
    return _Pruning().prune(plan, ids_of(plan))


def exactly(plan: Plan, columns: Iterable[Column]) -> Plan:
    """The plan with just these columns, in this order."""
    wanted = tuple(columns)
    return plan if columns_of(plan) == wanted else Project(plan, kept(wanted))


@dataclass(frozen=True, slots=True)
class _Pruning:
    done: dict[tuple[Plan, frozenset[str]], Plan] = field(default_factory=dict)

    def prune(self, plan: Plan, needed: frozenset[str]) -> Plan:
        place = (plan, needed & ids_of(plan))
        if place not in self.done:
            self.done[place] = self.pruned(plan, place[1])
        return self.done[place]

    def pruned(self, plan: Plan, needed: frozenset[str]) -> Plan:
        match plan:
            case Scan():
                return _narrow_scan(plan, needed)
            case Values():
                return plan
            case Project():
                items = _some(plan.items, needed)
                return Project(self.prune(plan.input, _read(items)), items)
            case Aggregate():
                aggregates = tuple(each for each in plan.aggregates if each.column.id in needed)
                below = self.prune(plan.input, _read(plan.keys + aggregates))
                return replace(plan, input=below, aggregates=aggregates)
            case Window():
                items = tuple(each for each in plan.items if each.column.id in needed)
                below = self.prune(plan.input, needed | _read(items))
                return Window(below, items) if items else below
            case UnionAll():
                return self.union(plan, needed)
            case Distinct() | SetOperation():
                # Which rows are equal depends on every column.
                inputs = (self.prune(each, ids_of(each)) for each in inputs_of(plan))
                return with_inputs(plan, tuple(inputs))
            case (
                Filter() | Join() | LeftJoin() | SemiJoin() | MarkJoin() | TopN() | Unnest()
                | Restrict() | Stored() | Apply()
            ):  # fmt: skip
                wanted = needed | references_of(expressions_of(plan))
                return with_inputs(
                    plan, tuple(self.prune(each, wanted) for each in inputs_of(plan))
                )
            case _:
                assert_never(plan)

    def union(self, plan: UnionAll, needed: frozenset[str]) -> Plan:
        places = [place for place, each in enumerate(plan.columns) if each.id in needed] or [0]
        inputs = []
        for each in plan.inputs:
            own = columns_of(each)
            wanted = tuple(own[place] for place in places)
            below = self.prune(each, frozenset(column.id for column in wanted))
            inputs.append(exactly(below, wanted))
        return UnionAll(tuple(inputs), tuple(plan.columns[place] for place in places))


def _read(items: Iterable[Item]) -> frozenset[str]:
    return references_of(item.expression for item in items)


def _some(items: tuple[Item, ...], needed: frozenset[str]) -> tuple[Item, ...]:
    """The needed items; a row needs at least one to be a row."""
    return tuple(each for each in items if each.column.id in needed) or items[:1]


def _narrow_scan(plan: Scan, needed: frozenset[str]) -> Scan:
    pairs = list(zip(plan.fields, plan.columns, strict=True))
    chosen = [pair for pair in pairs if pair[1].id in needed] or pairs[:1]
    return replace(
        plan,
        fields=tuple(name for name, _ in chosen),
        columns=tuple(column for _, column in chosen),
    )

"""Predicates that compare with an outer row, taken out of the plan they filter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from quacklake.ivm.expressions import Expr, conjunction, conjuncts, references, references_of
from quacklake.ivm.passes.fresh import kept
from quacklake.ivm.plan import Filter, Join, LeftJoin, MarkJoin, Plan, Project, SemiJoin
from quacklake.ivm.shape import columns_of, free_columns, ids_of


@dataclass(frozen=True, slots=True)
class Lifted:
    """A plan, and predicates over its columns and the outer ones: together the plan lifted from."""

    plan: Plan
    predicates: tuple[Expr, ...]


def lifted(plan: Plan, outer: frozenset[str]) -> Lifted:
    """Lift what reads `outer` columns, as far as selection commutes with the operators above."""
    match plan:
        case Filter():
            below = lifted(plan.input, outer)
            stay, go = _parted(conjuncts(plan.predicate), outer)
            kept_plan = Filter(below.plan, conjunction(stay)) if stay else below.plan
            return Lifted(kept_plan, below.predicates + go)
        case Project():
            below = lifted(plan.input, outer)
            return Lifted(_exposing(plan, below, outer), below.predicates)
        case Join():
            parts = [lifted(each, outer) for each in plan.inputs]
            stay, go = _parted(plan.on, outer)
            predicates = tuple(each for part in parts for each in part.predicates)
            return Lifted(Join(tuple(part.plan for part in parts), stay), predicates + go)
        case LeftJoin() | SemiJoin() | MarkJoin():
            if (free_columns(plan.right) | references_of(plan.on)) & outer:
                return Lifted(plan, ())
            below = lifted(plan.left, outer)
            return Lifted(replace(plan, left=below.plan), below.predicates)
        case _:
            return Lifted(plan, ())


def _parted(
    predicates: Iterable[Expr], outer: frozenset[str]
) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    stay: list[Expr] = []
    go: list[Expr] = []
    for each in predicates:
        (go if references(each) & outer else stay).append(each)
    return tuple(stay), tuple(go)


def _exposing(plan: Project, below: Lifted, outer: frozenset[str]) -> Plan:
    """A projection that also hands on what lifted predicates read."""
    needed = references_of(below.predicates) - outer - ids_of(plan)
    extra = kept(column for column in columns_of(below.plan) if column.id in needed)
    return Project(below.plan, plan.items + extra)

"""Predicates move towards the scans, and nested inner joins become one join.

    Filter(a.x = b.y AND a.z > 1, Join(a, b))  becomes  Join(Filter(a.z > 1, a), b, on a.x = b.y)

What all branches of an OR demand is demanded outright, so that `(k = j AND p) OR (k = j AND q)`
still joins on `k = j`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from sqlglot import exp

from quacklake.ivm.expressions import (
    Expr,
    conjunction,
    conjuncts,
    reference,
    references,
    substitute,
)
from quacklake.ivm.passes.fresh import by_id
from quacklake.ivm.plan import (
    Aggregate,
    Column,
    Distinct,
    Filter,
    Join,
    LeftJoin,
    MarkJoin,
    Plan,
    Project,
    SemiJoin,
    SetOperation,
    UnionAll,
    Unnest,
    Window,
)
from quacklake.ivm.shape import columns_of, ids_of, inputs_of, with_inputs


def push_predicates(plan: Plan) -> Plan:
    """The same rows, filtered as early as the operators allow."""
    return _Pushing().push(plan, ())


@dataclass(frozen=True, slots=True)
class _Pushing:
    done: dict[Plan, Plan] = field(default_factory=dict)

    def push(self, plan: Plan, predicates: tuple[Expr, ...]) -> Plan:
        if predicates:
            return self.pushed(plan, predicates)
        if plan not in self.done:
            self.done[plan] = self.pushed(plan, ())
        return self.done[plan]

    def pushed(self, plan: Plan, predicates: tuple[Expr, ...]) -> Plan:
        match plan:
            case Filter():
                return self.push(plan.input, predicates + _demands(plan.predicate))
            case Project():
                items = by_id(plan.items)
                moved = tuple(substitute(each, items) for each in predicates)
                return replace(plan, input=self.push(plan.input, moved))
            case Join():
                return self.joined(plan, predicates)
            case LeftJoin() | SemiJoin() | MarkJoin():
                return self.beside(plan, predicates)
            case Distinct():
                return replace(plan, input=self.push(plan.input, predicates))
            case UnionAll() | SetOperation():
                inputs = (self.push(each, _seen_by(each, plan.columns, predicates))
                          for each in inputs_of(plan))  # fmt: skip
                return with_inputs(plan, tuple(inputs))
            case Aggregate():
                keys = by_id(plan.keys)
                down, stay = _parted(predicates, frozenset(keys))
                below = self.push(plan.input, tuple(substitute(each, keys) for each in down))
                return _filtered(replace(plan, input=below), stay)
            case Window():
                down, stay = _parted(predicates, _partition_ids(plan))
                return _filtered(replace(plan, input=self.push(plan.input, down)), stay)
            case Unnest():
                down, stay = _parted(predicates, ids_of(plan.input))
                return _filtered(replace(plan, input=self.push(plan.input, down)), stay)
            case _:
                inputs = (self.push(each, ()) for each in inputs_of(plan))
                return _filtered(with_inputs(plan, tuple(inputs)), predicates)

    def joined(self, plan: Join, predicates: tuple[Expr, ...]) -> Plan:
        inputs, on = _flattened(plan)
        demands = [each for one in (*on, *predicates) for each in _demands(one)]
        below = []
        for each in inputs:
            down, rest = _parted(demands, ids_of(each))
            demands = list(rest)
            below.append(self.push(each, down))
        return Join(tuple(below), tuple(demands))

    def beside(self, plan: LeftJoin | SemiJoin | MarkJoin, predicates: tuple[Expr, ...]) -> Plan:
        down, stay = _parted(predicates, ids_of(plan.left))
        demands = tuple(each for one in plan.on for each in _demands(one))
        right_only, on = _parted(demands, ids_of(plan.right))
        if isinstance(plan, SemiJoin) and not plan.anti:
            left_only, on = _parted(on, ids_of(plan.left))
            down += left_only
        left, right = self.push(plan.left, down), self.push(plan.right, right_only)
        return _filtered(replace(plan, left=left, right=right, on=on), stay)


def _flattened(plan: Join) -> tuple[list[Plan], list[Expr]]:
    """The inputs of a join of joins, and all its conditions."""
    inputs: list[Plan] = []
    on = list(plan.on)
    for each in plan.inputs:
        inner, conditions = each, []
        while isinstance(inner, Filter):
            conditions.append(inner.predicate)
            inner = inner.input
        if isinstance(inner, Join):
            below, more = _flattened(inner)
            inputs += below
            on += more + conditions
        else:
            inputs.append(each)
    return inputs, on


def _filtered(plan: Plan, predicates: Iterable[Expr]) -> Plan:
    chosen = tuple(predicates)
    return Filter(plan, conjunction(chosen)) if chosen else plan


def _parted(
    predicates: Iterable[Expr], ids: frozenset[str]
) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """The predicates that read some of these columns and no others, and the rest."""
    inside: list[Expr] = []
    outside: list[Expr] = []
    for each in predicates:
        read = references(each)
        (inside if read and read <= ids else outside).append(each)
    return tuple(inside), tuple(outside)


def _seen_by(
    plan: Plan, columns: tuple[Column, ...], predicates: tuple[Expr, ...]
) -> tuple[Expr, ...]:
    names = {outer.id: reference(inner.id)
             for outer, inner in zip(columns, columns_of(plan), strict=True)}  # fmt: skip
    return tuple(substitute(each, names) for each in predicates)


def _partition_ids(plan: Window) -> frozenset[str]:
    partition = plan.items[0].expression.args.get("partition_by") or ()
    return frozenset(each.name for each in partition if isinstance(each, exp.Column))


def _demands(predicate: Expr) -> tuple[Expr, ...]:
    """The conjuncts of a predicate, with what every branch of an OR has in common."""
    return tuple(part for each in conjuncts(predicate) for part in _factored(each))


def _factored(predicate: Expr) -> tuple[Expr, ...]:
    if not isinstance(predicate, exp.Or):
        return (predicate,)
    branches = [list(conjuncts(each)) for each in _disjuncts(predicate)]
    shared = [each for each in branches[0] if all(each in branch for branch in branches[1:])]
    if not shared:
        return (predicate,)
    rests = [[each for each in branch if each not in shared] for branch in branches]
    if not all(rests):
        return tuple(shared)
    rest = exp.or_(*(conjunction(each) for each in rests))
    return (*shared, rest.unnest())


def _disjuncts(predicate: Expr) -> tuple[Expr, ...]:
    node = predicate.unnest()
    if isinstance(node, exp.Or):
        return _disjuncts(node.left) + _disjuncts(node.right)
    return (node,)

"""How a plan's rows change: three rules.

- Linear: Δf(X) = f(ΔX).
- Bilinear: Δ(L⋈R) = ΔL⋈R₁ + L₀⋈ΔR; of n inputs, those before the changed one old, those after new.
  A join that looks back (outer, semi, anti, mark) is linear in its left input, and a change of its
  right input can matter only for left rows that meet it: Op(ΔL, R₁) + Op(A, R₁) - Op(A, R₀), where
  A are the rows of L₀ that match a row of ΔR.
- Keyed: ΔOp(X) = Op(X₁ ⋉ K) - Op(X₀ ⋉ K), where K are the keys that occur in ΔX.

A change is a plan with one more column, the weight. It is None where no source changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from sqlglot import exp

from quacklake.ivm.delta.equalities import equalities
from quacklake.ivm.delta.restrict import Keys, Restriction
from quacklake.ivm.delta.states import States
from quacklake.ivm.delta.stored import NewState, carried_forward, stored_rows, untouched
from quacklake.ivm.delta.tops import top_carried_forward
from quacklake.ivm.delta.weights import WEIGHT, consolidated, key_set, signed, summed
from quacklake.ivm.expressions import Expr, is_null, reference
from quacklake.ivm.passes.fresh import Fresh, kept
from quacklake.ivm.passes.prune_columns import exactly
from quacklake.ivm.plan import (
    Aggregate,
    Apply,
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
    State,
    Stored,
    TopN,
    UnionAll,
    Unnest,
    Values,
    Window,
)
from quacklake.ivm.shape import columns_of, ids_of, inputs_of

Keyed: TypeAlias = Aggregate | Distinct | SetOperation | Window | TopN


class Differential:
    """Changes of plans when the rows of some sources change; each is planned once."""

    def __init__(self, changed: frozenset[str], fresh: Fresh) -> None:
        self.fresh = fresh
        self.restriction = Restriction(fresh)
        self.states = States(changed, self._kept)
        self._done: dict[Plan, Plan | None] = {}
        self._carried: dict[Stored, NewState | None] = {}
        self._touched: dict[Plan, Plan | None] = {}

    def change(self, plan: Plan) -> Plan | None:
        """The weighted rows by which the plan's result changes."""
        if plan not in self._done:
            self._done[plan] = self._change(plan)
        return self._done[plan]

    def _change(self, plan: Plan) -> Plan | None:
        match plan:
            case Scan():
                return self._scan(plan)
            case Values():
                return None
            case Filter() | Project() | Unnest() | UnionAll():
                return self._linear(plan)
            case Join():
                return self._join(plan)
            case LeftJoin():
                return self._left_join(plan)
            case SemiJoin() | MarkJoin():
                return self._looking_back(plan)
            case Aggregate() | Distinct() | SetOperation() | Window() | TopN():
                return self._keyed(plan)
            case Stored():
                return self._stored(plan)
            case Restrict() | Apply():
                raise AssertionError(f"{type(plan).__name__} is not part of a normalised plan")

    def _scan(self, plan: Scan) -> Plan | None:
        if plan.source not in self.states.changed:
            return None
        return replace(plan, state=State.CHANGE, columns=(*plan.columns, WEIGHT))

    def _linear(self, plan: Filter | Project | Unnest | UnionAll) -> Plan | None:
        if isinstance(plan, UnionAll):
            terms = [(each, self.change(each)) for each in plan.inputs]
            changes = [exactly(change, (*columns_of(each), WEIGHT))
                       for each, change in terms if change is not None]  # fmt: skip
            columns = (*plan.columns, WEIGHT)
            return UnionAll(tuple(changes), columns) if changes else None
        below = self.change(plan.input)
        if below is None:
            return None
        if isinstance(plan, Project):
            return Project(below, (*plan.items, *kept((WEIGHT,))))
        return replace(plan, input=below)

    def _join(self, plan: Join) -> Plan | None:
        terms = []
        for place, each in enumerate(plan.inputs):
            seed = self.change(each)
            if seed is None:
                continue
            before = [self.states.old(other) for other in plan.inputs[:place]]
            after = [self.states.new(other) for other in plan.inputs[place + 1 :]]
            # Nearest neighbours first, the later ones before the earlier ones.
            terms.append(self.restriction.outward(seed, after + before, plan.on).plan)
        return summed(terms, columns_of(plan)) if terms else None

    def _left_join(self, plan: LeftJoin) -> Plan | None:
        terms = self._of_left(plan)
        right = self.change(plan.right)
        if right is not None:
            met = self._met(plan, right)
            terms.append(Join((met.left, right), plan.on))
            terms.append(signed(self._lonely(plan, met.left, met.new), 1))
            terms.append(signed(self._lonely(plan, met.left, met.old), -1))
        return summed(terms, columns_of(plan)) if terms else None

    def _lonely(self, plan: LeftJoin, left: Plan, right: Plan) -> Plan:
        """The left rows without partner, padded with NULLs of the right types."""
        marker = self.fresh("partner", "BOOLEAN")
        marked = Project(right, (*kept(columns_of(right)), Item(marker, exp.true())))
        alone = Filter(LeftJoin(left, marked, plan.on), is_null(reference(marker.id)))
        return exactly(alone, columns_of(plan))

    def _looking_back(self, plan: SemiJoin | MarkJoin) -> Plan | None:
        terms = self._of_left(plan)
        right = self.change(plan.right)
        if right is not None:
            met = self._met(plan, right)
            terms.append(signed(replace(plan, left=met.left, right=met.new), 1))
            terms.append(signed(replace(plan, left=met.left, right=met.old), -1))
        return summed(terms, columns_of(plan)) if terms else None

    def _of_left(self, plan: LeftJoin | SemiJoin | MarkJoin) -> list[Plan]:
        """The operator on the changed left rows."""
        left = self.change(plan.left)
        if left is None:
            return []
        right = self.states.new(plan.right)
        pair = equalities(plan.on, ids_of(plan.left), ids_of(plan.right))
        if pair:
            right = self.restriction.facing(left, right, pair.left, pair.right).plan
        return [replace(plan, left=left, right=right)]

    def _met(self, plan: LeftJoin | SemiJoin | MarkJoin, change: Plan) -> _Met:
        """The old left rows that match a changed right row, and all right rows they can match."""
        left = self.states.old(plan.left)
        old, new = self.states.old(plan.right), self.states.new(plan.right)
        pair = equalities(plan.on, ids_of(plan.left), ids_of(plan.right))
        if not pair:
            left = self.restriction.facing(change, left, (), ()).plan
            return _Met(SemiJoin(left, change, plan.on, anti=False), old, new)
        keys = key_set(change, pair.right, self.fresh)
        here, there = Keys(pair.left, keys), Keys(pair.right, keys)
        return _Met(
            self.restriction.of(left, here).plan,
            self.restriction.of(old, there).plan,
            self.restriction.of(new, there).plan,
        )

    def _stored(self, plan: Stored) -> Plan | None:
        state = self._carry(plan)
        if state is None:
            return None
        terms = [signed(state.after, 1), signed(state.before, -1)]
        return consolidated(summed(terms, columns_of(plan)))

    def _carry(self, plan: Stored) -> NewState | None:
        if plan not in self._carried:
            change = self.change(plan.input.input)
            self._carried[plan] = None
            if change is not None:
                new = self.states.new(plan.input)
                forward = top_carried_forward if isinstance(plan.input, TopN) else carried_forward
                carried = forward(plan, change, new, self.restriction, self.fresh)
                self._carried[plan] = carried
                self.restriction.small.update((carried.after, carried.keys))
        return self._carried[plan]

    def _kept(self, plan: Stored, state: State) -> Plan:
        """The rows of a state before or after the change, without its input."""
        after = None if state is State.OLD else self._carry(plan)
        if after is None:
            return stored_rows(plan)
        if not plan.keys:
            return after.after
        columns = columns_of(plan)
        return UnionAll((untouched(plan, after.keys), exactly(after.after, columns)), columns)

    def _keyed(self, plan: Keyed) -> Plan | None:
        keys = self.touched(plan)
        if keys is None:
            return None
        new, old = self.states.new(plan), self.states.old(plan)
        if outside := key_of(plan):
            demand = Keys(outside, keys)
            new, old = self.restriction.of(new, demand).plan, self.restriction.of(old, demand).plan
        return consolidated(summed([signed(new, 1), signed(old, -1)], columns_of(plan)))

    def touched(self, plan: Keyed) -> Plan | None:
        """The keys of a keyed operator that occur in the change of its input."""
        if plan not in self._touched:
            self._touched[plan] = self._keys_of_change(plan)
        return self._touched[plan]

    def _keys_of_change(self, plan: Keyed) -> Plan | None:
        sets: list[Plan] = []
        for each in inputs_of(plan):
            change = self.change(each)
            if change is not None:
                below = (Item(self.fresh("key", ""), key) for key in _key_below(plan, each))
                sets.append(Project(change, tuple(below)))
        if not sets:
            return None
        together = sets[0] if len(sets) == 1 else UnionAll(tuple(sets), columns_of(sets[0]))
        return Distinct(together)


@dataclass(frozen=True, slots=True)
class _Met:
    left: Plan
    old: Plan
    new: Plan


def key_of(plan: Plan) -> tuple[Expr, ...]:
    """What separates the parts of a keyed operator, said of its own columns; () is one part."""
    match plan:
        case Aggregate():
            return tuple(reference(item.column.id) for item in plan.keys)
        case Window():
            return tuple(plan.items[0].expression.args.get("partition_by") or ())
        case TopN():
            return plan.partition
        case _:
            return tuple(reference(column.id) for column in columns_of(plan))


def _key_below(plan: Plan, below: Plan) -> Sequence[Expr]:
    """The same key, said of the columns of an input."""
    match plan:
        case Aggregate():
            return [item.expression for item in plan.keys]
        case Window() | TopN():
            return key_of(plan)
        case _:
            return [reference(column.id) for column in columns_of(below)]

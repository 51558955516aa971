"""A plan restricted to keys, with the restriction moved to the scans.

    restricted(P, on, K) = the rows of P whose values `on` occur in K, NULL equal to NULL

The keys reach an operator's input where they are determined by columns of the input that the
operator keeps apart: group keys, partition columns, any column of a filter. From a restricted
input of a join they travel on: its rows give the keys for the next input. So a plan restricted to
few keys reads few rows. `bounded` says that this worked: all that is read is limited by keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from quacklake.ivm.delta.equalities import equalities
from quacklake.ivm.delta.weights import key_set
from quacklake.ivm.expressions import Expr, reference, references, substitute
from quacklake.ivm.passes.fresh import Fresh, by_id, kept
from quacklake.ivm.passes.prune_columns import exactly
from quacklake.ivm.plan import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    LeftJoin,
    MarkJoin,
    Plan,
    Project,
    Restrict,
    Scan,
    SemiJoin,
    SetOperation,
    TopN,
    UnionAll,
    Unnest,
    Values,
    Window,
)
from quacklake.ivm.shape import columns_of, ids_of, inputs_of, with_inputs


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A restricted plan, and whether all it reads is limited by keys."""

    plan: Plan
    bounded: bool


@dataclass(frozen=True, slots=True)
class Keys:
    """A key set, and the expressions whose values must occur in its columns."""

    on: tuple[Expr, ...]
    plan: Plan

    def only(self, places: Sequence[int]) -> Keys:
        """A weaker demand: some of the columns."""
        if len(places) == len(self.on):
            return self
        columns = columns_of(self.plan)
        chosen = tuple(columns[place] for place in places)
        return Keys(tuple(self.on[place] for place in places), Project(self.plan, kept(chosen)))

    def reading(self, by: Mapping[str, Expr]) -> Keys:
        """The same demand, said of the columns below."""
        return replace(self, on=tuple(substitute(each, by) for each in self.on))


@dataclass(frozen=True, slots=True)
class Restriction:
    """Restricting within one delta plan; equal restrictions are made once.

    `small` plans are limited by keys already: restrictions stay on top of them.
    """

    fresh: Fresh
    small: set[Plan] = field(default_factory=set)
    _done: dict[tuple[Plan, Plan, tuple[str, ...]], Narrowed] = field(default_factory=dict)

    def of(self, plan: Plan, keys: Keys) -> Narrowed:
        """The plan restricted to keys."""
        place = (plan, keys.plan, tuple(each.sql() for each in keys.on))
        if place not in self._done:
            self._done[place] = self._restricted(plan, keys)
        return self._done[place]

    def _restricted(self, plan: Plan, keys: Keys) -> Narrowed:
        readable = [place for place, each in enumerate(keys.on) if references(each)]
        if len(readable) < len(keys.on):
            return self._partly(plan, keys, readable)
        if plan in self.small:
            return Narrowed(Restrict(plan, keys.on, keys.plan), bounded=True)
        if not keys.on:
            return self._guarded(plan, keys)
        match plan:
            case Scan() | Values():
                return Narrowed(Restrict(plan, keys.on, keys.plan), bounded=True)
            case UnionAll() | SetOperation():
                return self._each_input(plan, keys)
            case Join():
                return self._join(plan, keys)
            case LeftJoin() | SemiJoin() | MarkJoin():
                return self._beside(plan, keys)
            case _:
                return self._below(plan, keys)

    def _below(self, plan: Plan, keys: Keys) -> Narrowed:
        """Through an operator with one input."""
        match plan:
            case Filter() | Distinct():
                return self._through(plan, keys)
            case Project():
                return self._through(plan, keys.reading(by_id(plan.items)))
            case Restrict():
                below = self.of(plan.input, keys)
                return Narrowed(replace(plan, input=below.plan), below.bounded)
            case Aggregate() if plan.keys:
                return self._by_ids(plan, keys, by_id(plan.keys))
            case Window():
                partition = plan.items[0].expression.args.get("partition_by") or ()
                return self._by_partition(plan, keys, partition)
            case TopN():
                return self._by_partition(plan, keys, plan.partition)
            case Unnest():
                own = {column.id: reference(column.id) for column in columns_of(plan.input)}
                return self._by_ids(plan, keys, own)
            case _:
                return _on_top(plan, keys)

    def _guarded(self, plan: Plan, keys: Keys) -> Narrowed:
        """Without columns, keys only say whether there is any reason to read at all."""
        inputs = inputs_of(plan)
        guarded = with_inputs(plan, tuple(self.of(each, keys).plan for each in inputs))
        if not inputs or (isinstance(plan, Aggregate) and not plan.keys):
            return _on_top(guarded, keys)
        return Narrowed(guarded, bounded=False)

    def _through(self, plan: Filter | Distinct | Project, keys: Keys) -> Narrowed:
        below = self.of(plan.input, keys)
        inside = exactly(below.plan, columns_of(plan.input))
        return Narrowed(replace(plan, input=inside), below.bounded)

    def _partly(self, plan: Plan, keys: Keys, places: Sequence[int]) -> Narrowed:
        """Restrict by some columns below, by all on top."""
        if not places:
            return _on_top(plan, keys)
        below = self.of(plan, keys.only(places))
        return Narrowed(Restrict(below.plan, keys.on, keys.plan), below.bounded)

    def _by_ids(self, plan: Aggregate | Unnest, keys: Keys, passed: Mapping[str, Expr]) -> Narrowed:
        """Through an operator that keeps rows with different `passed` columns apart."""
        places = [p for p, each in enumerate(keys.on) if references(each) <= passed.keys()]
        if len(places) < len(keys.on):
            return self._partly(plan, keys, places)
        below = self.of(plan.input, keys.reading(passed))
        return Narrowed(replace(plan, input=below.plan), below.bounded)

    def _by_partition(self, plan: Window | TopN, keys: Keys, partition: Sequence[Expr]) -> Narrowed:
        plain = {each.name for each in partition if isinstance(each, exp.Column)}
        places = [p for p, each in enumerate(keys.on)
                  if references(each) <= plain or each in partition]  # fmt: skip
        if len(places) < len(keys.on):
            return self._partly(plan, keys, places)
        below = self.of(plan.input, keys)
        return Narrowed(replace(plan, input=below.plan), below.bounded)

    def _each_input(self, plan: UnionAll | SetOperation, keys: Keys) -> Narrowed:
        narrowed = []
        for each in inputs_of(plan):
            own = columns_of(each)
            names: dict[str, Expr] = {
                outer.id: reference(inner.id)
                for outer, inner in zip(plan.columns, own, strict=True)
            }
            below = self.of(each, keys.reading(names))
            narrowed.append(Narrowed(exactly(below.plan, own), below.bounded))
        plans = tuple(each.plan for each in narrowed)
        return Narrowed(with_inputs(plan, plans), all(each.bounded for each in narrowed))

    def _join(self, plan: Join, keys: Keys) -> Narrowed:
        """Start from the input that most of the keys speak of."""
        covered = [[p for p, each in enumerate(keys.on) if references(each) <= ids_of(one)]
                   for one in plan.inputs]  # fmt: skip
        start = max(range(len(covered)), key=lambda place: len(covered[place]))
        places = covered[start]
        if len(places) < len(keys.on):
            return self._partly(plan, keys, places)
        seed = self.of(plan.inputs[start], keys)
        rest = [each for place, each in enumerate(plan.inputs) if place != start]
        if not seed.bounded:
            return Narrowed(Join((seed.plan, *rest), plan.on), bounded=False)
        return self.outward(seed.plan, rest, plan.on)

    def outward(self, seed: Plan, rest: Sequence[Plan], on: Sequence[Expr]) -> Narrowed:
        """The join of a small plan with others, each read only at the keys met so far."""
        joined, waiting, pending = seed, list(rest), list(on)
        bounded = True
        while waiting:
            have = ids_of(joined)
            pairs = [equalities(pending, have, ids_of(each)) for each in waiting]
            place = max(
                range(len(waiting)),
                key=lambda at: _tied(waiting[at], have, pending) if pairs[at] else -1.0,
            )
            chosen, pair = waiting.pop(place), pairs[place]
            narrowed = self.facing(joined, chosen, pair.left, pair.right)
            bounded = bounded and narrowed.bounded
            have |= ids_of(chosen)
            ready = tuple(each for each in pending if references(each) <= have)
            pending = [each for each in pending if not references(each) <= have]
            joined = Join((joined, narrowed.plan), ready)
        if pending:
            raise AssertionError("a join condition reads columns that no input has")
        return Narrowed(joined, bounded)

    def facing(
        self, small: Plan, other: Plan, here: Sequence[Expr], there: Sequence[Expr]
    ) -> Narrowed:
        """`other` restricted to the rows that can meet a row of `small`."""
        return self.of(other, Keys(tuple(there), key_set(small, here, self.fresh)))

    def _beside(self, plan: LeftJoin | SemiJoin | MarkJoin, keys: Keys) -> Narrowed:
        left_ids = ids_of(plan.left)
        places = [p for p, each in enumerate(keys.on) if references(each) <= left_ids]
        if len(places) < len(keys.on):
            return self._partly(plan, keys, places)
        left = self.of(plan.left, keys)
        right = Narrowed(plan.right, bounded=False)
        pair = equalities(plan.on, left_ids, ids_of(plan.right))
        if left.bounded and pair:
            right = self.facing(left.plan, plan.right, pair.left, pair.right)
        narrowed = replace(plan, left=left.plan, right=right.plan)
        return Narrowed(narrowed, left.bounded and right.bounded)


def _tied(plan: Plan, have: frozenset[str], on: Sequence[Expr]) -> float:
    """The share of conditions on a plan that can be met already.

    What is tied by all its conditions multiplies rows least; what also waits for another input
    would be met more sparsely once that is there.
    """
    own = ids_of(plan)
    conditions = [references(each) for each in on if references(each) & own]
    met = [each for each in conditions if each <= have | own]
    return len(met) / len(conditions) if conditions else 0.0


def _on_top(plan: Plan, keys: Keys) -> Narrowed:
    return Narrowed(Restrict(plan, keys.on, keys.plan), bounded=False)

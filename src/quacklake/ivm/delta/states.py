"""A plan over its sources as they were, and as they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from quacklake.ivm.plan import Plan, Scan, State, Stored
from quacklake.ivm.shape import inputs_of, with_inputs


@dataclass(frozen=True, slots=True)
class States:
    """Old and new versions of plans, each made once; they are one where no source changed.

    `kept` gives the rows of a stored aggregate in one of the two states.
    """

    changed: frozenset[str]
    kept: Callable[[Stored, State], Plan]
    _old: dict[Plan, Plan] = field(default_factory=dict)
    _new: dict[Plan, Plan] = field(default_factory=dict)

    def old(self, plan: Plan) -> Plan:
        """The plan before the change."""
        return self._at(plan, State.OLD, self._old)

    def new(self, plan: Plan) -> Plan:
        """The plan after the change."""
        return self._at(plan, State.NEW, self._new)

    def _at(self, plan: Plan, state: State, done: dict[Plan, Plan]) -> Plan:
        if plan not in done:
            done[plan] = self._made(plan, state, done)
        return done[plan]

    def _made(self, plan: Plan, state: State, done: dict[Plan, Plan]) -> Plan:
        if isinstance(plan, Scan):
            return replace(plan, state=state) if plan.source in self.changed else plan
        if isinstance(plan, Stored):
            return self.kept(plan, state)
        below = tuple(self._at(each, state, done) for each in inputs_of(plan))
        return with_inputs(plan, below)

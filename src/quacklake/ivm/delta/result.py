"""A keyed operator at the top of a view: what was there before is the stored result itself.

    ΔV = V₁ ⋉ K - V₀ ⋉ K, and V₀ is stored

So the old rows are read, not computed again; they are deleted exactly as they were written.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from quacklake.ivm.delta.change import Differential, key_of
from quacklake.ivm.delta.restrict import Keys
from quacklake.ivm.delta.weights import signed, summed
from quacklake.ivm.expressions import Expr, reference
from quacklake.ivm.plan import (
    Aggregate,
    Distinct,
    Filter,
    Origin,
    Plan,
    Project,
    Scan,
    SetOperation,
    State,
    TopN,
    Window,
)
from quacklake.ivm.shape import columns_of


def from_stored_result(plan: Plan, names: Sequence[str], work: Differential) -> Plan | None:
    """The change of a view whose result shows its keys; None if it does not, or nothing changed."""
    top, shown = plan, {column.id: column.id for column in columns_of(plan)}
    while isinstance(top, Filter | Project):
        if isinstance(top, Project):
            shown = _shown_below(top, shown)
        top = top.input
    if not isinstance(top, Aggregate | Distinct | SetOperation | Window | TopN):
        return None
    keys = work.touched(top)
    if keys is None:
        return None
    outside = [_shown_as(key, shown) for key in key_of(top)]
    known = [each for each in outside if each is not None]
    if len(known) < len(outside):
        return None
    stored: Plan = Scan("", tuple(names), columns_of(plan), state=State.OLD, origin=Origin.RESULT)
    new = work.states.new(plan)
    if known:
        demand = Keys(tuple(known), keys)
        stored = work.restriction.of(stored, demand).plan
        new = work.restriction.of(new, demand).plan
    return summed([signed(new, 1), signed(stored, -1)], columns_of(plan))


def _shown_below(top: Project, shown: dict[str, str]) -> dict[str, str]:
    """Which output shows which column of the projection's input."""
    return {
        item.expression.name: shown[item.column.id]
        for item in top.items
        if isinstance(item.expression, exp.Column) and item.column.id in shown
    }


def _shown_as(key: Expr, shown: dict[str, str]) -> Expr | None:
    if isinstance(key, exp.Column) and key.name in shown:
        return reference(shown[key.name])
    return None

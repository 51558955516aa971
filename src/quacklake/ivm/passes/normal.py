"""The passes, in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from quacklake.ivm.passes.decorrelate import decorrelate
from quacklake.ivm.passes.fresh import Fresh
from quacklake.ivm.passes.prune_columns import prune_columns
from quacklake.ivm.passes.push_predicates import push_predicates
from quacklake.ivm.passes.relax_not_in import relax_not_in
from quacklake.ivm.passes.settle import settle
from quacklake.ivm.plan import Plan

Pass: TypeAlias = Callable[[Plan, Fresh], Plan]

PASSES: Final[tuple[Pass, ...]] = (
    decorrelate,
    lambda plan, _: push_predicates(plan),
    # Filters have arrived where they say what cannot be NULL.
    lambda plan, _: relax_not_in(plan),
    lambda plan, _: prune_columns(plan),
    # Last: ties are broken by the columns that are left.
    lambda plan, _: settle(plan),
)


def normalised(plan: Plan, fresh: Fresh) -> Plan:
    """The plan after all passes."""
    for each in PASSES:
        plan = each(plan, fresh)
    return plan

"""First rows carried forward: the state has more of them than are shown.

Law: all rows that stand before the last row of the state are in the state. So rows that come
behind it are of no interest, nor are those that go there. Only when more rows went than the state
had to spare are the first rows sought in the input again.
"""

from __future__ import annotations

from sqlglot import exp

from quacklake.ivm.delta.restrict import Keys, Restriction
from quacklake.ivm.delta.stored import NewState, stored_rows
from quacklake.ivm.delta.weights import WEIGHT, consolidated, key_set, signed
from quacklake.ivm.expressions import number, reference
from quacklake.ivm.passes.fresh import Fresh, kept
from quacklake.ivm.passes.prune_columns import exactly
from quacklake.ivm.plan import (
    Aggregate,
    Filter,
    Item,
    Plan,
    Project,
    SemiJoin,
    Stored,
    TopN,
    UnionAll,
    Unnest,
    Window,
)
from quacklake.ivm.shape import columns_of


def top_carried_forward(
    plan: Stored, change: Plan, new: Plan, restriction: Restriction, fresh: Fresh
) -> NewState:
    """The state after a change of its input; `new` is what the changed input gives."""
    top = plan.input
    if not isinstance(top, TopN):
        raise TypeError(f"{plan.name} keeps no first rows")
    columns = columns_of(plan)
    before = stored_rows(plan)
    rows = _near(before, change, top, fresh)
    short = key_set(_short(rows, plan.needed, fresh), (), fresh)
    first = TopN(_copies(rows, fresh), (), top.order, top.limit, 0)
    stay = SemiJoin(exactly(first, columns), short, (), anti=True)
    again = restriction.of(new, Keys((), short)).plan
    after = UnionAll((stay, exactly(again, columns)), columns)
    return NewState(before, after, short)


def _near(before: Plan, change: Plan, top: TopN, fresh: Fresh) -> Plan:
    """State and change together, without what stands behind the state's last row."""
    columns = columns_of(before)
    known, reached = fresh("known", "INT"), fresh("reached", "INT")
    wide = (*columns, WEIGHT, known)
    marked = [
        Project(exactly(each, (*columns, WEIGHT)), (*kept((*columns, WEIGHT)), Item(known, mark)))
        for each, mark in ((signed(before, 1), number(1)), (consolidated(change), number(0)))
    ]
    # A range has equal rows in it: one that goes finds its copy, wherever the two are put.
    following = exp.Window(
        this=exp.Max(this=reference(known.id)),
        order=exp.Order(expressions=[each.copy() for each in top.order]),
        spec=exp.WindowSpec(
            kind="RANGE", start="CURRENT ROW", end="UNBOUNDED", end_side="FOLLOWING"
        ),
    )
    ranked = Window(UnionAll(tuple(marked), wide), (Item(reached, following),))
    near = Filter(ranked, exp.EQ(this=reference(reached.id), expression=number(1)))
    together = consolidated(exactly(near, (*columns, WEIGHT)))
    return Filter(together, exp.GT(this=reference(WEIGHT.id), expression=number(0)))


def _short(rows: Plan, needed: int, fresh: Fresh) -> Plan:
    """A row if there are fewer rows than are needed."""
    total = fresh("total", "BIGINT")
    summed = exp.Coalesce(this=exp.Sum(this=reference(WEIGHT.id)), expressions=[number(0)])
    counted = Aggregate(rows, (), (Item(total, summed),))
    return Filter(counted, exp.LT(this=reference(total.id), expression=number(needed)))


def _copies(rows: Plan, fresh: Fresh) -> Plan:
    """Each row as often as its weight says."""
    columns = tuple(each for each in columns_of(rows) if each.id != WEIGHT.id)
    series = exp.GenerateSeries(start=exp.cast(number(1), "BIGINT"), end=reference(WEIGHT.id))
    return Project(Unnest(rows, series, (fresh("copy", ""),), None, outer=False), kept(columns))

"""Which recursions can be followed where rows only come.

    R = start + step(R)

The step must be linear, so that the step of the rows found last is all that a round adds; and no
operator may take rows back because others came.
"""

from __future__ import annotations

from quacklake.ivm.plan import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    LeftJoin,
    MarkJoin,
    Plan,
    Project,
    Scan,
    SemiJoin,
    SetKind,
    SetOperation,
    TopN,
    UnionAll,
    Unnest,
    Values,
    Window,
)
from quacklake.ivm.recursion.parts import ROWS, without
from quacklake.ivm.shape import inputs_of, nodes_of, sources_of


def check_linear(plan: Plan, name: str) -> None:
    """Raise, naming the operator, unless start and step of a recursion only ever gain rows."""
    for node in nodes_of(plan):
        below = sources_of(node)
        if ROWS in below:
            if not _is_linear(node):
                raise without(f"{_word(node)} over '{name}'")
        elif below and not _is_monotone(node):
            names = " and ".join(f"'{each}'" for each in sorted(below))
            raise without(f"{_word(node)} on {names}")


def _is_linear(plan: Plan) -> bool:
    match plan:
        case Scan() | Filter() | Project() | Unnest():
            return True
        case Join() | UnionAll():
            return sum(ROWS in sources_of(each) for each in inputs_of(plan)) == 1
        case SemiJoin():
            return not plan.anti and ROWS not in sources_of(plan.right)
        case _:
            return False


def _is_monotone(plan: Plan) -> bool:
    match plan:
        case Scan() | Values() | Filter() | Project() | Unnest() | Join() | UnionAll() | Distinct():
            return True
        case SemiJoin():
            return not plan.anti
        case SetOperation():
            return plan.kind is SetKind.INTERSECT
        case _:
            return False


def _word(plan: Plan) -> str:
    match plan:
        case Aggregate():
            return "an aggregate"
        case Distinct():
            return "a DISTINCT"
        case LeftJoin():
            return "an outer join"
        case SemiJoin():
            return "an anti join" if plan.anti else "a subquery"
        case MarkJoin():
            return "a subquery inside an expression"
        case Window():
            return "a window function"
        case TopN():
            return "a LIMIT"
        case SetOperation():
            return f"an {plan.kind.name}"
        case Join() | UnionAll():
            return "several uses"
        case _:
            return f"a {type(plan).__name__.lower()}"

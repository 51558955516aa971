"""A plan for people: the operators, the rule by which each is kept, and how aggregates are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from quacklake.ivm.expressions import Expr
from quacklake.ivm.passes.store_aggregates import strategy
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
    Stored,
    TopN,
    UnionAll,
    Unnest,
    Values,
    Window,
)
from quacklake.ivm.shape import inputs_of, nodes_of


@dataclass(frozen=True, slots=True)
class Explained:
    """An operator: what it does, the rule that keeps it, and its inputs."""

    text: str
    rule: str
    inputs: tuple[Explained, ...]

    def lines(self, depth: int = 0) -> Iterator[str]:
        """The tree, one operator a line."""
        yield f"{'  ' * depth}{self.text}  [{self.rule}]"
        for each in self.inputs:
            yield from each.lines(depth + 1)


@dataclass(frozen=True, slots=True)
class AggregateStrategy:
    """How one aggregate of a view is kept."""

    call: str
    strategy: str


def explained(plan: Plan) -> Explained:
    """The operators of a plan with their rules."""
    return Explained(_text(plan), rule_of(plan), tuple(explained(each) for each in inputs_of(plan)))


def strategies(plan: Plan) -> tuple[AggregateStrategy, ...]:
    """How each aggregate of a plan is kept; what has state shows as the parts it is made of."""
    found = []
    for node in nodes_of(plan):
        if isinstance(node, Aggregate):
            stored = any(isinstance(each, Stored) and each.input is node for each in nodes_of(plan))
            for item in node.aggregates:
                how = strategy(item.expression) if stored else _RECOMPUTED
                found.append(AggregateStrategy(_sql(item.expression), how))
    return tuple(found)


_RECOMPUTED = "recomputed for touched groups"


def rule_of(plan: Plan) -> str:
    """The rule by which an operator's change is computed."""
    match plan:
        case Scan():
            return "source"
        case Values():
            return "constant"
        case Filter() | Project() | UnionAll() | Unnest():
            return "linear"
        case Join():
            return "bilinear"
        case LeftJoin() | SemiJoin() | MarkJoin():
            return "bilinear, looking back"
        case Aggregate() | Distinct() | SetOperation() | Window() | TopN():
            return "keyed"
        case Stored():
            return "state"
        case Restrict() | Apply():
            return "none"
        case _:
            assert_never(plan)


def _text(plan: Plan) -> str:
    name = type(plan).__name__.lower()
    match plan:
        case Scan():
            return f"scan {plan.source} ({', '.join(plan.fields)})"
        case Filter():
            return f"filter {_sql(plan.predicate)}"
        case Project() | Window():
            return f"{name} {_items(plan.items)}"
        case Join() | LeftJoin() | SemiJoin() | MarkJoin():
            anti = isinstance(plan, SemiJoin) and plan.anti
            return f"{'antijoin' if anti else name} on {_list(plan.on) or 'every pair'}"
        case Aggregate():
            by = _list(item.expression for item in plan.keys) or "nothing"
            return f"aggregate by {by}: {_items(plan.aggregates)}"
        case SetOperation():
            return f"{plan.kind.value}{' all' if plan.all else ''}"
        case TopN():
            return f"first {plan.limit} by {_list(plan.order)}"
        case Unnest():
            return f"unnest {_sql(plan.array)}"
        case Stored():
            return f"kept as {plan.name}"
        case _:
            return name


def _items(items: tuple[Item, ...]) -> str:
    return ", ".join(f"{_sql(item.expression)} as {item.column.id}" for item in items)


def _list(expressions: object) -> str:
    return ", ".join(_sql(each) for each in expressions)  # type: ignore[attr-defined]


def _sql(expression: Expr) -> str:
    return expression.sql(dialect="spark").replace("`", "")

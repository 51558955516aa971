"""Aggregates that can be carried forward keep a state, from which their values are computed.

    Aggregate(k, AVG(x))  becomes
    Project(k, s / c, Stored(Aggregate(k, COUNT(*), SUM(x) as s, COUNT(x) as c)))

State is what adds up: counts, sums of exact numbers, and extrema. A group whose aggregates are not
all of this kind is recomputed when it is touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count

from sqlglot import exp

from quacklake.ivm.expressions import Expr, number, reference
from quacklake.ivm.passes.exactness import Exact, exactness
from quacklake.ivm.passes.fresh import Fresh, kept
from quacklake.ivm.plan import Aggregate, Item, Plan, Project, Stored
from quacklake.ivm.shape import bottom_up, columns_of, sources_of

# An average of decimals: sum, count, and precision and scale of what was averaged.
DECIMAL_AVERAGE = "__decimal_average"


def store_aggregates(plan: Plan, fresh: Fresh) -> Plan:
    """The plan with a state for each aggregate that can have one."""
    numbers = count(1)

    def change(node: Plan) -> Plan:
        if not isinstance(node, Aggregate) or not sources_of(node):
            return node
        state = _State({column.id: column.type for column in columns_of(node.input)}, fresh)
        values = [state.value(item) for item in node.aggregates]
        if any(value is None for value in values):
            return node
        stored = state.stored(node, f"state_{next(numbers)}")
        items = tuple(
            Item(item.column, value)
            for item, value in zip(node.aggregates, values, strict=True)
            if value is not None
        )
        return Project(stored, kept(item.column for item in node.keys) + items)

    return bottom_up(plan, change)


def strategy(part: Expr) -> str:
    """How a part of a state is carried forward, in words."""
    if isinstance(part, exp.Min | exp.Max):
        return "state; recomputed for groups that lose their extremum"
    return "state"


@dataclass(slots=True)
class _State:
    types: Mapping[str, str]
    fresh: Fresh
    parts: list[Item] = field(default_factory=list)

    def __post_init__(self) -> None:
        # A group exists as long as it has rows.
        self.part(exp.Count(this=exp.Star()), "BIGINT")

    def stored(self, node: Aggregate, name: str) -> Stored:
        keys = tuple(f"key_{place + 1}" for place in range(len(node.keys)))
        values = tuple(f"value_{place}" for place in range(1, len(self.parts)))
        aggregate = Aggregate(node.input, node.keys, tuple(self.parts))
        return Stored(name, aggregate, (*keys, "row_count", *values))

    def part(self, call: Expr, column_type: str) -> Expr:
        """The state column that holds a call; equal calls share one."""
        for item in self.parts:
            if item.expression == call:
                return reference(item.column.id)
        column = self.fresh(call.key, column_type)
        self.parts.append(Item(column, call))
        return reference(column.id)

    def value(self, item: Item) -> Expr | None:
        """What computes an aggregate from state; None if nothing does."""
        call, condition = _unfiltered(item.expression), _condition(item.expression)
        match call:
            case exp.CountIf():
                return self.part(
                    exp.Count(this=_where(_where(number(1), call.this), condition)), "BIGINT"
                )
            case exp.Count(this=exp.Star()) if condition is None:
                return self.part(exp.Count(this=exp.Star()), "BIGINT")
            case exp.Count():
                counted = _counted(call)
                if counted is None:
                    return None
                return self.part(exp.Count(this=_where(counted, condition)), "BIGINT")
            case exp.Sum() | exp.Avg() if not isinstance(call.this, exp.Distinct):
                return self.sum_or_average(call, condition)
            case exp.Min() | exp.Max():
                argument = call.this
                if isinstance(argument, exp.Distinct) or call.expressions:
                    return None
                return self.part(type(call)(this=_where(argument, condition)), item.column.type)
            case _:
                return None

    def sum_or_average(self, call: Expr, condition: Expr | None) -> Expr | None:
        kind = exactness(call.this, self.types)
        if kind is None:
            return None
        argument = _where(call.this, condition)
        total: Expr = exp.Sum(this=argument)
        if kind is Exact.INTEGER:
            total = exp.cast(total, "BIGINT")
        column_type = "BIGINT" if kind is Exact.INTEGER else ""
        average = None
        if isinstance(call, exp.Avg) and kind is Exact.DECIMAL:
            average = self.decimal_shape(call.this)
            if average is None:
                return None
        whole = self.part(total, column_type)
        seen = self.part(exp.Count(this=argument.copy()), "BIGINT")
        some = exp.GT(this=seen.copy(), expression=number(0))
        if isinstance(call, exp.Sum):
            return exp.Case().when(some, whole).else_(exp.null())
        if average is None:
            value: Expr = exp.Div(
                this=exp.cast(whole, "DOUBLE"), expression=exp.cast(seen, "DOUBLE")
            )
        else:
            value = exp.Anonymous(this=DECIMAL_AVERAGE, expressions=[whole, seen, *average])
        return exp.Case().when(some, value).else_(exp.null())

    def decimal_shape(self, argument: Expr) -> list[Expr] | None:
        """Precision and scale of a decimal column; of other expressions they are not known."""
        if not isinstance(argument, exp.Column):
            return None
        kind = exp.DataType.build(self.types[argument.name], dialect="spark")
        return [exp.Literal.number(each.name) for each in kind.expressions]


def _unfiltered(call: Expr) -> Expr:
    inner: Expr = call.this if isinstance(call, exp.Filter) else call
    return inner


def _condition(call: Expr) -> Expr | None:
    return call.expression.this if isinstance(call, exp.Filter) else None


def _where(argument: Expr, condition: Expr | None) -> Expr:
    """The argument where a condition is true, and NULL elsewhere."""
    if condition is None:
        return argument.copy()
    return exp.Case().when(condition.copy(), argument.copy())


def _counted(call: exp.Count) -> Expr | None:
    """What a COUNT counts the values of, or None if they are distinct or several."""
    if isinstance(call.this, exp.Star):
        return number(1)
    if isinstance(call.this, exp.Distinct) or call.expressions:
        return None
    counted: Expr = call.this
    return counted

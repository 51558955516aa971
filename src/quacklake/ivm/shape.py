"""What can be said of any plan: its columns, its parts, what it reads from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import assert_never, cast

from quacklake.ivm.expressions import Expr, references_of
from quacklake.ivm.plan import (
    Aggregate,
    Apply,
    ApplyKind,
    Column,
    Distinct,
    Filter,
    Join,
    LeftJoin,
    MarkJoin,
    Origin,
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


def columns_of(plan: Plan) -> tuple[Column, ...]:
    """The columns of a plan's rows, in order."""
    match plan:
        case Scan() | Values() | UnionAll() | SetOperation():
            return plan.columns
        case Filter() | Distinct() | TopN() | Restrict() | Stored():
            return columns_of(plan.input)
        case Project():
            return tuple(item.column for item in plan.items)
        case Aggregate():
            return tuple(item.column for item in plan.keys + plan.aggregates)
        case Window():
            return columns_of(plan.input) + tuple(item.column for item in plan.items)
        case Unnest():
            position = () if plan.position is None else (plan.position,)
            return columns_of(plan.input) + position + plan.columns
        case Join() | LeftJoin() | SemiJoin() | MarkJoin() | Apply():
            return _columns_of_join(plan)
        case _:
            assert_never(plan)


def _columns_of_join(plan: Join | LeftJoin | SemiJoin | MarkJoin | Apply) -> tuple[Column, ...]:
    match plan:
        case Join():
            return tuple(column for each in plan.inputs for column in columns_of(each))
        case LeftJoin():
            return columns_of(plan.left) + columns_of(plan.right)
        case SemiJoin():
            return columns_of(plan.left)
        case MarkJoin():
            return (*columns_of(plan.left), plan.mark)
        case Apply():
            return _columns_of_apply(plan)


def _columns_of_apply(plan: Apply) -> tuple[Column, ...]:
    left = columns_of(plan.left)
    if plan.kind in {ApplyKind.INNER, ApplyKind.LEFT}:
        return left + columns_of(plan.right)
    return left if plan.output is None else (*left, plan.output)


def ids_of(plan: Plan) -> frozenset[str]:
    """The ids of a plan's columns."""
    return frozenset(column.id for column in columns_of(plan))


def inputs_of(plan: Plan) -> tuple[Plan, ...]:
    """The plans a plan is made from; key sets are among them."""
    match plan:
        case Scan() | Values():
            return ()
        case Join() | UnionAll():
            return plan.inputs
        case LeftJoin() | SemiJoin() | MarkJoin() | SetOperation() | Apply():
            return (plan.left, plan.right)
        case Restrict():
            return (plan.input, plan.keys)
        case _:
            return (plan.input,)


def with_inputs(plan: Plan, inputs: tuple[Plan, ...]) -> Plan:
    """The same operator over other inputs; the plan itself if they are the same ones."""
    if all(new is old for new, old in zip(inputs, inputs_of(plan), strict=True)):
        return plan
    match plan:
        case Scan() | Values():
            return plan
        case Join() | UnionAll():
            return replace(plan, inputs=inputs)
        case LeftJoin() | SemiJoin() | MarkJoin() | SetOperation() | Apply():
            return replace(plan, left=inputs[0], right=inputs[1])
        case Restrict():
            return replace(plan, input=inputs[0], keys=inputs[1])
        case Stored():
            return replace(plan, input=cast("Aggregate | TopN", inputs[0]))
        case _:
            return replace(plan, input=inputs[0])


def expressions_of(plan: Plan) -> tuple[Expr, ...]:
    """The expressions an operator evaluates on its inputs' rows."""
    match plan:
        case Filter():
            return (plan.predicate,)
        case Project() | Window():
            return tuple(item.expression for item in plan.items)
        case Join() | LeftJoin() | SemiJoin() | MarkJoin() | Apply() | Restrict():
            return plan.on
        case Aggregate():
            return tuple(item.expression for item in plan.keys + plan.aggregates)
        case TopN():
            return plan.partition + plan.order
        case Unnest():
            return (plan.array,)
        case Scan() | Values() | Distinct() | UnionAll() | SetOperation() | Stored():
            return ()
        case _:
            assert_never(plan)


def bottom_up(
    plan: Plan, change: Callable[[Plan], Plan], done: dict[Plan, Plan] | None = None
) -> Plan:
    """The plan with `change` applied to every operator, inputs first; shared parts stay shared.

    `done` remembers what was changed, for plans that are changed one after the other.
    """
    done = {} if done is None else done

    def visit(node: Plan) -> Plan:
        if node not in done:
            done[node] = change(with_inputs(node, tuple(map(visit, inputs_of(node)))))
        return done[node]

    return visit(plan)


def nodes_of(plan: Plan) -> Iterator[Plan]:
    """Every operator once, inputs first."""
    seen: set[Plan] = set()

    def visit(node: Plan) -> Iterator[Plan]:
        if node in seen:
            return
        seen.add(node)
        for each in inputs_of(node):
            yield from visit(each)
        yield node

    return visit(plan)


def sources_of(plan: Plan) -> frozenset[str]:
    """The names of the sources a plan reads."""
    return frozenset(
        node.source
        for node in nodes_of(plan)
        if isinstance(node, Scan) and node.origin is Origin.SOURCE
    )


def free_columns(plan: Plan) -> frozenset[str]:
    """The ids of columns that a plan reads and nothing in it provides: it is correlated."""
    memo: dict[Plan, frozenset[str]] = {}

    def visit(node: Plan) -> frozenset[str]:
        if node in memo:
            return memo[node]
        below = inputs_of(node)
        provided = frozenset().union(*(ids_of(each) for each in below))
        own = references_of(expressions_of(node)) - provided
        inherited = frozenset().union(*(visit(each) for each in below))
        if isinstance(node, Apply):
            inherited -= ids_of(node.left)
        memo[node] = own | inherited
        return memo[node]

    return visit(plan)

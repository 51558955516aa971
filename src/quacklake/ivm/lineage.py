"""Which source columns the values of a view's columns come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from quacklake.ivm.expressions import Expr, references
from quacklake.ivm.plan import (
    Aggregate,
    MarkJoin,
    Plan,
    Project,
    Scan,
    SetOperation,
    UnionAll,
    Unnest,
    Values,
    Window,
)
from quacklake.ivm.shape import columns_of, inputs_of

Origins: TypeAlias = frozenset[tuple[str, str]]


def lineage_of(plan: Plan, names: tuple[str, ...]) -> dict[str, Origins]:
    """For each output the (source, column) pairs its value is computed from."""
    origins = _origins(plan)
    return {name: origins[column.id] for name, column in zip(names, columns_of(plan), strict=True)}


def _origins(plan: Plan) -> dict[str, Origins]:
    below: dict[str, Origins] = {}
    for each in inputs_of(plan):
        below.update(_origins(each))
    match plan:
        case Scan():
            pairs = zip(plan.columns, plan.fields, strict=True)
            return {column.id: frozenset({(plan.source, name)}) for column, name in pairs}
        case Values():
            return {column.id: frozenset() for column in plan.columns}
        case UnionAll() | SetOperation():
            return _by_position(plan, below)
        case Project():
            return {i.column.id: _read(i.expression, below) for i in plan.items}
        case Aggregate():
            return {i.column.id: _read(i.expression, below) for i in plan.keys + plan.aggregates}
        case Window():
            return below | {i.column.id: _read(i.expression, below) for i in plan.items}
        case Unnest():
            made = plan.columns if plan.position is None else (*plan.columns, plan.position)
            return below | {column.id: _read(plan.array, below) for column in made}
        case MarkJoin():
            read = (_read(each, below) for each in plan.on)
            return below | {plan.mark.id: frozenset().union(*read)}
        case _:
            return below


def _read(expression: Expr, below: Mapping[str, Origins]) -> Origins:
    return frozenset().union(*(below.get(each, frozenset()) for each in references(expression)))


def _by_position(plan: UnionAll | SetOperation, below: Mapping[str, Origins]) -> dict[str, Origins]:
    found: dict[str, Origins] = {column.id: frozenset() for column in plan.columns}
    for each in inputs_of(plan):
        for column, own in zip(plan.columns, columns_of(each), strict=True):
            found[column.id] |= below[own.id]
    return found

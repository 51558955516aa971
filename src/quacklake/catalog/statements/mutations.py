"""Mutations of the catalog become work: as few statements as their order allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, product
from typing import Any, assert_never

from sqlalchemy import and_, delete, or_, select, true, update
from sqlalchemy.schema import CreateTable
from sqlalchemy.sql import ColumnElement
from sqlalchemy.sql.schema import Table

from quacklake.catalog.mutations import (
    Cell,
    CreateInlined,
    CreateOwn,
    Delete,
    DropInlined,
    DropInlinedDeletes,
    End,
    EndInlined,
    Insert,
    InsertInlined,
    InsertInlinedDeletes,
    Match,
    Mutation,
    RemoveInlined,
    RemoveInlinedDeletes,
    Swap,
    Update,
)
from quacklake.catalog.statements import inlined_tables
from quacklake.catalog.statements.bulk import inserted, stored, updated
from quacklake.catalog.statements.scope import Scope
from quacklake.catalog.statements.work import Define, Ensure, Statement, Work, batches


def planned(scope: Scope, mutations: Sequence[Mutation]) -> Iterator[Work]:
    """The work of `mutations`, in their order; neighbours of one shape become one piece."""
    for _, neighbours in groupby(mutations, key=_shape):
        group = list(neighbours)
        inserts = [mutation for mutation in group if isinstance(mutation, Insert)]
        updates = [mutation for mutation in group if isinstance(mutation, Update)]
        if inserts:
            rows = [row for mutation in inserts for row in mutation.rows]
            yield from inserted(scope, scope.target(inserts[0].table), rows)
        elif updates and _is_plain(updates[0].where):
            yield updated(scope, scope.target(updates[0].table), updates)
        else:
            for mutation in group:
                yield from _single(scope, mutation)


def _shape(mutation: Mutation) -> object:
    match mutation:
        case Insert(table):
            return Insert, table
        case Update(table, where, values) if _is_plain(where):
            return Update, table, _names(where), _names(values)
        case _:
            return id(mutation)


def _is_plain(where: Match) -> bool:
    return not any(value is None or isinstance(value, tuple) for _, value in where)


def _names(pairs: Iterable[tuple[str, object]]) -> tuple[str, ...]:
    return tuple(name for name, _ in pairs)


def _single(scope: Scope, mutation: Mutation) -> Iterator[Work]:
    match mutation:
        case Insert(table, rows):
            yield from inserted(scope, scope.target(table), rows)
        case End(table, where) | Update(table, where) | Delete(table, where):
            target = scope.target(table)
            for condition in _conditions(target, where):
                yield Statement(_changed(target, mutation).where(condition))
        case CreateOwn():
            for target in scope.own.values():
                yield Define(CreateTable(target, if_not_exists=True))
        case Swap(table, where, values):
            yield from _swapped(scope.target(table), where, values)
        case CreateInlined() | DropInlined() | DropInlinedDeletes():
            yield from inlined_tables.defined(scope, mutation)
        case InsertInlined() | EndInlined() | RemoveInlined():
            yield from inlined_tables.rows_changed(scope, mutation)
        case InsertInlinedDeletes() | RemoveInlinedDeletes():
            yield from inlined_tables.deletes_changed(scope, mutation)
        case _:
            assert_never(mutation)


def _swapped(
    target: Table, where: Match, values: tuple[tuple[str, Cell], ...]
) -> Iterator[Statement | Ensure]:
    """An update, and then a look: not every driver tells how many rows an update reached."""
    for condition in _conditions(target, where):
        yield Statement(update(target).where(condition).values(dict(values)))
    changed = [target.c[name] == value for name, value in values]
    yield Ensure(select(true()).where(and_(*changed)).select_from(target))


def _changed(target: Table, mutation: End | Update | Delete) -> Any:
    match mutation:
        case End(at=at):
            return update(target).where(target.c.end_snapshot.is_(None)).values(end_snapshot=at)
        case Update(values=values):
            return update(target).values({name: stored(value) for name, value in values})
        case Delete():
            return delete(target)
        case _:
            assert_never(mutation)


def _conditions(target: Table, where: Match) -> Iterator[ColumnElement[bool]]:
    """Conditions that together pick the rows that match, none with too many values."""
    parts = [list(_choices(target.c[name], value)) for name, value in where]
    for chosen in product(*parts):
        yield and_(true(), *chosen)


def _choices(
    column: ColumnElement[Any], value: Cell | tuple[Cell, ...]
) -> Iterator[ColumnElement[bool]]:
    if not isinstance(value, tuple):
        yield column.is_(None) if value is None else column == stored(value)
        return
    for batch in batches(value):
        present = column.in_([stored(cell) for cell in batch if cell is not None])
        yield or_(column.is_(None), present) if None in batch else present

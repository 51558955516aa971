"""Many rows at once, in the way each database takes them fastest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import UUID

import pyarrow as pa
from sqlalchemy import BigInteger, Boolean, bindparam, insert, update
from sqlalchemy.sql.schema import Table

from quacklake.catalog.location import Backend
from quacklake.catalog.mutations import Update
from quacklake.catalog.statements.scope import Scope
from quacklake.catalog.statements.work import STAGED, Direct, Load, Statement
from quacklake.catalog.tables import Instant
from quacklake.format.sqltypes import quoted

FEW: Final = 20
"""Up to here DuckDB takes parameters faster than an Arrow table."""


def stored(cell: object) -> object:
    """A cell in a form that every driver takes."""
    return str(cell) if isinstance(cell, UUID) else cell


def inserted(
    scope: Scope, target: Table, rows: Sequence[Sequence[object]]
) -> Iterator[Statement | Direct | Load]:
    """The work that adds positional rows to a table."""
    if not rows:
        return
    if scope.backend is not Backend.DUCKDB:
        yield Statement(insert(target), _named(target, rows))
    elif len(rows) <= FEW:
        yield _values(scope, target, rows)
    else:
        yield _staged(scope, target, rows)


def _named(target: Table, rows: Sequence[Sequence[object]]) -> list[dict[str, object]]:
    names = [column.name for column in target.columns]
    found = [dict(zip(names, row, strict=True)) for row in rows]
    for name in (name for name in names if name.endswith("_uuid")):
        for each in found:
            each[name] = stored(each[name])
    return found


def updated(scope: Scope, target: Table, updates: Sequence[Update]) -> Statement | Direct:
    """The work of updates that differ only in their values."""
    if scope.backend is Backend.DUCKDB and _are_independent(updates):
        return _joined(scope, target, updates)
    same = [target.c[name] == bindparam(f"where_{name}") for name, _ in updates[0].where]
    values: dict[str, Any] = {name: bindparam(f"to_{name}") for name, _ in updates[0].values}
    return Statement(
        update(target).where(*same).values(values),
        [
            {f"where_{name}": stored(value) for name, value in each.where}
            | {f"to_{name}": stored(value) for name, value in each.values}
            for each in updates
        ],
    )


def _are_independent(updates: Sequence[Update]) -> bool:
    """Whether several updates reach different rows, before and after each other."""
    keys = {each.where for each in updates}
    chosen, changed = dict(updates[0].where), dict(updates[0].values)
    return len(keys) == len(updates) > 1 and not chosen.keys() & changed.keys()


def _joined(scope: Scope, target: Table, updates: Sequence[Update]) -> Direct:
    """One statement: DuckDB takes much longer over many."""
    where = [quoted(name) for name, _ in updates[0].where]
    names = [quoted(name) for name, _ in updates[0].values]
    marks = [f"w{i}" for i in range(len(where))] + [f"v{i}" for i in range(len(names))]
    changed = ", ".join(f"{name} = new.v{i}" for i, name in enumerate(names))
    same = " AND ".join(f"old.{name} = new.w{i}" for i, name in enumerate(where))
    rows = [[value for _, value in (*each.where, *each.values)] for each in updates]
    listed, parameters = _listed_rows(rows)
    return Direct(
        f"UPDATE {scope.spelled(target.name)} AS old SET {changed} "
        f"FROM (VALUES {listed}) AS new({', '.join(marks)}) WHERE {same}",
        parameters,
    )


def _values(scope: Scope, target: Table, rows: Sequence[Sequence[object]]) -> Direct:
    listed, parameters = _listed_rows(rows)
    into = f"INSERT INTO {scope.spelled(target.name)}"
    return Direct(f"{into} ({_listed(target)}) VALUES {listed}", parameters)


def _listed_rows(rows: Sequence[Sequence[object]]) -> tuple[str, tuple[object, ...]]:
    line = f"({', '.join('?' * len(rows[0]))})"
    return ", ".join([line] * len(rows)), tuple(stored(cell) for row in rows for cell in row)


def _staged(scope: Scope, target: Table, rows: Sequence[Sequence[object]]) -> Load:
    arrays = [
        pa.array([stored(row[i]) for row in rows], _carrier(column.type))
        for i, column in enumerate(target.columns)
    ]
    names = [column.name for column in target.columns]
    into = f"INSERT INTO {scope.spelled(target.name)}"
    return Load(f"{into} ({_listed(target)}) SELECT * FROM {STAGED}", pa.table(arrays, names=names))


def _listed(target: Table) -> str:
    return ", ".join(quoted(column.name) for column in target.columns)


def _carrier(column_type: object) -> pa.DataType:
    match column_type:
        case BigInteger():
            return pa.int64()
        case Boolean():
            return pa.bool_()
        case Instant():
            return pa.timestamp("us", tz="UTC")
        case _:
            return pa.string()

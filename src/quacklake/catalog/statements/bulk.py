"""Many new rows at once, in the way each database takes them fastest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import UUID

import pyarrow as pa
from sqlalchemy import BigInteger, Boolean, insert, text
from sqlalchemy.sql.schema import Table

from quacklake.catalog.location import Backend
from quacklake.catalog.statements.scope import Scope
from quacklake.catalog.statements.work import STAGED, Load, Statement
from quacklake.catalog.tables import Instant
from quacklake.format.sqltypes import quoted

FEW: Final = 20
"""Up to here DuckDB takes parameters faster than an Arrow table."""


def stored(cell: object) -> object:
    """A cell in a form that every driver takes."""
    return str(cell) if isinstance(cell, UUID) else cell


def inserted(
    scope: Scope, target: Table, rows: Sequence[Sequence[object]]
) -> Iterator[Statement | Load]:
    """The work that adds positional rows to a table."""
    if not rows:
        return
    if scope.backend is not Backend.DUCKDB:
        names = [column.name for column in target.columns]
        yield Statement(
            insert(target),
            [{name: stored(cell) for name, cell in zip(names, row, strict=True)} for row in rows],
        )
    elif len(rows) <= FEW:
        yield _values(scope, target, rows)
    else:
        yield _staged(scope, target, rows)


def _values(scope: Scope, target: Table, rows: Sequence[Sequence[object]]) -> Statement:
    parameters: dict[str, Any] = {}
    lines = []
    for row in rows:
        names = [f"p{len(parameters) + i}" for i in range(len(row))]
        parameters.update(zip(names, map(stored, row), strict=True))
        lines.append(f"({', '.join(f':{name}' for name in names)})")
    into = f"INSERT INTO {scope.in_text(target.name)}"
    return Statement(text(f"{into} ({_listed(target)}) VALUES {', '.join(lines)}"), [parameters])


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

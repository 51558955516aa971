"""Which clause of a merge applies to each row, and the values it gives; decided by DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quacklake.client.writing.clauses import (
    Clauses,
    Delete,
    Ignore,
    Insert,
    Matched,
    NotMatched,
    Update,
)
from quacklake.format import casting
from quacklake.format.sqltypes import literal, quoted, sql_type
from quacklake.format.table import Table
from quacklake.format.types import Column
from quacklake.kernel.errors import UsageError

REMOVES = ["update", "delete"]
INSERTS = ["update", "insert"]
_BOTH = "target_row IS NOT NULL AND source_row IS NOT NULL"
_ONLY_SOURCE = "target_row IS NULL"
_ONLY_TARGET = "source_row IS NULL"
_names = count()


@dataclass(frozen=True, slots=True)
class _Case:
    """A clause, the rows it is for, and its number."""

    number: int
    clause: Matched | NotMatched
    rows: str

    @property
    def condition(self) -> str:
        own = self.clause.condition
        return f"{self.rows} AND (\n{own}\n)" if own else self.rows


def decided(
    source: pa.Table, target: pa.Table, table: Table, keys: tuple[Column, ...], given: Clauses
) -> pa.Table:
    """A row for each row touched: action, place of the old row, its row id, and new values."""
    cases = list(_cases(given))
    whens = " ".join(f"WHEN {case.condition} THEN {case.number}" for case in cases)
    choice = f"(CASE {whens} ELSE -1 END)"
    values = ", ".join(
        f"{_value(column, cases, choice, source.column_names)} AS v{place}"
        for place, column in enumerate(table.columns)
    )
    on = " AND ".join(f"target.{quoted(k.name)} = source.{quoted(k.name)}" for k in keys)
    select = (
        f"SELECT {choice} AS choice, target_row, source_row, target.rowid AS rowid, {values} "
        f"FROM target FULL JOIN source ON {on}"
    )
    found = _run(select, source, target, table)
    kinds = [_action(case.clause) for case in cases]
    # A row that no clause is for has the number -1, the place of the last word.
    actions = np.array([*kinds, "ignore"])[found.column("choice").to_numpy()]
    done = found.append_column("action", pa.array(actions, pa.string()))
    _check_unique(done)
    return done.filter(pc.not_equal(done.column("action"), "ignore"))


def _cases(given: Clauses) -> Iterator[_Case]:
    groups = (
        (given.matched, _BOTH),
        (given.not_matched, _ONLY_SOURCE),
        (given.not_matched_by_source, _ONLY_TARGET),
    )
    numbers = count()
    for clauses, rows in groups:
        for clause in clauses:
            yield _Case(next(numbers), clause, rows)


def _action(clause: Matched | NotMatched) -> str:
    return type(clause).__name__.lower()


def _value(column: Column, cases: list[_Case], choice: str, brought: list[str]) -> str:
    whens = []
    for case in cases:
        text = _clause_value(column, case.clause, brought)
        if text is not None:
            typed = f"CAST(({text}\n) AS {sql_type(column.type)})"
            whens.append(f"WHEN {case.number} THEN {typed}")
    if not whens:
        return casting.carried(f"CAST(NULL AS {sql_type(column.type)})", column.type)
    return casting.carried(f"(CASE {choice} {' '.join(whens)} END)", column.type)


def _clause_value(column: Column, clause: Matched | NotMatched, brought: list[str]) -> str | None:
    name = quoted(column.name)
    match clause:
        case Delete() | Ignore():
            return None
        case Update(values=None):
            return f"source.{name}" if column.name in brought else f"target.{name}"
        case Update(values=values):
            return _assigned(column, values or {}, f"target.{name}")
        case Insert(values=None):
            return f"source.{name}" if column.name in brought else _default(column)
        case Insert(values=values):
            return _assigned(column, values or {}, _default(column))


def _assigned(column: Column, values: object, otherwise: str) -> str:
    given = {str(k).casefold(): str(v) for k, v in dict(values).items()}  # type: ignore[call-overload]
    return given.get(column.name.casefold(), otherwise)


def _default(column: Column) -> str:
    if column.default is None:
        return "NULL"
    return column.default if column.default_is_expression else literal(column.default)


def _run(select: str, source: pa.Table, target: pa.Table, table: Table) -> pa.Table:
    session = casting.session()
    number = next(_names)
    known = {column.name: column for column in table.columns}
    brought = ", ".join(
        _restored(known[name]) if name in known else quoted(name) for name in source.column_names
    )
    there = set(target.column_names)
    own = ", ".join(_restored(column) for column in table.columns if column.name in there)
    session.register(f"source_{number}", _numbered(source, "source_row"))
    session.register(f"target_{number}", _numbered(target, "target_row"))
    with_rows = (
        f"WITH source AS (SELECT {brought}, source_row FROM source_{number}), "
        f"target AS (SELECT {own}, rowid, target_row FROM target_{number}) "
    )
    try:
        return session.execute(with_rows + select).to_arrow_table()
    except duckdb.Error as error:
        problem = str(error).partition("\n")[0].partition(": ")[2]
        raise UsageError(f"the merge cannot be computed: {problem}") from error
    finally:
        session.unregister(f"source_{number}")
        session.unregister(f"target_{number}")


def _restored(column: Column) -> str:
    return f"{casting.restored(quoted(column.name), column.type)} AS {quoted(column.name)}"


def _numbered(rows: pa.Table, name: str) -> pa.Table:
    return rows.append_column(name, pa.array(np.arange(rows.num_rows, dtype=np.int64)))


def _check_unique(done: pa.Table) -> None:
    touched = done.filter(pc.is_in(done.column("action"), pa.array(REMOVES)))
    rows = touched.column("target_row")
    if pc.count_distinct(rows).as_py() != len(rows):
        raise UsageError(
            "a row of the table is matched by several of the rows",
            hint="make the rows unique by the merge keys, or ignore some with a condition",
        )

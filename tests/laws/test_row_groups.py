"""A row group that holds a wanted row is never left out, whoever wrote the file."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal as Number
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quacklake.format.predicate import (
    AllOf,
    AnyOf,
    Compare,
    Comparison,
    IsNotNull,
    IsNull,
    OneOf,
    Predicate,
)
from quacklake.format.sqltypes import sql_type
from quacklake.format.types import Column, Decimal, Kind, LakeType, Scalar
from quacklake.kernel.ids import ColumnId
from quacklake.storage import Storage, open_parquet
from quacklake.storage.rowgroups import surviving_row_groups


@dataclass(frozen=True, slots=True)
class Case:
    """A type as stored, the column's type, and values; `constant` makes one the column's own."""

    stored: LakeType
    column: LakeType
    values: st.SearchStrategy[Any]
    constant: Callable[[Any], Any] = lambda value: value


def _integers(kind: Kind) -> st.SearchStrategy[int]:
    bits = int(kind.value.lstrip("uint"))
    low, high = (
        (0, 2**bits - 1)
        if kind.value.startswith("u")
        else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    )
    return st.integers(low, high) | st.integers(0, 5) | st.sampled_from([low, high])


_MOMENTS: Final = st.datetimes(
    datetime.fromisoformat("1900-01-01"), datetime.fromisoformat("2200-01-01")
) | st.datetimes(
    datetime.fromisoformat("2020-01-01"), datetime.fromisoformat("2020-01-01T00:00:02")
)
_WORDS: Final = st.text(alphabet="abé\U0001f986%_'", max_size=4) | st.sampled_from(
    ["a" * 300, "a" * 299 + "b", "é" * 200, "\U0010ffff" * 100, ""]
)
_ODD_REALS: Final = st.sampled_from([0.0, -0.0, 1.0, float("nan"), float("nan")])
_DOUBLES: Final = st.floats(width=64) | _ODD_REALS
_SINGLES: Final = st.floats(width=32) | _ODD_REALS


def _decimals(digits: int, scale: int) -> st.SearchStrategy[Number]:
    top = 10**digits - 1
    whole = st.integers(-top, top) | st.integers(-3, 3)
    return whole.map(lambda each: Number(each).scaleb(-scale))


def _same(kind: Kind, values: st.SearchStrategy[Any]) -> Case:
    return Case(Scalar(kind), Scalar(kind), values)


def _seconds(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)


def _milliseconds(moment: datetime) -> datetime:
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


CASES: Final = {
    **{
        kind.value: _same(kind, _integers(kind))
        for kind in (
            *(Kind.INT8, Kind.INT16, Kind.INT32, Kind.INT64),
            *(Kind.UINT8, Kind.UINT16, Kind.UINT32, Kind.UINT64),
        )
    },
    "int32 as int64": Case(Scalar(Kind.INT32), Scalar(Kind.INT64), _integers(Kind.INT32)),
    "uint32 as int64": Case(Scalar(Kind.UINT32), Scalar(Kind.INT64), _integers(Kind.UINT32)),
    "int64 as int128": Case(Scalar(Kind.INT64), Scalar(Kind.INT128), _integers(Kind.INT64)),
    "int32 as float64": Case(Scalar(Kind.INT32), Scalar(Kind.FLOAT64), _integers(Kind.INT32)),
    "int64 as float64": Case(
        Scalar(Kind.INT64), Scalar(Kind.FLOAT64), st.integers(2**53 - 2, 2**53 + 3)
    ),
    "boolean": _same(Kind.BOOLEAN, st.booleans()),
    "float32": _same(Kind.FLOAT32, _SINGLES),
    "float64": _same(Kind.FLOAT64, _DOUBLES),
    "float32 as float64": Case(Scalar(Kind.FLOAT32), Scalar(Kind.FLOAT64), _SINGLES),
    "decimal(4,2)": Case(Decimal(4, 2), Decimal(4, 2), _decimals(4, 2)),
    "decimal(18,3)": Case(Decimal(18, 3), Decimal(18, 3), _decimals(18, 3)),
    "decimal(38,10)": Case(Decimal(38, 10), Decimal(38, 10), _decimals(38, 10)),
    "decimal(4,2) as decimal(20,4)": Case(Decimal(4, 2), Decimal(20, 4), _decimals(4, 2)),
    "decimal(9,4) as decimal(9,2)": Case(
        Decimal(9, 4), Decimal(9, 2), _decimals(6, 4), lambda value: round(value, 2)
    ),
    "int16 as decimal(10,2)": Case(Scalar(Kind.INT16), Decimal(10, 2), _integers(Kind.INT16)),
    "date": _same(Kind.DATE, st.dates(date(1, 1, 1), date(9999, 12, 31))),
    "timestamp": _same(Kind.TIMESTAMP, _MOMENTS),
    "timestamp_ms": _same(Kind.TIMESTAMP_MS, _MOMENTS.map(_milliseconds)),
    "timestamp_s": _same(Kind.TIMESTAMP_S, _MOMENTS.map(_seconds)),
    "timestamp_ns": _same(Kind.TIMESTAMP_NS, _MOMENTS),
    "timestamp as timestamp_s": Case(
        Scalar(Kind.TIMESTAMP), Scalar(Kind.TIMESTAMP_S), _MOMENTS, _seconds
    ),
    "timestamp as timestamp_ms": Case(
        Scalar(Kind.TIMESTAMP), Scalar(Kind.TIMESTAMP_MS), _MOMENTS, _milliseconds
    ),
    "timestamp_ns as timestamp": Case(Scalar(Kind.TIMESTAMP_NS), Scalar(Kind.TIMESTAMP), _MOMENTS),
    "timestamp_ms as timestamp": Case(
        Scalar(Kind.TIMESTAMP_MS), Scalar(Kind.TIMESTAMP), _MOMENTS.map(_milliseconds)
    ),
    "timestamptz": _same(Kind.TIMESTAMPTZ, _MOMENTS.map(lambda each: each.replace(tzinfo=UTC))),
    "timestamp as timestamptz": Case(Scalar(Kind.TIMESTAMP), Scalar(Kind.TIMESTAMPTZ), _MOMENTS),
    "time": _same(Kind.TIME, st.times()),
    "varchar": _same(Kind.VARCHAR, _WORDS),
    "blob": _same(Kind.BLOB, st.binary(max_size=3) | st.just(b"\xff" * 300)),
    "uuid": _same(Kind.UUID, st.uuids() | st.integers(0, 3).map(lambda each: uuid.UUID(int=each))),
}


class World:
    """A DuckDB that writes files, and answers which row groups hold wanted rows."""

    def __init__(self, folder: Path) -> None:
        self._connection = duckdb.connect()
        self._connection.execute("SET TimeZone = 'UTC'")
        self._file = str(folder / "rows.parquet")

    def write(self, case: Case, values: Sequence[Any], *, by_arrow: bool) -> str:
        stored = sql_type(case.stored)
        self._connection.execute(f"CREATE OR REPLACE TABLE t (position BIGINT, x {stored})")
        if values:
            rows = list(enumerate(values))
            self._connection.executemany(f"INSERT INTO t VALUES (?, ?::{stored})", rows)
        if by_arrow:
            table = self._connection.execute("FROM t ORDER BY position").to_arrow_table()
            pq.write_table(table, self._file, row_group_size=3)
        else:
            self._connection.execute(f"COPY (FROM t ORDER BY position) TO '{self._file}'")
        return self._file

    def wanted(self, case: Case, predicate: Predicate) -> list[int]:
        text, values = _sql(predicate, sql_type(case.column))
        rows = self._connection.execute(f"SELECT position FROM t WHERE {text}", values).fetchall()
        return [position for (position,) in rows]


def _sql(predicate: Predicate, column: str) -> tuple[str, list[Any]]:
    match predicate:
        case IsNull():
            return "x IS NULL", []
        case IsNotNull():
            return "x IS NOT NULL", []
        case Compare(_, op, value):
            return f"x::{column} {op.value} ?::{column}", [value]
        case OneOf(_, values):
            marks = ", ".join(f"?::{column}" for _ in values)
            return f"x::{column} IN ({marks})", list(values)
        case AllOf(parts) | AnyOf(parts):
            word = " AND " if isinstance(predicate, AllOf) else " OR "
            done = [_sql(part, column) for part in parts]
            texts = word.join(f"({text})" for text, _ in done)
            return texts, [value for _, values in done for value in values]


def _predicates(column: Column, constants: st.SearchStrategy[Any]) -> st.SearchStrategy[Predicate]:
    compare = st.builds(Compare, st.just(column), st.sampled_from(Comparison), constants)
    one_of = st.lists(constants, min_size=1, max_size=3).map(
        lambda values: OneOf(column, tuple(values))
    )
    leaf = compare | one_of | st.sampled_from([IsNull(column), IsNotNull(column)])
    parts = st.lists(leaf, min_size=1, max_size=3).map(tuple)
    return leaf | parts.map(AllOf) | parts.map(AnyOf)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("row_groups"))


@pytest.mark.parametrize("name", CASES)
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_no_row_group_with_a_wanted_row_is_left_out(
    world: World, name: str, data: st.DataObject
) -> None:
    case = CASES[name]
    column = Column(ColumnId(1), "x", case.column)
    values = data.draw(st.lists(st.none() | case.values, max_size=9), label="values")
    by_arrow = data.draw(st.booleans(), label="written by Arrow")
    location = world.write(case, values, by_arrow=by_arrow)
    present = [each for each in values if each is not None]
    constants = (case.values | st.sampled_from(present) if present else case.values).map(
        case.constant
    )
    predicate = data.draw(_predicates(column, constants), label="predicate")

    source = open_parquet(Storage(), location)
    fields = {column.id: source.schema.fields[1]}
    kept = surviving_row_groups(source, predicate, fields)
    source.close()

    positions = {
        position
        for group in source.row_groups
        if group.index in kept
        for position in range(group.first_row, group.first_row + group.row_count)
    }
    assert positions >= set(world.wanted(case, predicate))

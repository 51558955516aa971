"""The law of pruning: no file with a wanted row is ever left out, on any kind of catalog."""

from __future__ import annotations

import math
import random
from datetime import UTC, date, datetime, timedelta

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quacklake.catalog import open_catalog
from quacklake.format.predicate import (
    AllOf,
    AnyOf,
    Compare,
    Comparison,
    IsNotNull,
    IsNull,
    OneOf,
    all_of,
    any_of,
)
from quacklake.format.snapshot import Latest
from quacklake.format.sqltypes import literal, quoted, sql_type
from quacklake.format.table import TableName
from tests.support.lakes import ALL, lakes_on

COLUMNS = {
    "i": "INT",
    "l": "BIGINT",
    "u": "UBIGINT",
    "d": "DECIMAL(18,3)",
    "w": "DECIMAL(38,10)",
    "f": "FLOAT",
    "g": "DOUBLE",
    "s": "VARCHAR",
    "day": "DATE",
    "ts": "TIMESTAMP",
    "tz": "TIMESTAMPTZ",
    "tm": "TIME",
    "ok": "BOOLEAN",
    "key": "UUID",
}
SPECS = {
    "plain": None,
    "identity": "i, s, day, ok, d",
    "calendar": "year(ts), month(tz), day(day), hour(ts)",
    "buckets": "bucket(4, l), bucket(3, s), bucket(5, u), bucket(7, d), bucket(3, day)",
}
NO_INLINING = "CALL lake.set_option('data_inlining_row_limit', 0)"
FILES = 14


def _literal(draw: random.Random, name: str) -> str:
    """A value of a column in SQL, among few enough that predicates often meet it."""
    if draw.random() < 0.12:
        return "NULL"
    moment = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(
        hours=draw.randrange(20_000), microseconds=draw.choice([0, 1, 500_000, 999_999])
    )
    text = moment.strftime("%Y-%m-%d %H:%M:%S.%f")
    choices = {
        "i": [-(2**31), -7, 0, 3, 10, 99, 100, 2**31 - 1],
        "l": [-(2**63), -1, 0, 9, 10, 2**53 + 1, 2**63 - 1],
        "u": [0, 9, 10, 2**63 - 1, 2**63, 2**64 - 1],
        "d": ["-1.500", "0", "9.999", "10", "123456789012345.678"],
        "w": ["0.0000000001", "-5", "1234567890123456789012345678.0123456789"],
        "f": ["'nan'", "'inf'", "'-inf'", "0.1", "-0.0", "16777216", "3.4e38", "1e-45"],
        "g": ["'nan'", "'inf'", "'-inf'", "0.1", "-0.0", "1e300", "5e-324"],
        "s": ["''", "'a'", "'A'", "'a '", "'ab'", "'é'", "'日本'", "'10'", "'9'", "'it''s'"],
        "day": [f"'{text[:10]}'", "'infinity'", "'0044-03-15 (BC)'", "'9999-12-31'"],
        "ts": [f"'{text}'", "'infinity'", "'-infinity'", "'1969-12-31 23:59:59.5'"],
        "tz": [f"'{text}+00'", "'infinity'", "'2020-01-01 00:30:00+01'"],
        "tm": ["'00:00:00'", "'12:00:00.5'", "'12:00:00'", "'23:59:59.999999'", "'24:00:00'"],
        "ok": ["true", "false"],
        "key": [f"'{n:08x}-0000-4000-8000-000000000000'" for n in (0, 1, 2**31, 2**32 - 1)],
    }
    return str(draw.choice(choices[name]))


def _script() -> list[str]:
    draw = random.Random(7)
    columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    statements = [NO_INLINING]
    for table, keys in SPECS.items():
        statements.append(f"CREATE TABLE {table} ({columns})")
        if keys:
            statements.append(f"ALTER TABLE {table} SET PARTITIONED BY ({keys})")
        for _ in range(FILES):
            rows = (
                "(" + ", ".join(_literal(draw, name) for name in COLUMNS) + ")"
                for _ in range(draw.choice([1, 1, 2]))
            )
            statements.append(f"INSERT INTO {table} VALUES {', '.join(rows)}")
    return statements


class World:
    """A lake, and all its rows with the files they are in, held by DuckDB."""

    def __init__(self, place):
        self.catalog = open_catalog(place.location, read_only=True)
        self.truth = duckdb.connect()
        self.truth.execute("SET TimeZone = 'UTC'")
        self.values = {}
        with self.catalog.read() as reader:
            self.at = reader.snapshot(Latest())
            self.tables = {name: reader.table(TableName("main", name), self.at) for name in SPECS}
            for name, table in self.tables.items():
                self._load(name, reader.files(table, self.at))

    def _load(self, name, files):
        reads = " UNION ALL ".join(
            f"SELECT {file.id} AS file, {', '.join(COLUMNS)} "
            f"FROM read_parquet({literal(file.path)}, hive_partitioning => false)"
            for file in files
        )
        self.truth.execute(f"CREATE TABLE {name} AS {reads}")
        for column in COLUMNS:
            found = self.truth.execute(f"SELECT DISTINCT {column} FROM {name}").fetchall()
            known = [row[0] for row in found if _is_constant(row[0])]
            self.values.setdefault(column, []).extend(known)

    def holding(self, name, predicate):
        """The files of a table with a row for which the predicate is true."""
        values = []
        sql = f"SELECT DISTINCT file FROM {name} WHERE {_sql(predicate, values)}"
        return {row[0] for row in self.truth.execute(sql, values).fetchall()}

    def close(self):
        self.catalog.close()
        self.truth.close()


def _is_constant(value):
    """Whether a filter can name the value: infinities and NaN it cannot."""
    match value:
        case None:
            return False
        case float():
            return math.isfinite(value)
        case datetime():
            return value.date() not in (date.max, date.min)
        case date():
            return value not in (date.max, date.min)
        case _:
            return True


def _sql(predicate, values):
    match predicate:
        case Compare(column, op, value):
            values.append(value)
            return f"({quoted(column.name)} {op.value} CAST(? AS {sql_type(column.type)}))"
        case OneOf(column, members):
            parts = [_sql(Compare(column, Comparison.EQ, member), values) for member in members]
            return "(" + " OR ".join([*parts, "false"]) + ")"
        case IsNull(column):
            return f"({quoted(column.name)} IS NULL)"
        case IsNotNull(column):
            return f"({quoted(column.name)} IS NOT NULL)"
        case AllOf(parts):
            return "(" + " AND ".join([*(_sql(part, values) for part in parts), "true"]) + ")"
        case AnyOf(parts):
            return "(" + " OR ".join([*(_sql(part, values) for part in parts), "false"]) + ")"


@pytest.fixture(scope="module", params=ALL, ids=lambda backend: backend.name.lower())
def world(request, tmp_path_factory):
    """One lake with tables of every type under every kind of partitioning."""
    lakes = lakes_on(request.param, request, tmp_path_factory.mktemp("law"))
    made = World(lakes.written(*_script()))
    yield made
    made.close()


def _leaf(draw, world, table):
    name = draw(st.sampled_from(sorted(COLUMNS)))
    column = table.column(name)
    constants = st.sampled_from(world.values[name])
    match draw(st.sampled_from(["compare", "compare", "compare", "one of", "null", "not null"])):
        case "compare":
            return Compare(column, draw(st.sampled_from(Comparison)), draw(constants))
        case "one of":
            return OneOf(column, tuple(draw(st.lists(constants, max_size=4))))
        case "null":
            return IsNull(column)
        case _:
            return IsNotNull(column)


def _predicate(draw, world, table, depth=2):
    if depth == 0 or draw(st.booleans()):
        return _leaf(draw, world, table)
    parts = [_predicate(draw, world, table, depth - 1) for _ in range(draw(st.integers(1, 3)))]
    return (all_of if draw(st.booleans()) else any_of)(*parts)


RELAXED = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def _lost(world, name, predicates):
    """The predicates for which a file with a wanted row was left out."""
    table = world.tables[name]
    with world.catalog.read() as reader:
        return [
            predicate
            for predicate in predicates
            if not world.holding(name, predicate)
            <= {file.id for file in reader.files(table, world.at, predicate)}
        ]


@RELAXED
@given(data=st.data())
def test_no_comparison_with_a_value_that_occurs_loses_a_file(world, data):
    name = data.draw(st.sampled_from(sorted(SPECS)))
    column = world.tables[name].column(data.draw(st.sampled_from(sorted(COLUMNS))))
    value = data.draw(st.sampled_from(world.values[column.name]))

    assert _lost(world, name, [Compare(column, op, value) for op in Comparison]) == []


@RELAXED
@given(data=st.data())
def test_no_combination_of_predicates_loses_a_file(world, data):
    name = data.draw(st.sampled_from(sorted(SPECS)))

    predicate = _predicate(data.draw, world, world.tables[name])

    assert _lost(world, name, [predicate]) == []


def test_pruning_leaves_files_out_at_all(world):
    table = world.tables["plain"]
    with world.catalog.read() as reader:
        everything = reader.files(table, world.at)
        some = reader.files(table, world.at, Compare(table.column("i"), Comparison.EQ, 2**31 - 1))

    assert len(some) < len(everything)

"""Values that are equal in SQL and not in bytes, and types that must not change on the way."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal

import duckdb
import pytest

from tests.support.ivm_world import World, check_history, table

VALUES = {
    "DECIMAL(10,2)": [Decimal("1.00"), Decimal("1.10"), Decimal("-3.05")],
    "DECIMAL(30,4)": [Decimal("12345678901234567890.1234"), Decimal("0.0001")],
    "DOUBLE": [0.0, -0.0, float("nan"), float("inf"), 1.5],
    "FLOAT": [0.5, -0.0, 2.25],
    "BIGINT": [2**62, -(2**62), 7],
    "SMALLINT": [1, -1, 300],
    "STRING": ["", "a", "A", "ä", "a "],
    "BOOLEAN": [True, False],
    "DATE": [dt.date(2024, 2, 29), dt.date(1969, 12, 31)],
    "TIMESTAMP": ["2024-03-31 01:30:00+01:00", "2024-03-31 00:30:00+00:00"],
    "TIMESTAMP_NTZ": ["2024-03-31 02:30:00", "1900-01-01 00:00:00.000001"],
    "BINARY": ["\\x00", "\\xFF\\x00"],
    "ARRAY<INT>": [[1, 2], [], [None]],
}
VIEWS = (
    "select x from t where x is not null",
    "select distinct x from t",
    "select x, count(*) as n from t group by x",
    "select a.k, b.k as j from t a join t b on a.x = b.x",
    "select a.k, b.k as j from t a left join t b on a.x = b.x and b.k > 1",
    "select x from t except all select x from t where k > 1",
    "select k, min(x) as lo, max(x) as hi from t group by k",
    "select k, x, count(*) over (partition by x) as n from t",
)


@pytest.fixture(scope="module")
def con():
    with duckdb.connect(config={"threads": 1}) as connection:
        yield connection


@pytest.mark.parametrize("kind", VALUES)
def test_views_over_a_type_are_kept_exactly(con, kind):
    values = [*VALUES[kind], None]
    for sql in VIEWS:
        world = World((table("t", f"k int, x {kind}"),), con)
        rows = [(place % 3, _hashable(value)) for place, value in enumerate(values * 2)]
        world.step({"t": Counter(rows)})

        check_history(world, sql, _windows(rows))


@pytest.mark.parametrize("kind", ["DECIMAL(10,2)", "DECIMAL(30,4)", "BIGINT", "SMALLINT"])
def test_sums_and_averages_of_exact_numbers_are_kept_in_state(con, kind):
    values = [value for value in VALUES[kind] if abs(value) < 2**60] + [None]
    world = World((table("t", f"k int, x {kind}"),), con)
    rows = [(place % 2, value) for place, value in enumerate(values * 2)]
    world.step({"t": Counter(rows)})

    kept = check_history(
        world, "select k, sum(x) as s, avg(x) as a, count(x) as c from t group by k", _windows(rows)
    )

    assert len(kept.view.states) == 1


def test_sums_of_floating_point_numbers_are_recomputed(con):
    world = World((table("t", "k int, x double"),), con)
    rows = [(place % 2, value) for place, value in enumerate((0.1, 0.2, 1e16, 1.0, -1e16))]
    world.step({"t": Counter(rows)})

    kept = check_history(world, "select k, sum(x) as s from t group by k", _windows(rows))

    assert kept.view.states == ()


def _windows(rows):
    return [
        {"t": Counter({rows[0]: -1})},
        {"t": Counter({rows[1]: -1, rows[0]: 2})},
        {"t": Counter({rows[-1]: 1, rows[0]: -1})},
    ]


class _List(list):
    """A list that can be counted."""

    def __hash__(self) -> int:
        return hash(tuple(self))


def _hashable(value):
    return _List(value) if isinstance(value, list) else value

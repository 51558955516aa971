"""The comparison must see every difference that matters, or it proves nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from tests.support.oracle import disagreements, judge, remember

INTERVAL = pa.month_day_nano_interval()
HUGE = pa.decimal128(38, 0)
PEOPLE = pa.list_(pa.struct([("a", pa.int32())]))
COUNTS = pa.map_(pa.string(), pa.int32())
INSTANT = pa.timestamp("us", tz="UTC")
POINT = bytes.fromhex("0101000000000000000000f03f0000000000000040")

SAME = {
    "order does not matter": ("SELECT unnest([1, NULL])", pa.array([None, 1], pa.int32())),
    "no rows": ("SELECT 1 WHERE false", pa.array([], pa.int32())),
    "NaN is itself": ("SELECT 'nan'::DOUBLE", pa.array([float("nan")])),
    "minus zero is itself": ("SELECT '-0.0'::DOUBLE", pa.array([-0.0])),
    "hugeint": ("SELECT 12::HUGEINT", pa.array([Decimal(12)], HUGE)),
    "uhugeint": ("SELECT 2::UHUGEINT", pa.array(["2"])),
    "time with offset": ("SELECT '12:00:00+02'::TIMETZ", pa.array(["12:00:00+02"])),
    "interval": ("SELECT INTERVAL '1 month'", pa.array([(1, 0, 0)], INTERVAL)),
    "list of structs": ("SELECT [{'a': 1}, NULL]", pa.array([[{"a": 1}, None]], PEOPLE)),
    "map": ("SELECT MAP {'k': 1}", pa.array([[("k", 1)]], COUNTS)),
    "json": ("""SELECT '{"a":  1}'::JSON""", pa.array(['{"a":  1}'])),
    "variant": ("SELECT {'a': 1}::VARIANT", pa.array(['{"a":1}'])),
    "geometry": ("SELECT 'POINT(1 2)'::GEOMETRY", pa.array([POINT])),
    "instant": (
        "SELECT TIMESTAMPTZ '2020-01-01 02:00:00+02'",
        pa.array([datetime(2020, 1, 1, tzinfo=UTC)], INSTANT),
    ),
}

DIFFERENT = {
    "a row too few": ("SELECT unnest([1, 1])", pa.array([1], pa.int32())),
    "a row too many": ("SELECT 1", pa.array([1, 1], pa.int32())),
    "NULL for empty": ("SELECT ''", pa.array([None], pa.string())),
    "empty for NULL": ("SELECT NULL::VARCHAR", pa.array([""])),
    "the word NULL": ("SELECT [NULL::VARCHAR]", pa.array([["NULL"]])),
    "plus zero for minus zero": ("SELECT '-0.0'::DOUBLE", pa.array([0.0])),
    "minus zero inside": ("SELECT ['-0.0'::DOUBLE]", pa.array([[0.0]])),
    "NULL for NaN": ("SELECT 'nan'::DOUBLE", pa.array([None], pa.float64())),
    "the last digit": ("SELECT 0.1::DOUBLE", pa.array([0.1 + 2e-17])),
    "float for double": ("SELECT 0.5::DOUBLE", pa.array([0.5], pa.float32())),
    "another width": ("SELECT 1::BIGINT", pa.array([1], pa.int32())),
    "another scale": (
        "SELECT 1.0::DECIMAL(4,1)",
        pa.array([Decimal("1.00")], pa.decimal128(4, 2)),
    ),
    "thirty days for a month": ("SELECT INTERVAL '1 month'", pa.array([(0, 30, 0)], INTERVAL)),
    "another offset": ("SELECT '12:00:00+02'::TIMETZ", pa.array(["10:00:00+00"])),
    "no zone": (
        "SELECT TIMESTAMPTZ '2020-01-01 00:00:00+00'",
        pa.array([datetime(2020, 1, 1)], pa.timestamp("us")),  # noqa: DTZ001 - that is the point
    ),
    "another unit": (
        "SELECT TIMESTAMP_S '2020-01-01 00:00:00'",
        pa.array([datetime(2020, 1, 1)], pa.timestamp("us")),  # noqa: DTZ001 - that is the point
    ),
    "trailing space": ("SELECT 'a'", pa.array(["a "])),
    "text for blob": ("SELECT 'a'::BLOB", pa.array(["a"])),
    "a field's name": (
        "SELECT [{'a': 1}]",
        pa.array([[{"b": 1}]], pa.list_(pa.struct([("b", pa.int32())]))),
    ),
    "a NULL struct for a struct of NULL": (
        "SELECT [{'a': NULL::INTEGER}]",
        pa.array([[None]], PEOPLE),
    ),
    "an empty list for NULL": ("SELECT NULL::INTEGER[]", pa.array([[]], pa.list_(pa.int32()))),
    "the order inside a list": (
        "SELECT [1, 2]::INTEGER[]",
        pa.array([[2, 1]], pa.list_(pa.int32())),
    ),
    "white space in JSON": ("""SELECT '{"a":  1}'::JSON""", pa.array(['{"a": 1}'])),
}


@pytest.fixture
def referee():
    with judge() as con:
        yield con


def _judged(referee, query: str, column: pa.Array) -> tuple[str, ...]:
    answer = remember(referee, f"SELECT * FROM ({query}) AS t(x)", "answer")
    return disagreements(referee, answer, pa.table({"x": column}))


@pytest.mark.parametrize("case", SAME)
def test_equal_answers_are_seen_as_equal(referee, case):
    assert _judged(referee, *SAME[case]) == ()


@pytest.mark.parametrize("case", DIFFERENT)
def test_a_difference_is_seen(referee, case):
    assert _judged(referee, *DIFFERENT[case])


def test_columns_must_have_the_same_names_in_the_same_order(referee):
    answer = remember(referee, "SELECT 1 AS a, 2 AS b", "answer")
    swapped = pa.table({"b": pa.array([2], pa.int32()), "a": pa.array([1], pa.int32())})

    assert disagreements(referee, answer, swapped)


def test_only_rows_that_satisfy_the_condition_are_compared(referee):
    answer = remember(referee, "SELECT unnest([1, 2, 3]) AS a", "answer")
    ours = pa.table({"a": pa.array([2, 3], pa.int32())})

    assert disagreements(referee, answer, ours, where="a > 1") == ()
    assert disagreements(referee, answer, ours, where="a > 0")

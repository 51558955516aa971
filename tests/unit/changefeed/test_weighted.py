"""Summing changes: rows are the same only if every value is."""

from __future__ import annotations

import math
from decimal import Decimal as Number

import pyarrow as pa
import pytest

from quacklake.changefeed.columns import schema_of, weighted_columns
from quacklake.changefeed.weighted import consolidated
from quacklake.format.arrow import arrow_type
from quacklake.format.types import Column, Decimal, Kind, List, Map, Scalar, Struct

NAN = math.nan
DOUBLE, TEXT, INTERVAL = Scalar(Kind.FLOAT64), Scalar(Kind.VARCHAR), Scalar(Kind.INTERVAL)
DOUBLES = List(Column(2, "element", DOUBLE))
POINT = Struct((Column(2, "x", DOUBLE), Column(3, "y", TEXT)))
COUNTS = Map(Column(2, "key", TEXT), Column(3, "value", Scalar(Kind.INT32)))

DIFFERENT = {
    "zeroes": (DOUBLE, [0.0, -0.0]),
    "zeroes of a float": (Scalar(Kind.FLOAT32), [0.0, -0.0]),
    "zeroes inside a list": (DOUBLES, [[0.0], [-0.0]]),
    "zeroes inside a struct": (POINT, [{"x": 0.0, "y": "a"}, {"x": -0.0, "y": "a"}]),
    "a month and thirty days": (INTERVAL, [(1, 0, 0), (0, 30, 0)]),
    "NULL and nothing": (TEXT, [None, ""]),
    "NULL and its word inside a list": (List(Column(2, "element", TEXT)), [[None], ["NULL"]]),
    "NULL and an empty list": (DOUBLES, [None, []]),
    "NULL and a struct of NULL": (POINT, [None, {"x": None, "y": None}]),
    "maps in another order": (COUNTS, [[("a", 1), ("b", 2)], [("b", 2), ("a", 1)]]),
    "white space in JSON": (Scalar(Kind.JSON), ['{"a":1}', '{"a": 1}']),
    "case": (TEXT, ["a", "A"]),
    "the last nanosecond": (Scalar(Kind.TIME_NS), [1, 2]),
    "the last digit of a huge number": (Scalar(Kind.INT128), [Number(10**37), Number(10**37 + 1)]),
}
SAME = {
    "NaN": (DOUBLE, NAN),
    "NaN inside a list": (DOUBLES, [NAN, 1.0]),
    "NULL": (TEXT, None),
    "an interval": (INTERVAL, (1, 2, 3000)),
    "a map": (COUNTS, [("a", 1), ("b", None)]),
    "a struct": (POINT, {"x": -0.0, "y": None}),
    "bytes": (Scalar(Kind.BLOB), b"\x00\xff"),
    "a decimal": (Decimal(18, 3), Number("1.500")),
    "a uuid": (Scalar(Kind.UUID), "f79c3e09-677c-4bbd-a479-3f349cb785e7"),
    "a date no calendar has": (Scalar(Kind.DATE), 2**31 - 2),
}


def summed(kind, values: list[object], weights: list[int]) -> pa.Table:
    columns = (Column(1, "c", kind),)
    schema = schema_of(weighted_columns(columns))
    wanted = arrow_type(kind)
    numbers = kind in (Scalar(Kind.TIME_NS), Scalar(Kind.DATE))
    raw = pa.int32() if kind == Scalar(Kind.DATE) else pa.int64() if numbers else wanted
    batch = pa.record_batch(
        [pa.array(values, raw).cast(wanted), pa.array(weights, pa.int64())], schema=schema
    )
    return consolidated(iter([batch]), columns, schema)


@pytest.mark.parametrize("case", DIFFERENT)
def test_values_that_differ_are_not_summed(case):
    kind, values = DIFFERENT[case]

    assert summed(kind, values, [1, -1]).num_rows == 2


@pytest.mark.parametrize("case", SAME)
def test_equal_values_cancel(case):
    kind, value = SAME[case]

    assert summed(kind, [value, value], [1, -1]).num_rows == 0


@pytest.mark.parametrize("case", SAME)
def test_equal_values_add_up_and_come_back_unharmed(case):
    kind, value = SAME[case]

    table = summed(kind, [value, value, value], [2, -1, 2])

    assert table.column("weight").to_pylist() == [3]
    assert table.column("c").equals(summed(kind, [value], [1]).column("c")) or "NaN" in case
    assert table.column("c").type == arrow_type(kind)


def test_weights_may_be_large():
    huge = 2**62

    assert summed(TEXT, ["a", "a"], [huge, -1]).column("weight").to_pylist() == [huge - 1]

"""Values carried between Arrow and Spark: nothing is lost, and what would be is refused."""

from __future__ import annotations

import pyarrow as pa
import pytest

from quacklake.engine.spark.carriers import carrier_type, from_spark, spark_type, to_spark
from quacklake.format.arrow import arrow_type
from quacklake.format.types import Column, Decimal, Kind, List, Map, Scalar, Struct
from quacklake.kernel.errors import UsageError
from quacklake.kernel.ids import ColumnId


def leaf(kind, number=1, name="v"):
    return Column(ColumnId(number), name, Scalar(kind))


INTERVALS = [pa.MonthDayNano([14, 3, 4_000_000_001]), None, pa.MonthDayNano([0, -1, 0])]
VALUES = {
    Kind.UINT8: [0, 255, None],
    Kind.UINT64: [0, 2**64 - 1, None],
    Kind.TIME: [0, 86_399_999_999, None],
    Kind.TIMESTAMP_S: [-1, 0, None],
    Kind.TIMESTAMP_NS: [-1, 1_577_934_245_678_901_234, None],
    Kind.INTERVAL: INTERVALS,
    Kind.INT128: [-(10**38) + 1, 10**38 - 1, None],
}


def batch(column, values):
    array = pa.array(values, arrow_type(column.type))
    return pa.RecordBatch.from_arrays([array], names=[column.name])


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.value)
def test_a_value_comes_back_as_it_went(kind):
    column = leaf(kind)
    sent = batch(column, VALUES[kind])

    carried = to_spark(sent, (column,))
    (back,) = from_spark(carried, (column,))

    assert carried.column(0).type == carrier_type(column.type)
    assert back.to_pylist() == sent.column(0).to_pylist()
    assert back.type == arrow_type(column.type)


@pytest.mark.parametrize("first", [0, 1])
def test_nested_values_come_back_too_also_from_the_middle_of_a_batch(first):
    inner = Struct((leaf(Kind.UINT8, 3, "u"), leaf(Kind.INTERVAL, 4, "i")))
    listed = List(Column(ColumnId(6), "element", inner))
    value = Column(ColumnId(5), "value", listed)
    column = Column(ColumnId(1), "v", Map(leaf(Kind.VARCHAR, 2, "key"), value))
    rows = [
        [("a", [{"u": 1, "i": INTERVALS[0]}, None])],
        None,
        [("b", None), ("c", [])],
        [],
    ]
    sent = batch(column, rows).slice(first)

    (back,) = from_spark(to_spark(sent, (column,)), (column,))

    assert back.to_pylist() == rows[first:]


def test_a_number_with_39_digits_is_refused():
    column = leaf(Kind.INT128)
    wide = pa.array([2**127 - 1], pa.decimal256(39, 0))
    sent = pa.RecordBatch.from_arrays([wide], names=["v"])

    with pytest.raises(UsageError, match="38 digits"):
        to_spark(sent, (column,))


def test_every_kind_has_a_spark_type():
    assert all(spark_type(Scalar(kind)) is not None for kind in Kind)
    assert spark_type(Decimal(9, 2)).simpleString() == "decimal(9,2)"

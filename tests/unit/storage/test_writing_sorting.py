"""Rows come out in the order of a table's sort keys, and otherwise as they went in."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pyarrow as pa
import pytest

from quacklake.format.arrow import arrow_schema
from quacklake.format.table import SortKey
from quacklake.format.types import Column, Kind, List, Scalar
from quacklake.kernel.errors import UsageError
from quacklake.kernel.ids import ColumnId
from quacklake.storage.writing import sorted_batches

POINT = struct.pack("<BIdd", 1, 1, 1.5, -2.0)
ELEMENT = Column(ColumnId(8), "element", Scalar(Kind.GEOMETRY))
COLUMNS = (
    Column(ColumnId(1), "a", Scalar(Kind.INT64)),
    Column(ColumnId(2), 'two "words"', Scalar(Kind.VARCHAR)),
    Column(ColumnId(3), "u", Scalar(Kind.UUID)),
    Column(ColumnId(4), "h", Scalar(Kind.INT128)),
    Column(ColumnId(5), "i", Scalar(Kind.INTERVAL)),
    Column(ColumnId(6), "z", Scalar(Kind.TIMESTAMPTZ)),
    Column(ColumnId(7), "carried0", List(ELEMENT)),
)
LARGEST = 2**127 - 1


def batch(numbers: list[int | None]) -> pa.RecordBatch:
    count = len(numbers)
    sixteen = b"".join((LARGEST - i).to_bytes(16, "little", signed=True) for i in range(count))
    huge = pa.Array.from_buffers(pa.decimal128(38, 0), count, [None, pa.py_buffer(sixteen)])
    schema = arrow_schema(COLUMNS)
    return pa.RecordBatch.from_arrays(
        [
            pa.array(numbers, pa.int64()),
            pa.array([None if n is None else "xyz"[n % 3] for n in numbers]),
            pa.array(
                [
                    None if n is None else f"{255 - n:08x}-0000-0000-0000-000000000000"
                    for n in numbers
                ]
            ),
            huge,
            pa.array([pa.MonthDayNano([n or 0, 0, -1000]) for n in numbers]),
            pa.array([n and -n for n in numbers], pa.timestamp("us", tz="UTC")),
            pa.array([[POINT, None]] * count, schema.field(6).type),
        ],
        schema=schema,
    )


def key(expression: str, *, descending: bool = False, nulls_first: bool = False) -> SortKey:
    return SortKey(expression, "duckdb", descending, nulls_first)


def order(batches: list[pa.RecordBatch], *keys: SortKey) -> list[int | None]:
    table = pa.Table.from_batches(list(sorted_batches(batches, COLUMNS, keys)))
    assert table.schema == batches[0].schema
    return table.column("a").to_pylist()


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        (key("a"), [1, 2, 3, 4, None]),
        (key("a", descending=True, nulls_first=True), [None, 4, 3, 2, 1]),
        (key('"two ""words"""'), [3, 4, 1, 2, None]),
        (key("u"), [4, 3, 2, 1, None]),
        (key("i"), [None, 1, 2, 3, 4]),
        (key("z"), [4, 3, 2, 1, None]),
        (key("a % 2"), [4, 2, 3, 1, None]),
        (key("-A"), [4, 3, 2, 1, None]),
    ],
    ids=lambda given: given.expression if isinstance(given, SortKey) else "",
)
def test_rows_are_ordered_by_the_value_of_an_expression(
    sort: SortKey, expected: list[int | None]
) -> None:
    assert order([batch([3, 4]), batch([None, 1, 2])], sort) == expected


def test_later_keys_order_what_earlier_ones_leave_equal() -> None:
    found = order([batch([3, 1, 4, 2])], key("a % 2"), key("a", descending=True))

    assert found == [4, 2, 3, 1]


def test_rows_that_keys_do_not_tell_apart_keep_their_order() -> None:
    numbers: list[int | None] = list(range(250, 0, -1))

    assert order([batch(numbers[:99]), batch(numbers[99:])], key("'same'")) == numbers


def test_values_pass_through_unchanged_and_so_do_columns_that_follow() -> None:
    given = batch([2, 1])
    followed = pa.RecordBatch.from_arrays(
        [*given.columns, pa.array([20, 10])], names=[*given.schema.names, "row id"]
    )

    (found,) = sorted_batches([followed], COLUMNS, [key("a")])

    assert found.column("row id").to_pylist() == [10, 20]
    assert found.column("h").equals(given.column("h").take(pa.array([1, 0])))
    assert found.column("carried0").to_pylist() == [[POINT, None], [POINT, None]]


def test_keys_of_another_dialect_are_passed_over() -> None:
    given = batch([2, 1])

    (found,) = sorted_batches(
        [given], COLUMNS, [SortKey("a", "spark", descending=False, nulls_first=False)]
    )

    assert found is given


def test_no_rows_stay_no_rows() -> None:
    assert list(sorted_batches([], COLUMNS, [key("a")])) == []


def test_an_order_that_does_not_work_is_named() -> None:
    with pytest.raises(UsageError, match="'nonsense\\(a\\)'"):
        list(sorted_batches([batch([1])], COLUMNS, [key("nonsense(a)")]))


def test_an_order_may_not_look_at_files() -> None:
    looking = key("(SELECT 1 FROM read_text('any.txt'))")

    with pytest.raises(UsageError):
        list(sorted_batches([batch([1])], COLUMNS, [looking]))


def test_a_failure_of_the_rows_is_told_as_it_is() -> None:
    def failing() -> Iterator[pa.RecordBatch]:
        yield batch([1])
        raise ConnectionError("the source is gone")

    with pytest.raises(ConnectionError, match="the source is gone"):
        list(sorted_batches(failing(), COLUMNS, [key("a")]))

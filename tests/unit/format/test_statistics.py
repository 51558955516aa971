"""Bounds are never too narrow, and those of a table only ever widen."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quacklake.format.statistics import (
    ColumnStatistics,
    TableColumnStatistics,
    cut_max,
    cut_min,
    greater,
    merged,
    smaller,
    widened,
)
from quacklake.format.types import Kind, Scalar
from quacklake.kernel.ids import ColumnId

INT = Scalar(Kind.INT64)


def of_file(low: str | None, high: str | None, **facts: Any) -> ColumnStatistics:
    counts = {"value_count": 2, "null_count": 0, "size_bytes": 10, "contains_nan": None, **facts}
    return ColumnStatistics(ColumnId(1), min=low, max=high, **counts)


def of_table(low: str | None, high: str | None, *, nulls: bool = False) -> TableColumnStatistics:
    return TableColumnStatistics(ColumnId(1), nulls, None, low, high)


def test_numbers_are_compared_as_numbers() -> None:
    both = merged(of_file("9", "10"), of_file("-5", "9"), INT)

    assert (both.min, both.max) == ("-5", "10")


def test_counts_and_sizes_add_up() -> None:
    both = merged(of_file("1", "2", null_count=3), of_file("1", "2", null_count=4), INT)

    assert (both.value_count, both.null_count, both.size_bytes) == (4, 7, 20)


def test_what_is_unknown_on_one_side_is_unknown() -> None:
    both = merged(of_file("1", None, null_count=None), of_file("0", "9"), INT)

    assert (both.min, both.max, both.null_count) == ("0", None, None)


@pytest.mark.parametrize("empty_first", [True, False])
def test_a_side_without_values_leaves_the_bounds_alone(*, empty_first: bool) -> None:
    empty, full = of_file(None, None, value_count=0, null_count=2), of_file("1", "2")
    sides = (empty, full) if empty_first else (full, empty)

    both = merged(*sides, INT)

    assert (both.min, both.max, both.null_count) == ("1", "2", 2)


def test_a_table_takes_over_what_its_first_file_says() -> None:
    table = widened(None, of_file("1", "5", null_count=1), INT)

    assert table == of_table("1", "5", nulls=True)


def test_a_table_widens() -> None:
    assert widened(of_table("1", "5"), of_file("3", "10"), INT) == of_table("1", "10")


def test_rows_that_are_all_null_leave_a_tables_bounds() -> None:
    added = of_file(None, None, value_count=0, null_count=1)

    assert widened(of_table("1", "5"), added, INT) == of_table("1", "5", nulls=True)


def test_a_table_without_bounds_gets_none_unless_it_is_known_to_hold_no_value() -> None:
    before, added = of_table(None, None, nulls=True), of_file("1", "5")

    assert widened(before, added, INT).min is None
    assert widened(before, added, INT, had_values=False) == of_table("1", "5", nulls=True)


def test_nan_once_is_nan_for_ever() -> None:
    double = Scalar(Kind.FLOAT64)
    table = widened(None, of_file("1.0", "2.0", contains_nan=True), double)

    assert widened(table, of_file("1.0", "2.0", contains_nan=False), double).contains_nan is True


def test_a_bound_that_cannot_be_read_is_no_bound() -> None:
    assert smaller("1", "one", INT) is None
    assert greater("1", "one", INT) is None


@given(st.text(max_size=700).map(str.encode))
def test_a_cut_minimum_is_text_and_not_above_the_value(value: bytes) -> None:
    low = cut_min(value, is_text=True)

    assert len(low) <= 256
    assert low <= value
    assert value.startswith(low)
    low.decode()


@given(
    st.one_of(st.text(max_size=700), st.text("z\x7fé", min_size=250, max_size=400)).map(str.encode)
)
def test_a_cut_maximum_is_text_and_not_below_the_value(value: bytes) -> None:
    high = cut_max(value, is_text=True)

    if high is not None:
        assert len(high) <= 256
        assert high >= value
        high.decode()


@given(st.one_of(st.binary(max_size=700), st.integers(250, 300).map(lambda n: b"\xff" * n)))
def test_a_cut_blob_bounds_the_value(value: bytes) -> None:
    low, high = cut_min(value, is_text=False), cut_max(value, is_text=False)

    assert low <= value
    assert high is None or high >= value

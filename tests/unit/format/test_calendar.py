"""Calendar parts of spans of time."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from quacklake.format.calendar import (
    ALWAYS,
    NEVER,
    Span,
    moment_of,
    parts_within,
    span_of,
    years_within,
)
from quacklake.format.partition import Part
from quacklake.format.predicate import (
    Compare,
    Comparison,
    IsNotNull,
    IsNull,
    OneOf,
    all_of,
    any_of,
)
from quacklake.format.types import Column, Kind, Scalar
from quacklake.kernel.ids import ColumnId

COLUMN = Column(ColumnId(1), "ts", Scalar(Kind.TIMESTAMP))
MOMENTS = st.datetimes(timezones=st.just(UTC))
PARTS = {
    Part.MONTH: lambda moment: moment.month,
    Part.DAY: lambda moment: moment.day,
    Part.HOUR: lambda moment: moment.hour,
}


def at(*parts):
    return datetime(*parts, tzinfo=UTC)


def compare(op, value):
    return Compare(COLUMN, op, value)


@given(MOMENTS, st.timedeltas(timedelta(0), timedelta(days=400)), st.floats(0, 1))
def test_a_part_of_a_moment_inside_a_span_is_never_left_out(low, length, share):
    high = min(low, datetime.max.replace(tzinfo=UTC) - length) + length
    low = high - length if high - datetime.min.replace(tzinfo=UTC) >= length else low
    inside = low + (high - low) * share

    for part, of in PARTS.items():
        found = parts_within(part, Span(low, high))
        assert found is None or of(inside) in found
    first, last = years_within(Span(low, high))
    assert first <= inside.year <= last


def test_parts_wrap_around():
    assert parts_within(Part.MONTH, Span(at(2020, 11, 5), at(2021, 2, 1))) == {11, 12, 1, 2}
    assert parts_within(Part.DAY, Span(at(2020, 2, 28), at(2020, 3, 1))) == {28, 29, 1}
    assert parts_within(Part.HOUR, Span(at(2020, 1, 1, 23, 59), at(2020, 1, 2, 1))) == {23, 0, 1}


def test_long_and_open_spans_can_have_every_part():
    assert parts_within(Part.MONTH, Span(at(2020, 1, 31), at(2020, 12, 1))) is None
    assert parts_within(Part.MONTH, Span(at(2020, 1, 31), at(2020, 11, 30))) == set(range(1, 12))
    assert parts_within(Part.DAY, Span(at(2020, 1, 1), at(2020, 1, 31))) is None
    assert parts_within(Part.HOUR, Span(at(2020, 1, 1), at(2020, 1, 1, 23))) is None
    assert parts_within(Part.HOUR, Span(at(2020, 1, 1), None)) is None
    assert parts_within(Part.YEAR, Span(at(2020, 1, 1), at(2021, 1, 1))) is None
    assert parts_within(Part.DAY, NEVER) == set()
    assert years_within(Span(None, at(2020, 1, 1))) == (None, 2020)


def test_the_span_of_a_predicate_is_around_all_it_accepts():
    january, march = at(2020, 1, 1), at(2020, 3, 1)

    assert span_of(compare(Comparison.EQ, january)) == Span(january, january)
    assert span_of(compare(Comparison.NE, january)) == ALWAYS
    assert span_of(IsNotNull(COLUMN)) == ALWAYS
    assert span_of(IsNull(COLUMN)).is_empty
    between = all_of(compare(Comparison.GE, january), compare(Comparison.LT, march))
    assert span_of(between) == Span(january, march)
    assert span_of(OneOf(COLUMN, (march, january))) == Span(january, march)
    assert span_of(OneOf(COLUMN, ())).is_empty
    assert span_of(any_of(compare(Comparison.EQ, january), IsNull(COLUMN))) == Span(
        january, january
    )
    assert span_of(any_of(compare(Comparison.LT, january), compare(Comparison.GT, march))) == ALWAYS
    impossible = all_of(compare(Comparison.LT, january), compare(Comparison.GT, march))
    assert span_of(impossible).is_empty


def test_moments_are_in_utc_and_other_values_are_none():
    east = timezone(timedelta(hours=2))

    assert moment_of(date(2020, 1, 2)) == at(2020, 1, 2)
    assert moment_of(at(2020, 1, 2, 3).replace(tzinfo=None)) == at(2020, 1, 2, 3)
    assert moment_of(datetime(2020, 1, 2, 3, tzinfo=east)) == at(2020, 1, 2, 1)
    assert moment_of(5) is None


def test_widening_stops_at_the_ends_of_the_calendar():
    day = timedelta(days=1)

    assert Span(at(2020, 1, 2), at(2020, 1, 3)).widened(day) == Span(at(2020, 1, 1), at(2020, 1, 4))
    assert Span(at(1, 1, 1), at(9999, 12, 31)).widened(day) == ALWAYS
    assert NEVER.widened(day).is_empty

"""Which years, months, days and hours a span of time can have.

Law: a part that some moment of the span has is never left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from quacklake.format.partition import Part
from quacklake.format.predicate import (
    AllOf,
    AnyOf,
    Compare,
    Comparison,
    Constant,
    IsNotNull,
    IsNull,
    OneOf,
    Predicate,
)

FIRST: Final = datetime.min.replace(tzinfo=UTC)
LAST: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Span:
    """All moments from `low` to `high`, both included; None has no limit on that side."""

    low: datetime | None = None
    high: datetime | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no moment is inside."""
        return self.low is not None and self.high is not None and self.low > self.high

    def within(self, other: Span) -> Span:
        """The moments in both."""
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        return Span(max(lows, default=None), min(highs, default=None))

    def joined(self, other: Span) -> Span:
        """The smallest span around both."""
        if self.is_empty or other.is_empty:
            return self if other.is_empty else other
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return Span(low, high)

    def widened(self, by: timedelta) -> Span:
        """The span with `by` more on both sides, up to the ends of the calendar."""
        if self.is_empty:
            return self
        low = None if self.low is None or self.low - FIRST < by else self.low - by
        high = None if self.high is None or LAST - self.high < by else self.high + by
        return Span(low, high)


ALWAYS: Final = Span()
NEVER: Final = Span(LAST, FIRST)


def span_of(predicate: Predicate) -> Span:
    """A span around every moment of a column for which `predicate`, about it alone, holds."""
    match predicate:
        case Compare(_, op, value):
            return _compared(op, moment_of(value))
        case OneOf(_, values):
            return _around(_compared(Comparison.EQ, moment_of(value)) for value in values)
        case IsNull():
            return NEVER
        case IsNotNull():
            return ALWAYS
        case AllOf(parts):
            span = ALWAYS
            for part in parts:
                span = span.within(span_of(part))
            return span
        case AnyOf(parts):
            return _around(span_of(part) for part in parts)


def moment_of(value: Constant) -> datetime | None:
    """A date or timestamp as a moment in UTC, also if it has no zone."""
    match value:
        case datetime():
            return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
        case date():
            return datetime(value.year, value.month, value.day, tzinfo=UTC)
        case _:
            return None


def years_within(span: Span) -> tuple[int | None, int | None]:
    """The first and the last year of a span."""
    return (
        None if span.low is None else span.low.year,
        None if span.high is None else span.high.year,
    )


def parts_within(part: Part, span: Span) -> frozenset[int] | None:
    """The months, days or hours a span has, or None where it can have all of them."""
    if span.is_empty:
        return frozenset()
    if span.low is None or span.high is None:
        return None
    low, high = span.low, span.high
    match part:
        case Part.MONTH:
            first, last = (moment.year * 12 + moment.month - 1 for moment in (low, high))
            months = last - first + 1
            return _all_but(12, (month % 12 + 1 for month in range(first, first + months)), months)
        case Part.DAY:
            days = (high.date() - low.date()).days + 1
            return _all_but(31, ((low + timedelta(day)).day for day in range(days)), days)
        case Part.HOUR:
            start = low.replace(minute=0, second=0, microsecond=0)
            hours = (high - start) // timedelta(hours=1) + 1
            return _all_but(24, ((start.hour + hour) % 24 for hour in range(hours)), hours)
        case _:
            return None


def _all_but(kinds: int, parts: Iterable[int], count: int) -> frozenset[int] | None:
    """The parts of `count` steps in a row, unless that is all `kinds` of them."""
    return None if count >= kinds else frozenset(parts)


def _compared(op: Comparison, moment: datetime | None) -> Span:
    if moment is None:
        return ALWAYS
    match op:
        case Comparison.EQ:
            return Span(moment, moment)
        case Comparison.LT | Comparison.LE:
            return Span(None, moment)
        case Comparison.GT | Comparison.GE:
            return Span(moment, None)
        case Comparison.NE:
            return ALWAYS


def _around(spans: Iterable[Span]) -> Span:
    around = NEVER
    for span in spans:
        around = around.joined(span)
    return around

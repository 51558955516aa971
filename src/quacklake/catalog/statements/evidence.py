"""What statistics and partition values prove about the rows of a file.

Each proof is SQL about one row of evidence: true only if no row of the file satisfies the
predicate, NULL where the evidence does not say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, TypeAlias

from sqlalchemy import and_, false, or_, true
from sqlalchemy.sql import ColumnElement, FromClause

from quacklake.catalog.location import Backend
from quacklake.catalog.statements.comparable import Order, order_of, whole_number
from quacklake.format.bucket import bucket_of
from quacklake.format.calendar import parts_within, span_of, years_within
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
from quacklake.format.types import FLOATS, Column, Kind, Scalar

Proof: TypeAlias = ColumnElement[bool]
Leaf: TypeAlias = Compare | OneOf | IsNull | IsNotNull

_FEW: Final = 64
"""Up to this many members of a list are compared one by one; beyond, only their bounds are."""
_OPAQUE: Final = frozenset({Kind.VARIANT, Kind.GEOMETRY})
_REACHED_BY_NAN: Final = frozenset({Comparison.GT, Comparison.GE, Comparison.NE})
_ANY_ZONE: Final = timedelta(days=1)
"""Calendar parts of zoned timestamps are those of the writer's zone, whichever that was."""


def evidence_against(predicate: Predicate, of_leaf: Callable[[Leaf], Proof | None]) -> Proof | None:
    """Evidence against a predicate about one column: any part of a conjunction, all of the rest."""
    match predicate:
        case AllOf(parts):
            found = [evidence_against(part, of_leaf) for part in parts]
            known = [proof for proof in found if proof is not None]
            return or_(*known) if known else None
        case AnyOf(parts):
            found = [evidence_against(part, of_leaf) for part in parts]
            known = [proof for proof in found if proof is not None]
            return and_(*known) if known and len(known) == len(found) else None
        case _:
            return of_leaf(predicate)


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """Least and greatest value, and counts of values and NULLs, of one column in one file."""

    backend: Backend
    column: Column
    row: FromClause

    def against(self, leaf: Leaf) -> Proof | None:
        """What proves that no row satisfies `leaf`."""
        if isinstance(self.column.type, Scalar) and self.column.type.kind in _OPAQUE:
            return None
        row = self.row.c
        match leaf:
            case IsNull():
                return row.null_count == 0
            case IsNotNull():
                return row.value_count == 0
            case Compare(_, op, value):
                outside = self._outside(op, value)
                return (
                    row.value_count == 0 if outside is None else or_(row.value_count == 0, outside)
                )
            case OneOf(_, values):
                absent = _none_of(values, self._outside)
                return row.value_count == 0 if absent is None else or_(row.value_count == 0, absent)

    def _outside(self, op: Comparison, value: Constant) -> Proof | None:
        order = order_of(value, self.column.type, self.backend)
        if order is None:
            return None
        row = self.row.c
        outside = _outside(op, order, row.min_value, row.max_value)
        is_float = isinstance(self.column.type, Scalar) and self.column.type.kind in FLOATS
        if outside is not None and is_float and op in _REACHED_BY_NAN:
            # NaN stands above every number and in no bound.
            return and_(outside, row.contains_nan == false())
        return outside


@dataclass(frozen=True, slots=True, eq=False)
class Identity:
    """The one value that a column has in all rows of a file; NULL is NULL."""

    backend: Backend
    column: Column
    value: ColumnElement[str]

    def against(self, leaf: Leaf) -> Proof | None:
        """What proves that no row satisfies `leaf`."""
        match leaf:
            case IsNull():
                return self.value.is_not(None)
            case IsNotNull():
                return self.value.is_(None)
            case Compare(_, op, value):
                return _or_null(self.value, self._outside(op, value))
            case OneOf(_, values):
                return _or_null(self.value, _none_of(values, self._outside))

    def _outside(self, op: Comparison, value: Constant) -> Proof | None:
        order = order_of(value, self.column.type, self.backend)
        return None if order is None else _outside(op, order, self.value, self.value)


@dataclass(frozen=True, slots=True, eq=False)
class Hashed:
    """The bucket of every value of a column in a file; NULL has none."""

    column: Column
    value: ColumnElement[str]
    count: int

    def against(self, leaf: Leaf) -> Proof | None:
        """What proves that no row satisfies `leaf`."""
        match leaf:
            case IsNull():
                return self.value.is_not(None)
            case IsNotNull() | Compare(op=Comparison.NE | Comparison.LT | Comparison.LE):
                return self.value.is_(None)
            case Compare(op=Comparison.GT | Comparison.GE):
                return self.value.is_(None)
            case Compare(_, _, value):
                return self._elsewhere((value,))
            case OneOf(_, values):
                return self._elsewhere(values)

    def _elsewhere(self, values: tuple[Constant, ...]) -> Proof | None:
        buckets = [bucket_of(value, self.column.type, self.count) for value in values]
        known = sorted({bucket for bucket in buckets if bucket is not None})
        if None in buckets:
            return self.value.is_(None)
        return _or_null(self.value, whole_number(self.value).not_in(known))


def calendar_disproof(
    value: ColumnElement[str], part: Part, column: Column, predicate: Predicate
) -> Proof | None:
    """No moment that satisfies the predicate has the calendar part of the file.

    A NULL part proves nothing: infinite dates have no year.
    """
    span = span_of(predicate)
    if column.type == Scalar(Kind.TIMESTAMPTZ):
        span = span.widened(_ANY_ZONE)
    if span.is_empty:
        return value.is_not(None)
    number = whole_number(value)
    if part is Part.YEAR:
        first, last = years_within(span)
        proofs = [] if first is None else [number < first]
        proofs += [] if last is None else [number > last]
        return or_(*proofs) if proofs else None
    parts = parts_within(part, span)
    return None if parts is None else number.not_in(sorted(parts))


def _outside(
    op: Comparison, order: Order, least: ColumnElement[str], greatest: ColumnElement[str]
) -> Proof | None:
    """No value from `least` to `greatest` stands in `op` to the constant."""
    match op:
        case Comparison.EQ:
            return or_(order.above(least), order.below(greatest))
        case Comparison.LT:
            return order.at_least(least)
        case Comparison.LE:
            return order.above(least)
        case Comparison.GT:
            return order.at_most(greatest)
        case Comparison.GE:
            return order.below(greatest)
        case Comparison.NE:
            same = order.equal
            return None if same is None else and_(same(least), same(greatest))


def _none_of(
    values: tuple[Constant, ...], outside: Callable[[Comparison, Constant], Proof | None]
) -> Proof | None:
    """None of the values can occur; of many only the least and the greatest are looked at."""
    if not values:
        return true()
    if len(values) > _FEW:
        try:
            least, greatest = min(values), max(values)
        except TypeError:
            return None
        sides = [outside(Comparison.GE, least), outside(Comparison.LE, greatest)]
        known = [side for side in sides if side is not None]
        return or_(*known) if known else None
    proofs = [outside(Comparison.EQ, value) for value in values]
    known = [proof for proof in proofs if proof is not None]
    return and_(*known) if len(known) == len(proofs) else None


def _or_null(value: ColumnElement[str], proof: Proof | None) -> Proof:
    return value.is_(None) if proof is None else or_(value.is_(None), proof)

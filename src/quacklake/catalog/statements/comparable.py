"""Statistics are text; here they become values that compare as the column's values do.

Law: a text that is not surely a value of the column's type is NULL, and NULL proves nothing.
Where text or database round values, an order is claimed only if rounding cannot matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from decimal import Decimal as Number
from typing import Any, Final, TypeAlias
from uuid import UUID

from sqlalchemy import and_, case, func, literal
from sqlalchemy.sql import ColumnElement

from quacklake.catalog.location import Backend
from quacklake.catalog.statements.expressions import Bytewise, NumberKind, NumberOf
from quacklake.format.predicate import Constant
from quacklake.format.types import FLOATS, INTEGERS, TIMESTAMPS, Decimal, Kind, LakeType, Scalar

Text: TypeAlias = ColumnElement[str]
Proof: TypeAlias = ColumnElement[bool]
Claim: TypeAlias = Callable[[Text], Proof]
Parsing: TypeAlias = Callable[[Text], ColumnElement[Any]]

_WIDE: Final = Context(prec=80)
_FLOAT_ERROR: Final = 1.2e-7
"""Texts of a float64 column may come from its time as float32, so they are only that precise."""
_REAL_ERROR: Final = 1e-15
_LEAST_MARGIN: Final = 1e-40
_SHORTENED: Final = 256
"""Texts of this many bytes may have been cut."""
_LARGEST: Final = Number(10) ** 37
_WIDEST_MYSQL_SCALE: Final = 30


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """Where a constant stands: each claim is true of a bound only if it surely stands there."""

    at_least: Claim
    above: Claim
    at_most: Claim
    below: Claim
    equal: Claim | None = None


def order_of(value: Constant, lake_type: LakeType, backend: Backend) -> Order | None:
    """Where `value` stands among the statistics of a column, or None where nobody can tell."""
    match lake_type, value:
        case Decimal(_, scale), int() | Number():
            return _numeric(Number(value), scale, backend)
        case Scalar(Kind.INT128 | Kind.UINT128), _:
            # Their files hold doubles.
            return None
        case Scalar(Kind.BOOLEAN), bool():
            return _exactly(_flag, literal(int(value)))
        case Scalar(kind), int() | Number() if kind in INTEGERS and not isinstance(value, bool):
            is_rounded = kind is Kind.UINT64 and backend is Backend.SQLITE
            number = Number(value)
            return _near(number, _REAL_ERROR) if is_rounded else _numeric(number, 0, backend)
        case Scalar(kind), float() | int() if kind in FLOATS:
            return _near(value, _FLOAT_ERROR)
        case Scalar(Kind.VARCHAR), str():
            return _text(value)
        case Scalar(Kind.UUID), UUID():
            return _exactly(_uuid, Bytewise(literal(str(value))))
        case Scalar(kind), _:
            return _temporal(value, kind)
        case _:
            return None


def whole_number(text: Text) -> ColumnElement[Any]:
    """A text as a whole number, or NULL."""
    return NumberOf(text, NumberKind.WHOLE)


def _exactly(parsed: Parsing, value: ColumnElement[Any], *, is_whole: bool = True) -> Order:
    """Bounds and constant are known to the last digit."""
    return Order(
        at_least=lambda bound: parsed(bound) >= value,
        above=lambda bound: parsed(bound) > value,
        at_most=lambda bound: parsed(bound) <= value,
        below=lambda bound: parsed(bound) < value,
        equal=(lambda bound: parsed(bound) == value) if is_whole else None,
    )


def _between(parsed: Parsing, low: ColumnElement[Any], high: ColumnElement[Any]) -> Order:
    """The constant lies between `low` and `high`, at none of them, or bounds are not exact."""
    return Order(
        at_least=lambda bound: parsed(bound) >= high,
        above=lambda bound: parsed(bound) >= high,
        at_most=lambda bound: parsed(bound) <= low,
        below=lambda bound: parsed(bound) <= low,
    )


def _cut(parsed: Parsing, floor: ColumnElement[Any], *, is_whole: bool) -> Order:
    """What is parsed of a bound was cut: the bound is as great or a little greater."""
    return Order(
        at_least=lambda bound: parsed(bound) >= floor if is_whole else parsed(bound) > floor,
        above=lambda bound: parsed(bound) > floor,
        at_most=lambda bound: parsed(bound) < floor,
        below=lambda bound: parsed(bound) < floor,
    )


def _numeric(value: Number, scale: int, backend: Backend) -> Order | None:
    if not value.is_finite() or abs(value) >= _LARGEST:
        return None
    if scale and backend is Backend.SQLITE:
        return _near(value, _REAL_ERROR)
    if scale > _WIDEST_MYSQL_SCALE and backend is Backend.MYSQL:
        return None
    step = Number(1).scaleb(-scale)
    low = value.quantize(step, ROUND_FLOOR, _WIDE)
    high = value.quantize(step, ROUND_CEILING, _WIDE)
    kind = NumberKind.FRACTION if scale else NumberKind.WHOLE

    def parsed(text: Text) -> ColumnElement[Any]:
        return NumberOf(text, kind, scale)

    floor, ceiling = (parsed(literal(f"{bound:f}")) for bound in (low, high))
    return _exactly(parsed, floor) if low == high else _between(parsed, floor, ceiling)


def _near(constant: float | Number, error: float) -> Order | None:
    value = float(constant)
    margin = abs(value) * error + _LEAST_MARGIN
    if not math.isfinite(value) or not math.isfinite(value + margin):
        return None

    def parsed(text: Text) -> ColumnElement[Any]:
        return NumberOf(text, NumberKind.FLOAT)

    low, high = (parsed(literal(repr(bound))) for bound in (value - margin, value + margin))
    return _between(parsed, low, high)


def _text(value: str) -> Order | None:
    try:
        length = len(value.encode())
    except UnicodeEncodeError:
        return None
    if "\0" in value:
        return None
    return _exactly(Bytewise, Bytewise(literal(value)), is_whole=length < _SHORTENED)


def _flag(text: Text) -> ColumnElement[Any]:
    spelled = func.lower(text)
    return case((spelled.in_(["0", "false"]), 0), (spelled.in_(["1", "true"]), 1))


def _uuid(text: Text) -> ColumnElement[Any]:
    return Bytewise(case((text.like("________-____-____-____-____________"), func.lower(text))))


def _temporal(value: Constant, kind: Kind) -> Order | None:
    match value:
        case datetime() if kind is Kind.TIMESTAMPTZ and value.tzinfo is not None:
            return _seconds(value.astimezone(UTC), _zoned)
        case datetime() if kind in TIMESTAMPS and kind is not Kind.TIMESTAMPTZ:
            unzoned = value.tzinfo is None
            return _seconds(value, _unzoned) if unzoned else None
        case date() if kind is Kind.DATE and not isinstance(value, datetime):
            return _exactly(_date, Bytewise(literal(value.isoformat())))
        case time() if kind in (Kind.TIME, Kind.TIME_NS) and value.tzinfo is None:
            return _seconds(value, _time)
        case _:
            return None


def _seconds(value: datetime | time, parsed: Parsing) -> Order:
    whole = value.replace(microsecond=0, tzinfo=None)
    floor = Bytewise(literal(whole.isoformat().replace("T", " ")))
    return _cut(parsed, floor, is_whole=not value.microsecond)


def _date(text: Text) -> ColumnElement[Any]:
    return Bytewise(case((text.like("____-__-__"), text)))


def _time(text: Text) -> ColumnElement[Any]:
    zoned = text.like("%+%") | text.like("%-%")
    return Bytewise(case((and_(text.like("__:__:__%"), ~zoned), func.substr(text, 1, 8))))


def _unzoned(text: Text) -> ColumnElement[Any]:
    """A timestamp without zone, or the date it was before its column became a timestamp."""
    zoned = text.like("%+%") | text.like("____-__-__ __:__:__%-%")
    return Bytewise(
        case(
            (text.like("____-__-__"), text + literal(" 00:00:00")),
            (and_(text.like("____-__-__ __:__:__%"), ~zoned), func.substr(text, 1, 19)),
        )
    )


def _zoned(text: Text) -> ColumnElement[Any]:
    """A timestamp in UTC; other zones, and none, prove nothing."""
    utc = and_(text.like("____-__-__ __:__:__%"), text.like("%+00"))
    return Bytewise(case((utc, func.substr(text, 1, 19))))

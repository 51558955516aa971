"""Footer statistics and constants, brought to values that compare exactly.

Raw statistics are decoded by the file's own physical and logical type, because what Arrow
makes of them can lose digits or overflow. What does not compare exactly is None: unknown.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal as Number
from fractions import Fraction
from typing import Any, Final, TypeAlias
from uuid import UUID

import pyarrow.parquet as pq

from quacklake.format.predicate import Constant
from quacklake.format.types import FLOATS, INTEGERS, TIMESTAMPS, Decimal, Kind, LakeType, Scalar

Comparable: TypeAlias = int | float | Fraction | bytes


@dataclass(frozen=True, slots=True)
class Decoding:
    """How a raw statistic becomes comparable, and how far reading may move a value."""

    value: Callable[[Any], Comparable | None]
    slack: int = 0


_NANOSECONDS: Final = {"milliseconds": 1_000_000, "microseconds": 1_000, "nanoseconds": 1}
_RESOLUTION: Final = {
    Kind.TIMESTAMP_S: 1_000_000_000,
    Kind.TIMESTAMP_MS: 1_000_000,
    Kind.TIMESTAMP: 1_000,
    Kind.TIMESTAMPTZ: 1_000,
    Kind.TIMESTAMP_NS: 1,
    Kind.TIME: 1_000,
    Kind.TIME_NS: 1,
}
_AS_STORED: Final = {
    Kind.BOOLEAN: ("BOOLEAN", "None"),
    Kind.DATE: ("INT32", "Date"),
    Kind.VARCHAR: ("BYTE_ARRAY", "String"),
    Kind.BLOB: ("BYTE_ARRAY", "None"),
    Kind.UUID: ("FIXED_LEN_BYTE_ARRAY", "UUID"),
}
_INTEGERS: Final = frozenset({"INT32", "INT64"})
_EXACT_IN_DOUBLE: Final = 2**53


def decoding(lake_type: LakeType, stored: pq.ColumnSchema) -> Decoding | None:
    """How statistics of a stored column compare as `lake_type`; None if they do not."""
    physical = stored.physical_type
    logical: dict[str, Any] = json.loads(stored.logical_type.to_json())
    match lake_type:
        case Decimal(_, scale):
            return _number(physical, logical, digits=scale)
        case Scalar(kind) if kind in INTEGERS:
            return _number(physical, logical, digits=0)
        case Scalar(kind) if kind in FLOATS:
            return _real(physical, logical, kind)
        case Scalar(kind) if kind in _RESOLUTION:
            return _moment(logical, kind)
        case Scalar(kind) if _AS_STORED.get(kind) == (physical, logical["Type"]):
            return Decoding(lambda raw: raw)
    return None


def _number(physical: str, logical: dict[str, Any], *, digits: int) -> Decoding | None:
    """Whole numbers, and decimals that need no rounding to `digits` after the point."""
    match logical["Type"]:
        case "Int" if not logical["isSigned"]:
            modulus = 2**32 if physical == "INT32" else 2**64
            return Decoding(lambda raw: raw % modulus)
        case "Int":
            return Decoding(lambda raw: raw)
        case "None" if physical in _INTEGERS:
            return Decoding(lambda raw: raw)
        case "Decimal" if logical["scale"] <= digits:
            denominator = 10 ** int(logical["scale"])
            return Decoding(lambda raw: Fraction(_unscaled(raw), denominator))
    return None


def _unscaled(raw: int | bytes) -> int:
    return int.from_bytes(raw, "big", signed=True) if isinstance(raw, bytes) else raw


def _real(physical: str, logical: dict[str, Any], kind: Kind) -> Decoding | None:
    if logical["Type"] == "None" and physical == ("FLOAT" if kind is Kind.FLOAT32 else "DOUBLE"):
        # NaN as a bound is the mark of a writer that compares it like a number.
        return Decoding(lambda raw: None if math.isnan(raw) else raw)
    if kind is Kind.FLOAT32:
        return None
    if physical == "FLOAT":
        return _real(physical, logical, Kind.FLOAT32)
    whole = _number(physical, logical, digits=0) if physical in _INTEGERS else None
    if whole is None:
        return None
    read = whole.value

    def exact(raw: int) -> Comparable | None:
        value = read(raw)
        fits = isinstance(value, int) and abs(value) <= _EXACT_IN_DOUBLE
        return value if fits else None

    return Decoding(exact)


def _moment(logical: dict[str, Any], kind: Kind) -> Decoding | None:
    """Nanoseconds since the epoch or midnight; a finer file is rounded when it is read."""
    if logical["Type"] != ("Timestamp" if kind in TIMESTAMPS else "Time"):
        return None
    unit = _NANOSECONDS.get(logical["timeUnit"])
    if unit is None:
        return None
    resolution = _RESOLUTION[kind]
    return Decoding(lambda raw: raw * unit, slack=resolution if unit < resolution else 0)


_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def comparable(value: Constant, lake_type: LakeType) -> Comparable | None:
    """A constant of `lake_type` in the terms of `decoding`."""
    if isinstance(lake_type, Decimal):
        return _exact(value)
    if not isinstance(lake_type, Scalar):
        return None
    kind = lake_type.kind
    if kind in INTEGERS:
        return _exact(value)
    if kind in FLOATS:
        is_real = isinstance(value, int | float) and not math.isnan(value)
        return value if is_real and isinstance(value, int | float) else None
    if kind in _RESOLUTION:
        return _nanoseconds(value, kind)
    return _plain(value, kind)


def _exact(value: Constant) -> Fraction | None:
    if isinstance(value, int) or (isinstance(value, Number) and value.is_finite()):
        return Fraction(value)
    return None


def _nanoseconds(value: Constant, kind: Kind) -> int | None:
    match value:
        case datetime() if kind in TIMESTAMPS:
            return _since_epoch(value, aware=kind is Kind.TIMESTAMPTZ)
        case time(tzinfo=None) if kind not in TIMESTAMPS:
            seconds = (value.hour * 60 + value.minute) * 60 + value.second
            return (seconds * 1_000_000 + value.microsecond) * 1_000
    return None


def _plain(value: Constant, kind: Kind) -> int | bytes | None:
    match kind, value:
        case Kind.BOOLEAN, bool():
            return value
        case Kind.DATE, date() if not isinstance(value, datetime):
            return value.toordinal() - _EPOCH_DAY
        case Kind.VARCHAR, str():
            return value.encode("utf-8", "surrogatepass")
        case Kind.BLOB, bytes():
            return value
        case Kind.UUID, UUID():
            return value.bytes
    return None


def _since_epoch(value: datetime, *, aware: bool) -> int | None:
    if (value.tzinfo is not None) != aware:
        return None
    moment = value if aware else value.replace(tzinfo=UTC)
    return (moment - _EPOCH) // _MICROSECOND * 1_000

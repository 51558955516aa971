"""Which bucket a value falls into, by DuckDB's rule.

Law: `(murmur3(bytes) & 0x7fffffff) % count` with seed 0. Signed integers, dates, times,
timestamps and short decimals hash eight little-endian bytes of their raw value; strings and
blobs their bytes; unsigned and wide numbers and uuids the text DuckDB prints for them.
"""

from __future__ import annotations

import math
import struct
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal as Number
from typing import Final
from uuid import UUID

from quacklake.format.predicate import Constant
from quacklake.format.types import Decimal, Kind, LakeType, Scalar

_SIGNED: Final = frozenset({Kind.INT8, Kind.INT16, Kind.INT32, Kind.INT64})
_TEXTUAL: Final = frozenset(
    {Kind.UINT8, Kind.UINT16, Kind.UINT32, Kind.UINT64, Kind.INT128, Kind.UINT128}
)
_UNITS: Final = {
    Kind.TIMESTAMP_S: timedelta(seconds=1),
    Kind.TIMESTAMP_MS: timedelta(milliseconds=1),
    Kind.TIMESTAMP: timedelta(microseconds=1),
    Kind.TIMESTAMPTZ: timedelta(microseconds=1),
}
_LONGEST_RAW_DECIMAL: Final = 18
_WORD: Final = 0xFFFFFFFF


def bucket_of(value: Constant, lake_type: LakeType, count: int) -> int | None:
    """The bucket of `value` among `count`, or None where DuckDB's bytes are not known."""
    content = _hashed_bytes(value, lake_type)
    return None if content is None else (murmur3(content) & 0x7FFFFFFF) % count


def murmur3(content: bytes) -> int:
    """Murmur3, the 32-bit x86 variant, with seed 0."""
    state = 0
    whole = len(content) & ~3
    for offset in range(0, whole, 4):
        state ^= _mixed(int.from_bytes(content[offset : offset + 4], "little"))
        state = (_rotated(state, 13) * 5 + 0xE6546B64) & _WORD
    if tail := content[whole:]:
        state ^= _mixed(int.from_bytes(tail, "little"))
    state ^= len(content)
    state = ((state ^ (state >> 16)) * 0x85EBCA6B) & _WORD
    state = ((state ^ (state >> 13)) * 0xC2B2AE35) & _WORD
    return state ^ (state >> 16)


def _mixed(word: int) -> int:
    return (_rotated((word * 0xCC9E2D51) & _WORD, 15) * 0x1B873593) & _WORD


def _rotated(word: int, bits: int) -> int:
    return ((word << bits) | (word >> (32 - bits))) & _WORD


def _hashed_bytes(value: Constant, lake_type: LakeType) -> bytes | None:
    match lake_type:
        case Decimal(precision, scale) if isinstance(value, int | Number):
            return _decimal_bytes(Number(value), precision, scale)
        case Scalar(kind):
            return _scalar_bytes(value, kind)
        case _:
            return None


def _decimal_bytes(value: Number, precision: int, scale: int) -> bytes | None:
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or len(digits) + exponent > precision:
        return None
    rounded = value.quantize(Number(1).scaleb(-scale)) if exponent > -scale else value
    unscaled = rounded.scaleb(scale)
    if unscaled != unscaled.to_integral_value():
        return None
    if precision > _LONGEST_RAW_DECIMAL:
        return f"{rounded:.{scale}f}".encode()
    return _raw(int(unscaled))


def _scalar_bytes(value: Constant, kind: Kind) -> bytes | None:
    match value:
        case bool() | int() | Number():
            return _number_bytes(value, kind)
        case float() if kind is Kind.FLOAT64:
            # Adding zero turns -0.0 into 0.0, as DuckDB does; all NaNs are one.
            return struct.pack("<d", math.nan if math.isnan(value) else value + 0.0)
        case str() if kind is Kind.VARCHAR:
            return value.encode(errors="surrogatepass")
        case bytes() if kind is Kind.BLOB:
            return value
        case UUID() if kind is Kind.UUID:
            return str(value).encode()
        case date() | time():
            return _temporal_bytes(value, kind)
        case _:
            return None


def _number_bytes(value: bool | int | Number, kind: Kind) -> bytes | None:  # noqa: FBT001
    if isinstance(value, bool) or kind is Kind.BOOLEAN:
        matches = isinstance(value, bool) and kind is Kind.BOOLEAN
        return _raw(int(value)) if matches else None
    if value != int(value):
        return None
    if kind in _SIGNED:
        return _raw(int(value))
    return str(int(value)).encode() if kind in _TEXTUAL else None


def _temporal_bytes(value: date | time, kind: Kind) -> bytes | None:
    match value:
        case datetime():
            return _instant_bytes(value, kind)
        case date() if kind is Kind.DATE:
            return _raw((value - date(1970, 1, 1)).days)
        case time() if kind is Kind.TIME and value.tzinfo is None:
            seconds = (value.hour * 60 + value.minute) * 60 + value.second
            return _raw(seconds * 1_000_000 + value.microsecond)
        case _:
            return None


def _instant_bytes(value: datetime, kind: Kind) -> bytes | None:
    if kind not in _UNITS or (value.tzinfo is None) == (kind is Kind.TIMESTAMPTZ):
        return None
    since = value.replace(tzinfo=value.tzinfo or UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    count, rest = divmod(since, _UNITS[kind])
    return None if rest else _raw(count)


def _raw(value: int) -> bytes | None:
    in_range = -(2**63) <= value < 2**63
    return value.to_bytes(8, "little", signed=True) if in_range else None

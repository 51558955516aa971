"""Values of single types, from the Arrow types of results to what is stored."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quacklake.format import casting
from quacklake.format.types import Kind, Scalar

_UUID_LENGTH: Final = 36
_DASHES: Final = np.array([8, 13, 18, 23])
_DIGITS: Final = np.array([i for i in range(_UUID_LENGTH) if i not in (8, 13, 18, 23)])
_NOT_HEX: Final = 0xFF
_FOREVER: Final = 2**63 - 1


def _hex_values() -> np.ndarray:
    table = np.full(256, _NOT_HEX, np.uint8)
    for value, digit in enumerate("0123456789abcdef"):
        table[ord(digit)] = table[ord(digit.upper())] = value
    return table


_VALUES: Final = _hex_values()


def uuid_bytes(array: pa.Array) -> pa.Array:
    """Canonical text as sixteen bytes."""
    filled = array.fill_null("00000000-0000-0000-0000-000000000000") if array.null_count else array
    lengths = pc.binary_length(filled)
    if len(filled) and pc.min_max(lengths).as_py() != {"min": _UUID_LENGTH, "max": _UUID_LENGTH}:
        filled = _canonical(filled)
    count = len(filled)
    _, offsets, data = filled.buffers()
    start = np.frombuffer(offsets, np.int32)[filled.offset] if count else 0
    text = np.frombuffer(data or b"", np.uint8, count * _UUID_LENGTH, start)
    text = text.reshape(count, _UUID_LENGTH)
    digits = _VALUES[text[:, _DIGITS]]
    if (digits == _NOT_HEX).any() or (text[:, _DASHES] != ord("-")).any():
        raise ValueError("not a uuid")
    octets = (digits[:, 0::2] << 4) | digits[:, 1::2]
    made = pa.Array.from_buffers(pa.binary(16), count, [None, pa.py_buffer(octets.tobytes())])
    return pc.if_else(array.is_valid(), made, None) if array.null_count else made


def _canonical(array: pa.Array) -> pa.Array:
    """Other spellings DuckDB takes for uuids, in the canonical one."""
    return _combined(casting.cast(array, Scalar(Kind.UUID)))


def interval_text(array: pa.Array) -> pa.Array:
    """Intervals as DuckDB prints them, which it parses back exactly."""
    return _combined(casting.cast(array, Scalar(Kind.VARCHAR)))


def text_of_times(array: pa.Array) -> pa.Array:
    """Times of a day with nanoseconds as text."""
    return _combined(casting.cast(array, Scalar(Kind.VARCHAR)))


def microseconds(array: pa.Array) -> pa.Array:
    """Seconds as microseconds; the two infinities stay infinite."""
    seconds = array.cast(pa.int64())
    endless = pc.equal(pc.abs(pc.fill_null(seconds, 0)), _FOREVER)
    if not pc.any(endless).as_py():
        return array.cast(pa.timestamp("us"))
    finite = pc.if_else(endless, 0, seconds)
    scaled = pc.multiply_checked(finite, 1_000_000)
    return pc.if_else(endless, seconds, scaled).cast(pa.timestamp("us"))


def _combined(column: pa.ChunkedArray) -> pa.Array:
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)

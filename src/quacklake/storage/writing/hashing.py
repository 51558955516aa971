"""Murmur3 of whole columns: the law of `format.bucket`, for many values at once."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from quacklake.format import casting
from quacklake.format.types import FLOATS, Decimal, Kind, LakeType, Scalar
from quacklake.kernel.errors import Unsupported

Words = npt.NDArray[np.uint32]

_RAW: Final = frozenset(
    {
        Kind.BOOLEAN,
        Kind.INT8,
        Kind.INT16,
        Kind.INT32,
        Kind.INT64,
        Kind.DATE,
        Kind.TIME,
        Kind.TIME_NS,
        Kind.TIMESTAMP,
        Kind.TIMESTAMP_S,
        Kind.TIMESTAMP_MS,
        Kind.TIMESTAMP_NS,
        Kind.TIMESTAMPTZ,
    }
)
_BYTES: Final = frozenset({Kind.VARCHAR, Kind.JSON, Kind.BLOB, Kind.UUID, Kind.UINT128})
_LONGEST_RAW_DECIMAL: Final = 18
_WORD: Final = 4


def buckets(array: pa.Array, lake_type: LakeType, count: int) -> npt.NDArray[np.int64]:
    """The bucket of every value among `count`; whatever for NULL."""
    return (_hashes(array, lake_type) & np.uint32(0x7FFFFFFF)).astype(np.int64) % count


def _hashes(array: pa.Array, lake_type: LakeType) -> Words:
    match lake_type:
        case Decimal(precision, _) if precision <= _LONGEST_RAW_DECIMAL:
            return of_integers(_unscaled(array))
        case Scalar(kind) if kind in _RAW:
            return of_integers(integers(array))
        case Scalar(kind) if kind in FLOATS:
            values = array.cast(pa.float64()).fill_null(0).to_numpy(zero_copy_only=False) + 0.0
            return of_integers(np.where(np.isnan(values), np.nan, values).view(np.int64))
        case Scalar(kind) if kind in _BYTES:
            return of_bytes(array)
        case Scalar(Kind.TIMETZ | Kind.VARIANT | Kind.GEOMETRY):
            raise Unsupported(
                f"values of type {lake_type.kind.value} cannot be put into buckets",
                hint="partition by another column",
            )
        case _:
            texts = casting.cast(array, Scalar(Kind.VARCHAR))
            return of_bytes(pa.concat_arrays(texts.chunks))


def integers(array: pa.Array) -> npt.NDArray[np.int64]:
    """The stored numbers of booleans, integers, dates and times; zero for NULL."""
    width = array.type.bit_width
    raw = array.cast(pa.int8()) if width == 1 else array.view(f"int{width}")
    numbers: npt.NDArray[np.int64] = raw.fill_null(0).to_numpy().astype(np.int64)
    return numbers


def _unscaled(array: pa.Array) -> npt.NDArray[np.int64]:
    """The low half of decimals that fit into it."""
    halves = np.frombuffer(array.buffers()[1], np.int64)
    return halves[2 * array.offset : 2 * (array.offset + len(array)) : 2]


def of_integers(values: npt.NDArray[np.int64]) -> Words:
    """Hashes of eight little-endian bytes each."""
    words = np.ascontiguousarray(values).astype("<i8").view("<u4").reshape(-1, 2)
    state = np.zeros(len(words), np.uint32)
    for column in (0, 1):
        state = _stirred(state, words[:, column])
    return _finished(state, np.uint32(8))


def of_bytes(array: pa.Array) -> Words:
    """Hashes of texts or blobs, word by word over all that are long enough."""
    count = len(array)
    offsets = np.frombuffer(array.buffers()[1], np.int32).astype(np.int64)
    offsets = offsets[array.offset : array.offset + count + 1]
    data = np.frombuffer(array.buffers()[2] or b"", np.uint8)
    # A few bytes more, so that the last word can be read whole.
    data = np.concatenate([data[: offsets[-1]], np.zeros(_WORD, np.uint8)])
    lengths = np.diff(offsets)
    longest_first = np.argsort(-lengths, kind="stable")
    starts, lengths = offsets[:-1][longest_first], lengths[longest_first]
    state = np.zeros(count, np.uint32)
    for at in range(0, int(lengths[0]) if count else 0, _WORD):
        whole = int(np.searchsorted(-lengths, -(at + _WORD), side="right"))
        state[:whole] = _stirred(state[:whole], _words_at(data, starts[:whole] + at))
        some = int(np.searchsorted(-lengths, -at, side="left"))
        tails, left = _words_at(data, starts[whole:some] + at), lengths[whole:some] - at
        tails &= (np.uint32(1) << (left * 8).astype(np.uint32)) - np.uint32(1)
        state[whole:some] ^= _mixed(tails)
    hashes = np.empty(count, np.uint32)
    hashes[longest_first] = _finished(state, lengths.astype(np.uint32))
    return hashes


def _words_at(data: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64]) -> Words:
    word = data[starts].astype(np.uint32)
    for i in range(1, _WORD):
        word |= data[starts + i].astype(np.uint32) << np.uint32(8 * i)
    return word


def _stirred(state: Words, word: Words) -> Words:
    return _rotated(state ^ _mixed(word), 13) * np.uint32(5) + np.uint32(0xE6546B64)


def _mixed(word: Words) -> Words:
    return _rotated(word * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)


def _rotated(word: Words, bits: int) -> Words:
    return (word << np.uint32(bits)) | (word >> np.uint32(32 - bits))


def _finished(state: Words, lengths: Words | np.uint32) -> Words:
    state = state ^ lengths
    state = (state ^ (state >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    state = (state ^ (state >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return state ^ (state >> np.uint32(16))

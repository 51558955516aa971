"""Portable Roaring bitmaps, decoded to sorted positions.

The 64-bit form is a count of bitmaps, then for each its high 32 bits and a 32-bit bitmap.
The 32-bit form is a list of containers keyed by their high 16 bits, each one of three kinds:
a sorted array, a plain bitmap of 65,536 bits, or runs of (start, length - 1).
"""

from __future__ import annotations

import struct
from typing import Final

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int64]

_COOKIE: Final = 12346
_COOKIE_WITH_RUNS: Final = 12347
_ARRAY_MAX: Final = 4096
_BITMAP_BYTES: Final = 8192
_NO_OFFSETS_BELOW: Final = 4


def decode_64(data: bytes) -> Positions:
    """The members of a 64-bit bitmap, which must fill `data` exactly."""
    (count,) = struct.unpack_from("<Q", data, 0)
    at = 8
    parts: list[Positions] = []
    previous = -1
    for _ in range(count):
        (high,) = struct.unpack_from("<I", data, at)
        if high <= previous:
            raise ValueError("bitmaps are not in order")
        previous = high
        low, at = _decode_32(data, at + 4)
        parts.append(low + (high << 32))
    if at != len(data):
        raise ValueError("bytes after the last bitmap")
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


def _decode_32(data: bytes, at: int) -> tuple[Positions, int]:
    (cookie,) = struct.unpack_from("<I", data, at)
    runs: npt.NDArray[np.uint8]
    if cookie & 0xFFFF == _COOKIE_WITH_RUNS:
        count = (cookie >> 16) + 1
        width = (count + 7) // 8
        flags = np.frombuffer(data, np.uint8, width, at + 4)
        runs = np.unpackbits(flags, bitorder="little")[:count]
        at += 4 + width
        has_offsets = count >= _NO_OFFSETS_BELOW
    elif cookie == _COOKIE:
        (count,) = struct.unpack_from("<I", data, at + 4)
        runs = np.zeros(count, np.uint8)
        at += 8
        has_offsets = True
    else:
        raise ValueError("not a Roaring bitmap")
    header = np.frombuffer(data, "<u2", 2 * count, at).reshape(count, 2)
    at += 4 * count + (4 * count if has_offsets else 0)
    parts: list[Positions] = []
    for (key, cardinality_less_one), is_run in zip(header.tolist(), runs.tolist(), strict=True):
        low, at = _container(data, at, cardinality_less_one + 1, is_run=bool(is_run))
        parts.append(low + (key << 16))
    return (np.concatenate(parts) if parts else np.empty(0, np.int64)), at


def _container(data: bytes, at: int, cardinality: int, *, is_run: bool) -> tuple[Positions, int]:
    if is_run:
        members, at = _runs(data, at)
    elif cardinality <= _ARRAY_MAX:
        members = np.frombuffer(data, "<u2", cardinality, at).astype(np.int64)
        at += 2 * cardinality
    else:
        bits = np.unpackbits(np.frombuffer(data, np.uint8, _BITMAP_BYTES, at), bitorder="little")
        members = np.flatnonzero(bits).astype(np.int64)
        at += _BITMAP_BYTES
    if len(members) != cardinality:
        raise ValueError("a container holds another number of members than it says")
    return members, at


def _runs(data: bytes, at: int) -> tuple[Positions, int]:
    (count,) = struct.unpack_from("<H", data, at)
    pairs = np.frombuffer(data, "<u2", 2 * count, at + 2).astype(np.int64).reshape(count, 2)
    starts, lengths = pairs[:, 0], pairs[:, 1] + 1
    ends = np.cumsum(lengths)
    # Every member is its rank, moved by how far its run starts beyond the run's first rank.
    members = np.arange(lengths.sum()) + np.repeat(starts - (ends - lengths), lengths)
    return members, at + 2 + 4 * count

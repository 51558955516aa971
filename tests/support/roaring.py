"""An encoder of deletion vectors, with or without runs."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby


def deletion_vector(positions: Iterable[int], *, runs: bool = False) -> bytes:
    """A deletion vector as DuckDB and Iceberg write it."""
    bitmaps = [
        struct.pack("<I", high) + bitmap_32([each & 0xFFFFFFFF for each in members], runs=runs)
        for high, members in groupby(sorted(positions), lambda each: each >> 32)
    ]
    body = b"\xd1\xd3\x39\x64" + struct.pack("<Q", len(bitmaps)) + b"".join(bitmaps)
    return struct.pack(">I", len(body)) + body + struct.pack(">I", zlib.crc32(body))


def bitmap_32(members: Sequence[int], *, runs: bool) -> bytes:
    """One 32-bit bitmap; with `runs` every container is run-encoded."""
    grouped = {
        key: [m & 0xFFFF for m in group] for key, group in groupby(members, lambda m: m >> 16)
    }
    return _with_runs(grouped) if runs else _without_runs(grouped)


def _without_runs(grouped: Mapping[int, Sequence[int]]) -> bytes:
    containers = [_plain(members) for members in grouped.values()]
    header = struct.pack("<II", 12346, len(grouped)) + _keys(grouped)
    start = len(header) + 4 * len(containers)
    return header + _offsets(start, containers) + b"".join(containers)


def _with_runs(grouped: Mapping[int, Sequence[int]]) -> bytes:
    containers = [_runs(members) for members in grouped.values()]
    flags = ((1 << len(grouped)) - 1).to_bytes((len(grouped) + 7) // 8, "little")
    header = struct.pack("<I", 12347 | (len(grouped) - 1) << 16) + flags + _keys(grouped)
    if len(grouped) < 4:
        return header + b"".join(containers)
    return header + _offsets(len(header) + 4 * len(containers), containers) + b"".join(containers)


def _keys(grouped: Mapping[int, Sequence[int]]) -> bytes:
    return b"".join(struct.pack("<HH", key, len(m) - 1) for key, m in grouped.items())


def _offsets(start: int, containers: Sequence[bytes]) -> bytes:
    found = []
    for container in containers:
        found.append(start)
        start += len(container)
    return struct.pack(f"<{len(found)}I", *found)


def _plain(members: Sequence[int]) -> bytes:
    if len(members) <= 4096:
        return struct.pack(f"<{len(members)}H", *members)
    bits = 0
    for member in members:
        bits |= 1 << member
    return bits.to_bytes(8192, "little")


def _runs(members: Sequence[int]) -> bytes:
    runs: list[list[int]] = []
    for member in members:
        if runs and runs[-1][0] + runs[-1][1] + 1 == member:
            runs[-1][1] += 1
        else:
            runs.append([member, 0])
    flat = [number for run in runs for number in run]
    return struct.pack(f"<H{len(flat)}H", len(runs), *flat)

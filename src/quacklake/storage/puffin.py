"""Deletion vectors: positions as a Roaring bitmap with a checksum, alone or in a container.

A bare file is one vector. A container starts and ends with its own magic and lists its
vectors in a JSON footer, each with the snapshot it belongs to; vectors are cumulative.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any, Final

import numpy as np

from quacklake.kernel.errors import Unsupported
from quacklake.kernel.ids import SnapshotId
from quacklake.storage.roaring import Positions, decode_64

_CONTAINER_MAGIC: Final = b"PFA1"
_VECTOR_MAGIC: Final = b"\xd1\xd3\x39\x64"
_VECTOR_TYPE: Final = "deletion-vector-v1"
_SNAPSHOT: Final = "ducklake-snapshot-id"
_TRAILER_BYTES: Final = 12


def positions_at(data: bytes, at: SnapshotId) -> Positions:
    """The positions a puffin file deletes at a snapshot; raises ValueError on broken bytes."""
    if data[:4] != _CONTAINER_MAGIC:
        return _vector(data)
    best: dict[str, Any] | None = None
    for blob in _blobs(data):
        if blob["type"] == _VECTOR_TYPE and _snapshot(blob) <= at:
            best = blob if best is None or _snapshot(blob) > _snapshot(best) else best
    if best is None:
        return np.empty(0, np.int64)
    if best.get("compression-codec"):
        raise Unsupported(
            "deletion vectors with compression cannot be read",
            hint="rewrite the table's data files with the writer that made them",
            codec=best["compression-codec"],
        )
    start = best["offset"]
    return _vector(data[start : start + best["length"]])


def _snapshot(blob: dict[str, Any]) -> int:
    """The snapshot a vector belongs to; one without a tag belongs to all."""
    return int(blob.get("properties", {}).get(_SNAPSHOT, -1))


def _blobs(data: bytes) -> list[dict[str, Any]]:
    size, flags, magic = struct.unpack_from("<i4s4s", data, len(data) - _TRAILER_BYTES)
    start = len(data) - _TRAILER_BYTES - size
    if magic != _CONTAINER_MAGIC or not data[:start].endswith(_CONTAINER_MAGIC):
        raise ValueError("the container has no footer")
    if flags[0] & 1:
        raise Unsupported(
            "puffin files with a compressed footer cannot be read",
            hint="rewrite the table's data files with the writer that made them",
        )
    try:
        blobs = json.loads(data[start : start + size])["blobs"]
    except (KeyError, TypeError) as problem:
        raise ValueError("the footer lists no vectors") from problem
    return list(blobs)


def _vector(data: bytes) -> Positions:
    try:
        (length,) = struct.unpack_from(">I", data, 0)
        (checksum,) = struct.unpack_from(">I", data, 4 + length)
        body = data[4 : 4 + length]
        if len(data) != length + 8 or body[:4] != _VECTOR_MAGIC:
            raise ValueError("not a deletion vector")
        if zlib.crc32(body) != checksum:
            raise ValueError("the checksum of the deletion vector differs")
        return decode_64(body[4:])
    except struct.error as problem:
        raise ValueError("the deletion vector is truncated") from problem

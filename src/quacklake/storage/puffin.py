"""Deletion vectors: positions as a Roaring bitmap with a checksum, alone or in a container.

A bare file is one vector. A container starts and ends with its own magic and lists its
vectors in a JSON footer, each with the snapshot it belongs to; vectors are cumulative.
"""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from quacklake.kernel.errors import Unsupported
from quacklake.kernel.ids import SnapshotId
from quacklake.storage.roaring import Positions, decode_64

_CONTAINER_MAGIC: Final = b"PFA1"
_VECTOR_MAGIC: Final = b"\xd1\xd3\x39\x64"
_VECTOR_TYPE: Final = "deletion-vector-v1"
_SNAPSHOT: Final = "ducklake-snapshot-id"
_TRAILER: Final = struct.Struct("<I4s4s")


@dataclass(frozen=True, slots=True)
class _Vector:
    """Where a container keeps a vector; one without a snapshot belongs to all, written as -1."""

    snapshot: SnapshotId
    start: int
    length: int
    codec: str | None


def positions_at(data: bytes, at: SnapshotId) -> Positions:
    """The positions a puffin file deletes at a snapshot; raises ValueError on broken bytes."""
    if data[:4] != _CONTAINER_MAGIC:
        return _vector(data)
    visible = [each for each in _listed(data) if each.snapshot <= at]
    if not visible:
        return np.empty(0, np.int64)
    newest = max(visible, key=lambda each: each.snapshot)
    if newest.codec is not None:
        raise Unsupported(
            "deletion vectors with compression cannot be read",
            hint="rewrite the table's data files with the writer that made them",
            codec=newest.codec,
        )
    return _vector(data[newest.start : newest.start + newest.length])


def snapshots_in(data: bytes) -> tuple[SnapshotId, ...]:
    """The snapshots that vectors of a puffin file belong to, in order; -1 stands for all."""
    if data[:4] != _CONTAINER_MAGIC:
        return (SnapshotId(-1),)
    return tuple(sorted({each.snapshot for each in _listed(data)}))


def _listed(data: bytes) -> list[_Vector]:
    """The vectors that a container's footer lists."""
    if len(data) < _TRAILER.size:
        raise ValueError("the container is truncated")
    size, flags, magic = _TRAILER.unpack_from(data, len(data) - _TRAILER.size)
    start = len(data) - _TRAILER.size - size
    if magic != _CONTAINER_MAGIC or not data[:start].endswith(_CONTAINER_MAGIC):
        raise ValueError("the container has no footer")
    if flags[0] & 1:
        raise Unsupported(
            "puffin files with a compressed footer cannot be read",
            hint="rewrite the table's data files with the writer that made them",
        )
    try:
        blobs = json.loads(data[start : start + size])["blobs"]
        return [_described(blob) for blob in blobs if blob["type"] == _VECTOR_TYPE]
    except (KeyError, TypeError, AttributeError) as problem:
        raise ValueError("the footer lists no vectors") from problem


def _described(blob: dict[str, Any]) -> _Vector:
    snapshot = SnapshotId(int(blob.get("properties", {}).get(_SNAPSHOT, -1)))
    return _Vector(
        snapshot, int(blob["offset"]), int(blob["length"]), blob.get("compression-codec") or None
    )


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

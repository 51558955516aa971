"""Deletion vectors decode to positions, and broken ones are noticed."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quacklake.kernel.errors import Unsupported
from quacklake.kernel.ids import SnapshotId
from quacklake.storage.puffin import positions_at
from tests.support.roaring import deletion_vector

LATEST = SnapshotId(2**62)
POSITIONS = st.sets(
    st.integers(0, 2**34) | st.integers(0, 300) | st.integers(65_530, 65_545), max_size=200
)


@given(positions=POSITIONS, runs=st.booleans())
def test_positions_come_back_in_order(positions: set[int], *, runs: bool) -> None:
    data = deletion_vector(positions, runs=runs)

    assert positions_at(data, LATEST).tolist() == sorted(positions)


@pytest.mark.parametrize("runs", [False, True])
def test_dense_containers_come_back(*, runs: bool) -> None:
    positions = [*range(0, 20_000, 2), *range(65_536, 2 * 65_536), 2**32, 2**32 + 70_000]

    assert positions_at(deletion_vector(positions, runs=runs), LATEST).tolist() == positions


def test_the_vector_of_the_reference_is_read() -> None:
    positions = list(range(10_003, 100_004, 10_000))
    data = deletion_vector(positions)

    assert data.hex().startswith("0000003cd1d339640100000000000000000000003a300000")
    assert positions_at(data, LATEST).tolist() == positions


def test_an_empty_vector_deletes_nothing() -> None:
    found = positions_at(deletion_vector([]), LATEST)

    assert found.dtype == np.int64
    assert found.size == 0


@given(st.data())
def test_a_damaged_vector_is_refused(data: st.DataObject) -> None:
    whole = deletion_vector([1, 2, 3, 100_000, 2**33])
    at = data.draw(st.integers(0, len(whole) - 1))
    bit = data.draw(st.integers(0, 7))
    damaged = bytearray(whole)
    damaged[at] ^= 1 << bit

    with pytest.raises(ValueError, match=r".+"):
        positions_at(bytes(damaged), LATEST)


@given(st.integers(0, 60))
def test_a_truncated_vector_is_refused(length: int) -> None:
    whole = deletion_vector([1, 2, 3, 100_000, 2**33])

    with pytest.raises(ValueError, match=r".+"):
        positions_at(whole[: min(length, len(whole) - 1)], LATEST)


def test_of_a_container_the_newest_vector_not_after_the_snapshot_counts() -> None:
    data = container({3: [1], 5: [1, 2], 9: [1, 2, 7]})

    found = {at: positions_at(data, SnapshotId(at)).tolist() for at in (2, 3, 4, 5, 8, 9, 10)}

    assert found == {2: [], 3: [1], 4: [1], 5: [1, 2], 8: [1, 2], 9: [1, 2, 7], 10: [1, 2, 7]}


def test_a_container_without_footer_is_refused() -> None:
    with pytest.raises(ValueError, match="footer"):
        positions_at(b"PFA1" + bytes(40), LATEST)


@pytest.mark.parametrize(
    "footer", ["", "[]", "{}", '{"blobs": 1}', '{"blobs": [1]}', '{"blobs": [{"type": "x"}, {}]}']
)
def test_a_footer_that_says_nothing_is_refused(footer: str) -> None:
    text = footer.encode()
    trailer = struct.pack("<i4s4s", len(text), bytes(4), b"PFA1")

    with pytest.raises(ValueError, match=r".+"):
        positions_at(b"PFA1PFA1" + text + trailer, LATEST)


def test_a_compressed_vector_is_refused_by_name() -> None:
    data = container({1: [1]}, codec="zstd")

    with pytest.raises(Unsupported) as caught:
        positions_at(data, LATEST)

    assert caught.value.facts == {"codec": "zstd"}


def test_a_compressed_footer_is_refused_by_name() -> None:
    data = bytearray(container({1: [1]}))
    data[-8] |= 1

    with pytest.raises(Unsupported):
        positions_at(bytes(data), LATEST)


def container(vectors: dict[int, list[int]], codec: str | None = None) -> bytes:
    """A puffin container with one cumulative vector for each snapshot."""
    data = b"PFA1"
    blobs = []
    for snapshot, positions in vectors.items():
        vector = deletion_vector(positions)
        blobs.append(
            {
                "type": "deletion-vector-v1",
                "offset": len(data),
                "length": len(vector),
                "compression-codec": codec,
                "properties": {"ducklake-snapshot-id": str(snapshot)},
            }
        )
        data += vector
    footer = json.dumps({"blobs": blobs}).encode()
    return data + b"PFA1" + footer + struct.pack("<i4s4s", len(footer), bytes(4), b"PFA1")

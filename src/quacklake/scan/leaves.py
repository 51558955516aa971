"""Values as a file stores them become values of the column's type.

Arrow converts where its result is DuckDB's to the bit: equal types, wider integers, text.
Everything else is DuckDB's own cast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from quacklake.format import casting
from quacklake.format.arrow import arrow_type
from quacklake.format.types import Kind, LakeType, Scalar

Convert: TypeAlias = Callable[[pa.Array], pa.Array]

_HEX = np.frombuffer("".join(f"{byte:02x}" for byte in range(256)).encode(), "u1").reshape(256, 2)
_UUID_DIGITS = np.array([i for i in range(36) if i not in (8, 13, 18, 23)])


def leaf_conversion(stored: pa.DataType, lake_type: LakeType) -> Convert | None:
    """How arrays of type `stored` become results of `lake_type`; None when they already are."""
    wanted = arrow_type(lake_type)
    storage = stored.storage_type if isinstance(stored, pa.BaseExtensionType) else stored
    if stored == wanted:
        return None
    if lake_type == Scalar(Kind.UUID) and storage == pa.binary(16):
        return uuid_text
    if lake_type == Scalar(Kind.INTERVAL) and storage == pa.binary(12):
        return interval_of_twelve_bytes
    if storage == wanted or _arrow_is_exact(storage, wanted):
        return lambda array: _storage(array).cast(wanted)
    return lambda array: _combined(casting.cast(_storage(array), lake_type))


def _arrow_is_exact(stored: pa.DataType, wanted: pa.DataType) -> bool:
    types = pa.types
    if types.is_integer(stored) and types.is_integer(wanted):
        return True
    if types.is_floating(stored) and types.is_floating(wanted):
        return bool(stored.bit_width <= wanted.bit_width)
    is_text = types.is_string(wanted) and (types.is_large_string(stored) or types.is_binary(stored))
    return bool(is_text or (types.is_binary(wanted) and types.is_large_binary(stored)))


def _storage(array: pa.Array) -> pa.Array:
    return array.storage if isinstance(array, pa.ExtensionArray) else array


def _combined(column: pa.ChunkedArray) -> pa.Array:
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def uuid_text(array: pa.Array) -> pa.Array:
    """Sixteen bytes as the canonical lower-case text."""
    raw = _compact(_storage(array))
    count = len(raw)
    text = np.full((count, 36), ord("-"), dtype="u1")
    octets = np.frombuffer(raw.buffers()[1], "u1", count * 16).reshape(count, 16)
    text[:, _UUID_DIGITS] = _HEX[octets].reshape(count, 32)
    offsets = pa.array(np.arange(count + 1, dtype="i4") * 36)
    return pa.StringArray.from_buffers(
        count, offsets.buffers()[1], pa.py_buffer(text.tobytes()), raw.buffers()[0], raw.null_count
    )


def interval_of_twelve_bytes(array: pa.Array) -> pa.Array:
    """Parquet's months, days and milliseconds as Arrow's months, days and nanoseconds."""
    raw = _compact(_storage(array))
    count = len(raw)
    parts = np.frombuffer(raw.buffers()[1], "<u4", count * 3).reshape(count, 3)
    made = np.zeros(count, dtype=[("months", "<i4"), ("days", "<i4"), ("nanos", "<i8")])
    made["months"], made["days"] = parts[:, 0].view("<i4"), parts[:, 1].view("<i4")
    made["nanos"] = parts[:, 2].astype("i8") * 1_000_000
    buffers = [raw.buffers()[0], pa.py_buffer(made.tobytes())]
    return pa.Array.from_buffers(pa.month_day_nano_interval(), count, buffers, raw.null_count)


def _compact(array: pa.Array) -> pa.Array:
    """The same values in buffers that begin with them."""
    return array if array.offset == 0 else pa.concat_arrays([array, array[:0]])

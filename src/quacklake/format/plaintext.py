"""Arrow values as the texts DuckDB casts them to, where knowing them takes no DuckDB.

A query costs a millisecond, which for a handful of values is longer than all the rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa

from quacklake.format.types import Decimal, Kind, LakeType, Scalar
from quacklake.format.valuetext import date_text, moment_text

_INTEGERS: Final = frozenset(
    {
        Kind.INT8,
        Kind.INT16,
        Kind.INT32,
        Kind.INT64,
        Kind.UINT8,
        Kind.UINT16,
        Kind.UINT32,
        Kind.UINT64,
    }
)
_MOMENTS: Final = frozenset({Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.TIME})


def plain_texts(values: pa.Array | pa.ChunkedArray, lake_type: LakeType) -> list[str | None] | None:
    """The text of every value; None if only DuckDB knows them."""
    match lake_type:
        case Decimal(precision, scale) if scale < precision:
            return [None if value is None else f"{value:f}" for value in values.to_pylist()]
        case Scalar(kind) if kind in _INTEGERS:
            return [None if value is None else str(value) for value in values.to_pylist()]
        case Scalar(Kind.FLOAT64):
            return _doubles(values.to_pylist())
        case Scalar(Kind.DATE):
            days = values.cast(pa.int32()).to_pylist()
            return [None if day is None else date_text(day) for day in days]
        case Scalar(kind) if kind in _MOMENTS:
            moments = values.cast(pa.int64()).to_pylist()
            return [None if moment is None else moment_text(moment, kind) for moment in moments]
    return None


def _doubles(values: Sequence[Any]) -> list[str | None] | None:
    # DuckDB spells the sign of a NaN.
    if any(value is not None and math.isnan(value) for value in values):
        return None
    return [None if value is None else repr(value) for value in values]

"""The statistics of a file that somebody else wrote, as far as its footer can be believed.

A bound is taken over only if the file's type and the column's order values alike; everything
else is unknown, and unknown prunes nothing. Writers leave NaN out of their bounds and do not
say so, therefore an upper bound of floating-point numbers is never believed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from quacklake.format.statistics import ColumnStatistics, cut_max, cut_min, has_nan_statistic
from quacklake.format.types import (
    INTEGERS,
    TIMESTAMPS,
    Column,
    Decimal,
    Kind,
    LakeType,
    Scalar,
)
from quacklake.format.valuetext import Raw, text_of
from quacklake.storage.schema import ParquetField

_PER_SECOND: Final = {
    "milliseconds": 1_000,
    "microseconds": 1_000_000,
    "nanoseconds": 1_000_000_000,
}
_KEPT_PER_SECOND: Final = {
    Kind.TIMESTAMP: 1_000_000,
    Kind.TIMESTAMPTZ: 1_000_000,
    Kind.TIMESTAMP_S: 1_000_000,
    Kind.TIMESTAMP_MS: 1_000,
    Kind.TIMESTAMP_NS: 1_000_000_000,
    Kind.TIME: 1_000_000,
}
_TEXTS: Final = frozenset({"STRING", "JSON", "ENUM"})


def foreign_statistics(
    footer: pq.FileMetaData, column: Column, field: ParquetField, *, tells_nan: bool = False
) -> ColumnStatistics:
    """What a footer says about `field`, a leaf that is read as `column`.

    With `tells_nan` its writer is known to give no bounds to a row group in which it met NaN.
    """
    leaf = field.leaves.start
    chunks = [footer.row_group(group).column(leaf) for group in range(footer.num_row_groups)]
    told = [chunk.statistics for chunk in chunks]
    nulls: int | None = None
    if all(stats is not None and stats.has_null_count for stats in told):
        nulls = sum(stats.null_count for stats in told)
    levels = sum(chunk.num_values for chunk in chunks)
    low, high = _bounds(told, column.type, field.type, footer.schema.column(leaf))
    return ColumnStatistics(
        column.id,
        size_bytes=sum(chunk.total_compressed_size for chunk in chunks),
        value_count=None if nulls is None else levels - nulls,
        null_count=nulls,
        min=low,
        max=high if tells_nan or not has_nan_statistic(column.type) else None,
        contains_nan=False if tells_nan and has_nan_statistic(column.type) and low else None,
    )


def _bounds(
    told: Sequence[Any], wanted: LakeType, stored: pa.DataType, leaf: pq.ColumnSchema
) -> tuple[str | None, str | None]:
    # Row groups of nothing but NULL have no bounds and need none.
    valued = [stats for stats in told if stats is None or stats.num_values]
    if not valued or not all(stats is not None and stats.has_min_max for stats in valued):
        return None, None
    lows = [_comparable(stats.min_raw, wanted, stored, leaf) for stats in valued]
    highs = [_comparable(stats.max_raw, wanted, stored, leaf) for stats in valued]
    known_lows = [low for low in lows if low is not None]
    known_highs = [high for high in highs if high is not None]
    if len(known_lows) + len(known_highs) < 2 * len(valued):
        return None, None
    return _texts(min(known_lows), max(known_highs), wanted)


def _comparable(
    raw: Raw, wanted: LakeType, stored: pa.DataType, leaf: pq.ColumnSchema
) -> Raw | None:
    """A bound as a value of the column; None if the two types do not order values alike."""
    logical = leaf.logical_type.type
    match wanted:
        case Decimal(_, scale) if pa.types.is_decimal(stored) and stored.scale == scale:
            return raw if isinstance(raw, int) else int.from_bytes(raw, "big", signed=True)  # type: ignore[arg-type]
        case Scalar(kind) if kind in INTEGERS and pa.types.is_integer(stored):
            is_signed = pa.types.is_signed_integer(stored)
            return raw if is_signed else int(raw) % 2**stored.bit_width
        case Scalar(kind) if kind in _KEPT_PER_SECOND:
            return _moment(raw, kind, json.loads(leaf.logical_type.to_json()))
        case Scalar(Kind.FLOAT64) if pa.types.is_float64(stored) or pa.types.is_float32(stored):
            return None if math.isnan(raw) else raw  # type: ignore[arg-type]
        case Scalar(Kind.FLOAT32) if pa.types.is_float32(stored):
            return None if math.isnan(raw) else raw  # type: ignore[arg-type]
        case Scalar(Kind.VARCHAR | Kind.JSON) if logical in _TEXTS:
            return raw
        case Scalar(Kind.BOOLEAN) if pa.types.is_boolean(stored):
            return raw
        case Scalar(Kind.DATE) if logical == "DATE":
            return raw
        case Scalar(Kind.UUID) if logical == "UUID":
            return raw
    return None


def _moment(raw: Raw, kind: Kind, logical: dict[str, Any]) -> Raw | None:
    """A time or timestamp in the unit of the column, if that is no coarser than the file's."""
    name = "Timestamp" if kind in TIMESTAMPS else "Time"
    zoned = bool(logical.get("isAdjustedToUTC"))
    if logical.get("Type") != name or zoned != (kind is Kind.TIMESTAMPTZ):
        return None
    factor, rest = divmod(_KEPT_PER_SECOND[kind], _PER_SECOND[logical["timeUnit"]])
    return raw * factor if isinstance(raw, int) and factor and not rest else None


def _texts(low: Raw, high: Raw, wanted: LakeType) -> tuple[str | None, str | None]:
    if wanted == Scalar(Kind.BOOLEAN):
        return str(low).lower(), str(high).lower()
    if wanted in (Scalar(Kind.VARCHAR), Scalar(Kind.JSON)):
        cut = cut_max(bytes(high), is_text=True)  # type: ignore[arg-type]
        low = cut_min(bytes(low), is_text=True)  # type: ignore[arg-type]
        return text_of(low, wanted), None if cut is None else text_of(cut, wanted)
    return text_of(low, wanted), text_of(high, wanted)

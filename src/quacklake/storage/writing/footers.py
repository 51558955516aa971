"""The statistics of a finished file, as the extension records them.

Arrow's Parquet writer counts and compares while it encodes, so nearly everything is read off
the footer. What it leaves out is watched while rows pass by: NaN, geometry, very long text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from quacklake.format.extent import extent_of
from quacklake.format.statistics import ColumnStatistics, cut_max, cut_min, has_nan_statistic
from quacklake.format.types import Column, Decimal, Kind, LakeType, Scalar
from quacklake.format.valuetext import Raw, text_of
from quacklake.storage.writing.visible import visible_leaves

_FOOTER_LIMIT: Final = 4096
"""Arrow leaves bounds longer than this out of the footer."""
_UNSIGNED: Final = {
    Kind.UINT8: 2**32,
    Kind.UINT16: 2**32,
    Kind.UINT32: 2**32,
    Kind.UINT64: 2**64,
}
_TEXT: Final = frozenset({Kind.VARCHAR, Kind.JSON})
_BYTES: Final = frozenset({Kind.VARCHAR, Kind.JSON, Kind.BLOB})
_UNBOUNDED: Final = frozenset(
    {
        Kind.INT128,
        Kind.UINT128,
        Kind.TIMETZ,
        Kind.TIME_NS,
        Kind.INTERVAL,
        Kind.VARIANT,
        Kind.GEOMETRY,
    }
)
"""Types for which the extension records no bounds."""


@dataclass(slots=True)
class _Watched:
    """What the footer will not tell about one leaf."""

    contains_nan: bool = False
    valid_count: int = 0
    low: Raw | None = None
    high: Raw | None = None

    def widen(self, low: Raw, high: Raw) -> None:
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)


Sight: TypeAlias = dict[int, list[pa.Array]]
"""The values of some leaves, by position: the ones that are watched."""


def sight_of(columns: Sequence[Column], batches: Sequence[pa.RecordBatch]) -> Sight:
    """The values of the leaves that the footer does not tell everything about."""
    seen: Sight = {}
    first = 0
    for i, column in enumerate(columns):
        leaves = list(column.leaves())
        watched = [at for at, leaf in enumerate(leaves) if _is_watched(leaf.type)]
        for batch in batches if watched else ():
            for at, values in enumerate(visible_leaves(column.type, batch.column(i))):
                if at in watched:
                    seen.setdefault(first + at, []).append(values)
        first += len(leaves)
    return seen


def leaves_with_nan(sight: Sight) -> frozenset[int]:
    """The leaves among whose values is NaN."""
    return frozenset(at for at, arrays in sight.items() if any(map(_has_nan, arrays)))


class Watch:
    """What passes by on the way into one file.

    Of the leaves `without_bounds` the file has no bounds: DuckDB believes a footer's upper bound,
    and NaN is above all of them.
    """

    def __init__(self, columns: Sequence[Column], without_bounds: frozenset[int]) -> None:
        self.without_bounds = without_bounds
        self._leaves = [leaf for column in columns for leaf in column.leaves()]
        self._found = [_Watched() for _ in self._leaves]

    def see(self, sight: Sight) -> None:
        """Note what the footer will leave out about one row group."""
        for at, arrays in sight.items():
            for values in arrays:
                self._see(at, values)

    def _see(self, at: int, values: pa.Array) -> None:
        found = self._found[at]
        found.valid_count += len(values) - values.null_count
        if has_nan_statistic(self._leaves[at].type):
            if at in self.without_bounds:
                found.contains_nan |= _has_nan(values)
                _note_bounds(found, values)
        elif self._leaves[at].type != Scalar(Kind.GEOMETRY):
            longest = pc.max(pc.binary_length(values)).as_py()
            if longest is not None and longest > _FOOTER_LIMIT:
                _note_bounds(found, values.cast(pa.binary()))

    def statistics(self, metadata: pq.FileMetaData) -> tuple[ColumnStatistics, ...]:
        """Everything about every leaf, in order."""
        return tuple(
            _leaf_statistics(leaf, list(_chunks(metadata, i)), found)
            for i, (leaf, found) in enumerate(zip(self._leaves, self._found, strict=True))
        )


def _is_watched(lake_type: LakeType) -> bool:
    if has_nan_statistic(lake_type):
        return True
    return isinstance(lake_type, Scalar) and lake_type.kind in _BYTES | {Kind.GEOMETRY}


def _has_nan(values: pa.Array) -> bool:
    if not pa.types.is_floating(values.type):
        return False
    if values.null_count:
        values = values.drop_null()
    return bool(np.isnan(values.to_numpy()).any())


def _note_bounds(found: _Watched, values: pa.Array) -> None:
    bounds = pc.min_max(values).as_py()
    low, high = bounds["min"], bounds["max"]
    # Where there is nothing but NaN, that is what Arrow says.
    if low is not None and not (isinstance(low, float) and math.isnan(low)):
        found.widen(low, high)


def _chunks(metadata: pq.FileMetaData, leaf: int) -> Iterator[pq.ColumnChunkMetaData]:
    for group in range(metadata.num_row_groups):
        yield metadata.row_group(group).column(leaf)


def _leaf_statistics(
    leaf: Column, chunks: list[pq.ColumnChunkMetaData], found: _Watched
) -> ColumnStatistics:
    levels = sum(chunk.num_values for chunk in chunks)
    valid = found.valid_count
    if not _is_watched(leaf.type):
        valid = sum(chunk.statistics.num_values for chunk in chunks)
    extra = _geometry_text(chunks) if leaf.type == Scalar(Kind.GEOMETRY) else None
    low, high = _bounds(leaf.type, chunks, found)
    return ColumnStatistics(
        leaf.id,
        size_bytes=sum(chunk.total_compressed_size for chunk in chunks),
        value_count=valid,
        null_count=levels - valid,
        min=low,
        max=high,
        contains_nan=found.contains_nan if has_nan_statistic(leaf.type) else None,
        extra=extra,
    )


def _bounds(
    lake_type: LakeType, chunks: list[pq.ColumnChunkMetaData], found: _Watched
) -> tuple[str | None, str | None]:
    if isinstance(lake_type, Scalar) and lake_type.kind in _UNBOUNDED:
        return None, None
    lows, highs = [], []
    for chunk in chunks:
        if chunk.statistics is not None and chunk.statistics.has_min_max:
            lows.append(_decoded(chunk.statistics.min_raw, lake_type))
            highs.append(_decoded(chunk.statistics.max_raw, lake_type))
    if found.low is not None and found.high is not None:
        lows.append(found.low)
        highs.append(found.high)
    if not lows:
        return None, None
    return _texts(min(lows), max(highs), lake_type)


def _decoded(raw: Raw, lake_type: LakeType) -> Raw:
    match lake_type:
        case Decimal() if isinstance(raw, bytes):
            return int.from_bytes(raw, "big", signed=True)
        case Scalar(kind) if kind in _UNSIGNED and isinstance(raw, int):
            return raw % _UNSIGNED[kind]
        case _:
            return raw


def _texts(low: Raw, high: Raw, lake_type: LakeType) -> tuple[str | None, str | None]:
    if not (isinstance(low, bytes) and isinstance(high, bytes)) or (lake_type == Scalar(Kind.UUID)):
        return text_of(low, lake_type), text_of(high, lake_type)
    is_text = isinstance(lake_type, Scalar) and lake_type.kind in _TEXT
    cut_low, cut_high = cut_min(low, is_text=is_text), cut_max(high, is_text=is_text)
    if cut_high is None:
        return None, None
    return text_of(cut_low, lake_type), text_of(cut_high, lake_type)


def _geometry_text(chunks: Iterable[pq.ColumnChunkMetaData]) -> str | None:
    told = [each.geo_statistics.to_dict() for each in chunks if each.geo_statistics is not None]
    codes = {code for each in told for code in each["geospatial_types"] or ()}
    extent = extent_of(told, codes)
    return None if extent is None else extent.text()

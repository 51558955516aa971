"""The statistics of rows that no file holds, as the extension records them for such rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quacklake.format import casting
from quacklake.format.plaintext import plain_texts
from quacklake.format.statistics import ColumnStatistics
from quacklake.format.types import Column, Kind, LakeType, List, Map, Scalar, Struct

_WITHOUT_BOUNDS = frozenset({Kind.GEOMETRY, Kind.VARIANT})


def statistics_of(columns: tuple[Column, ...], rows: pa.Table) -> tuple[ColumnStatistics, ...]:
    """What `rows`, in the Arrow types of results, say about each leaf of `columns`."""
    found: list[ColumnStatistics] = []
    for place, column in enumerate(columns):
        whole = rows.column(place)
        values = pa.concat_arrays(whole.chunks) if whole.num_chunks else pa.array([], whole.type)
        found += [_measured(leaf, array) for leaf, array in _leaves(column, values)]
    return tuple(found)


def _leaves(column: Column, values: pa.Array) -> Iterator[tuple[Column, pa.Array]]:
    match column.type:
        case Struct(fields):
            for field, child in zip(fields, values.flatten(), strict=True):
                yield from _leaves(field, child)
        case List(element):
            yield from _leaves(element, values.flatten())
        case Map(key, value):
            entries = values.cast(pa.list_(pa.struct([*_entry(values.type)]))).flatten()
            keys, items = entries.flatten()
            yield from _leaves(key, keys)
            yield from _leaves(value, items)
        case _:
            yield column, values


def _entry(found: pa.MapType) -> tuple[pa.Field, pa.Field]:
    return pa.field("key", found.key_type), pa.field("value", found.item_type)


def _measured(leaf: Column, values: pa.Array) -> ColumnStatistics:
    nulls = values.null_count
    low = high = None
    bounded = not (isinstance(leaf.type, Scalar) and leaf.type.kind in _WITHOUT_BOUNDS)
    if bounded and nulls < len(values):
        low, high = _plain_bounds(leaf.type, values) or _bounds(leaf.type, values)
    return ColumnStatistics(leaf.id, None, len(values) - nulls, nulls, low, high, None)


def _bounds(lake_type: LakeType, values: pa.Array) -> tuple[str | None, str | None]:
    typed = casting.restored("c", lake_type)
    relation = casting.session().from_arrow(pa.table({"c": values})).project(f"{typed} AS c")
    row = relation.aggregate("CAST(min(c) AS VARCHAR), CAST(max(c) AS VARCHAR)").fetchone()
    return row or (None, None)


def _plain_bounds(lake_type: LakeType, values: pa.Array) -> tuple[str | None, str | None] | None:
    """The bounds, where Arrow and DuckDB agree about order and text; None where they may not."""
    is_word = lake_type == Scalar(Kind.VARCHAR)
    if pa.types.is_floating(values.type) and _has_odd_floats(values):
        return None
    if not is_word and plain_texts(values.slice(0, 0), lake_type) is None:
        return None
    found = pc.min_max(values)
    # Not by way of Python, whose dates begin with the year 1.
    ends = pa.concat_arrays([pa.repeat(found["min"], 1), pa.repeat(found["max"], 1)])
    texts = ends.to_pylist() if is_word else plain_texts(ends, lake_type)
    return None if texts is None else (texts[0], texts[1])


def _has_odd_floats(values: pa.Array) -> bool:
    """Whether some are NaN, the greatest to DuckDB, or zeros with a sign, which it may show."""
    known = values.drop_null().to_numpy(zero_copy_only=False)
    return bool(np.any(np.isnan(known)) or np.any(np.signbit(known) & (known == 0)))

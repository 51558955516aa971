"""The statistics of rows that no file holds, as the extension records them for such rows."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from quacklake.format import casting
from quacklake.format.statistics import ColumnStatistics
from quacklake.format.types import Column, Kind, List, Map, Scalar, Struct

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
        typed = casting.restored("c", leaf.type)
        relation = casting.session().from_arrow(pa.table({"c": values})).project(f"{typed} AS c")
        row = relation.aggregate("CAST(min(c) AS VARCHAR), CAST(max(c) AS VARCHAR)").fetchone()
        low, high = row or (None, None)
    return ColumnStatistics(leaf.id, None, len(values) - nulls, nulls, low, high, None)

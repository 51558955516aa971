"""The values of leaves inside nested columns, as far as they can be seen."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from quacklake.format.types import LakeType, List, Map, Struct


def visible_leaves(lake_type: LakeType, array: pa.Array) -> Iterator[pa.Array]:
    """The values of every leaf, in preorder, without what NULL parents hide."""
    match lake_type:
        case List(element):
            yield from visible_leaves(element.type, array.flatten())
        case Struct(fields):
            for field, child in zip(fields, array.flatten(), strict=True):
                yield from visible_leaves(field.type, child)
        case Map(key, value):
            keys, items = entries(array)
            yield from visible_leaves(key.type, keys)
            yield from visible_leaves(value.type, items)
        case _:
            yield array


def entries(array: pa.MapArray) -> tuple[pa.Array, pa.Array]:
    """The keys and the values of all maps, end to end."""
    keys, items = as_lists(array).flatten().flatten()
    return keys, items


def as_lists(array: pa.MapArray) -> pa.ListArray:
    """Maps as what they are made of: lists of pairs."""
    return array.cast(pa.list_(pa.struct([array.type.key_field, array.type.item_field])))

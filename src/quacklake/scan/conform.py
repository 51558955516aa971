"""A column as some file has it becomes the column as the table has it now.

Fields are found by id, at every level: renamed ones are found, dropped ones ignored, later
ones get their initial default, and values are converted to the present type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from quacklake.format import casting
from quacklake.format.arrow import arrow_type
from quacklake.format.files import MappedField
from quacklake.format.types import Column, List, Map, Struct
from quacklake.kernel.errors import CorruptLake
from quacklake.kernel.ids import ColumnId
from quacklake.scan.leaves import Convert, leaf_conversion
from quacklake.storage.parquet import ParquetField


@dataclass(frozen=True, slots=True)
class Stored:
    """A field of a file with the id of the column it holds, and so for all fields below."""

    field: ParquetField
    id: ColumnId | None
    children: tuple[Stored, ...]


def by_field_id(field: ParquetField) -> Stored:
    """A field whose ids are those the file carries."""
    own = None if field.field_id is None else ColumnId(field.field_id)
    return Stored(field, own, tuple(by_field_id(child) for child in field.children))


def by_name(field: ParquetField, mapped: MappedField) -> Stored:
    """A field whose ids come from a name mapping."""
    below: Mapping[str, MappedField] = {m.source_name.casefold(): m for m in mapped.children}
    children = []
    # A list's only child is mapped as `list` whatever the file calls it.
    for position, child in enumerate(field.children):
        found = below.get(child.name.casefold())
        if found is None and len(mapped.children) == len(field.children):
            nested = pa.types.is_list(field.type) or pa.types.is_map(field.type)
            found = mapped.children[position] if nested else None
        children.append(by_name(child, found) if found else Stored(child, None, ()))
    return Stored(field, mapped.target, tuple(children))


def conversion(stored: Stored, column: Column) -> Convert | None:
    """How arrays of a file's field become arrays of the table's column; None if they are."""
    found, wanted = stored.field.type, arrow_type(column.type)
    match column.type:
        case Struct(fields) if pa.types.is_struct(found):
            return _struct_conversion(stored, fields)
        case List(element) if pa.types.is_list(found) or pa.types.is_large_list(found):
            below = conversion(_with_id(stored.children[0], element), element)
            return None if below is None and found == wanted else partial(_list, below, wanted)
        case Map(key, value) if pa.types.is_map(found):
            keys, values = stored.children
            inner = conversion(_with_id(keys, key), key), conversion(_with_id(values, value), value)
            same = inner == (None, None) and found == wanted
            return None if same else partial(_map, *inner, wanted)
        case Struct() | List() | Map():
            raise CorruptLake(f"column '{column.name}' is nested but a file stores a plain value")
        case _:
            return leaf_conversion(found, column.type)


def _with_id(stored: Stored, column: Column) -> Stored:
    """Elements, keys and values are found by their place; only fields of structs need ids."""
    return Stored(stored.field, column.id, stored.children)


def _struct_conversion(stored: Stored, fields: tuple[Column, ...]) -> Convert | None:
    places = {child.id: place for place, child in enumerate(stored.children)}
    parts: list[_Part] = []
    for field in fields:
        place = places.get(field.id)
        inner = None if place is None else conversion(stored.children[place], field)
        parts.append(_Part(field, place, inner))
    unchanged = len(parts) == len(stored.children) and all(
        part.place == place and part.convert is None for place, part in enumerate(parts)
    )
    wanted = arrow_type(Struct(fields))
    return None if unchanged and stored.field.type == wanted else partial(_struct, parts, wanted)


@dataclass(frozen=True, slots=True)
class _Part:
    column: Column
    place: int | None
    convert: Convert | None


def _struct(parts: Sequence[_Part], wanted: pa.StructType, array: pa.Array) -> pa.Array:
    made = []
    for part in parts:
        if part.place is None:
            made.append(default_values(part.column, len(array)))
            continue
        child = array.field(part.place)
        made.append(part.convert(child) if part.convert else child)
    mask = array.is_null() if array.null_count else None
    return pa.StructArray.from_arrays(made, fields=list(wanted), mask=mask)


def _list(convert: Convert | None, wanted: pa.ListType, array: pa.Array) -> pa.Array:
    plain = _unsliced(array)
    values = convert(plain.values) if convert else plain.values
    offsets = plain.offsets.cast(pa.int32())
    mask = plain.is_null() if plain.null_count else None
    return pa.ListArray.from_arrays(offsets, values, type=wanted, mask=mask)


def _map(
    keys: Convert | None, values: Convert | None, wanted: pa.MapType, array: pa.Array
) -> pa.Array:
    plain = _unsliced(array)
    made_keys = keys(plain.keys) if keys else plain.keys
    made_values = values(plain.items) if values else plain.items
    mask = plain.is_null() if plain.null_count else None
    return pa.MapArray.from_arrays(plain.offsets, made_keys, made_values, type=wanted, mask=mask)


def _unsliced(array: pa.Array) -> pa.Array:
    """The same lists with offsets that begin at their buffer, as rebuilding with a mask needs."""
    return array if array.offset == 0 else pa.concat_arrays([array, array[:0]])


def default_values(column: Column, count: int) -> pa.Array:
    """What rows written before `column` existed have in it."""
    scalar = casting.constant(column.initial_default, column.type)
    return pa.repeat(scalar, count) if scalar.is_valid else pa.nulls(count, scalar.type)


def converted(column: pa.ChunkedArray, convert: Convert | None) -> pa.ChunkedArray:
    """`column` after `convert`, chunk by chunk."""
    if convert is None:
        return column
    if column.num_chunks == 0:
        empty = convert(pa.array([], column.type))
        return pa.chunked_array([], type=empty.type)
    return pa.chunked_array([convert(chunk) for chunk in column.chunks])

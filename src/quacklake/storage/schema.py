"""The columns of one Parquet file as a tree, with the field ids and leaf positions of each.

The repeated middle groups of lists and maps do not show: a list has one child, its element;
a map has two, key and value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import pyarrow as pa

_FIELD_ID: Final = b"PARQUET:field_id"


@dataclass(frozen=True, slots=True)
class ParquetField:
    """A column or nested field; `leaves` are its positions among the file's leaf columns.

    `type` is the Arrow type that reads return, dictionaries and extension types undone.
    With `variant` the field is read as JSON text.
    """

    name: str
    field_id: int | None
    type: pa.DataType
    children: tuple[ParquetField, ...]
    leaves: range
    variant: bool = False

    def as_variant(self) -> ParquetField:
        """This group read as the variant it encodes: one column of JSON text."""
        return replace(self, type=pa.string(), children=(), variant=True)


@dataclass(frozen=True, slots=True, eq=False)
class FileSchema:
    """The top-level fields of a file. Files that look alike share one schema object.

    `is_plain` tells that the file's Arrow types need no undoing.
    """

    fields: tuple[ParquetField, ...]
    is_plain: bool

    def by_id(self) -> dict[int, ParquetField]:
        """The top-level fields that carry a field id."""
        return {each.field_id: each for each in self.fields if each.field_id is not None}

    def walk(self) -> Iterator[ParquetField]:
        """Every field at every level, parents first."""
        return _walk(self.fields)


def _walk(fields: Iterable[ParquetField]) -> Iterator[ParquetField]:
    for each in fields:
        yield each
        yield from _walk(each.children)


def file_schema(schema: pa.Schema) -> FileSchema:
    """The tree of an Arrow schema as read from a Parquet footer."""
    for seen, built in _LAST:
        # Files of a table look alike: comparing takes less than making a key.
        if schema.equals(seen, check_metadata=True):
            return built
    key = schema.serialize().to_pybytes()
    known = _SEEN.get(key)
    if known is None:
        if len(_SEEN) >= _REMEMBERED:
            _SEEN.clear()
        known = _SEEN[key] = _built(schema)
    _LAST[:] = [(schema, known)]
    return known


_REMEMBERED: Final = 256
_SEEN: Final[dict[bytes, FileSchema]] = {}
_LAST: Final[list[tuple[pa.Schema, FileSchema]]] = []


def _built(schema: pa.Schema) -> FileSchema:
    fields: list[ParquetField] = []
    leaf = 0
    for each in schema:
        field = _field(each, leaf)
        leaf = field.leaves.stop
        fields.append(field)
    is_plain = all(each.type == plain_type(each.type) for each in schema)
    return FileSchema(tuple(fields), is_plain)


def _field(arrow: pa.Field, first_leaf: int) -> ParquetField:
    children: list[ParquetField] = []
    leaf = first_leaf
    for each in child_fields(arrow.type):
        child = _field(each, leaf)
        leaf = child.leaves.stop
        children.append(child)
    stop = leaf if children else first_leaf + 1
    return ParquetField(
        arrow.name,
        _field_id(arrow),
        plain_type(arrow.type),
        tuple(children),
        range(first_leaf, stop),
    )


def _field_id(arrow: pa.Field) -> int | None:
    text = (arrow.metadata or {}).get(_FIELD_ID)
    # Parquet libraries write -1 for "no id".
    return int(text) if text is not None and int(text) >= 0 else None


def child_fields(arrow: pa.DataType) -> tuple[pa.Field, ...]:
    """The fields directly below a type, in Parquet order."""
    if isinstance(arrow, pa.BaseExtensionType):
        return child_fields(arrow.storage_type)
    if pa.types.is_map(arrow):
        return (arrow.key_field, arrow.item_field)
    if _is_any_list(arrow):
        return (arrow.value_field,)
    if pa.types.is_struct(arrow):
        return tuple(arrow.field(i) for i in range(arrow.num_fields))
    return ()


def _is_any_list(arrow: pa.DataType) -> bool:
    return any(is_kind(arrow) for is_kind in _LISTS)


_LISTS: Final = (
    pa.types.is_list,
    pa.types.is_large_list,
    pa.types.is_fixed_size_list,
    pa.types.is_list_view,
    pa.types.is_large_list_view,
)


def plain_type(arrow: pa.DataType) -> pa.DataType:
    """`arrow` as the file's bytes have it, without what an Arrow writer remembered on top."""
    if isinstance(arrow, pa.BaseExtensionType):
        return plain_type(arrow.storage_type)
    if pa.types.is_dictionary(arrow):
        return plain_type(arrow.value_type)
    if pa.types.is_map(arrow):
        return pa.map_(_plain_field(arrow.key_field), _plain_field(arrow.item_field))
    if _is_any_list(arrow):
        make = pa.large_list if pa.types.is_large_list(arrow) else pa.list_
        return make(_plain_field(arrow.value_field))
    if pa.types.is_struct(arrow):
        return pa.struct([_plain_field(each) for each in child_fields(arrow)])
    return _plain_leaf(arrow)


def _plain_leaf(arrow: pa.DataType) -> pa.DataType:
    if pa.types.is_duration(arrow):
        return pa.int64()
    if pa.types.is_timestamp(arrow) and arrow.tz is not None:
        return pa.timestamp(arrow.unit, tz="UTC")
    if pa.types.is_string_view(arrow):
        return pa.string()
    if pa.types.is_binary_view(arrow):
        return pa.binary()
    return arrow


def _plain_field(field: pa.Field) -> pa.Field:
    return field.with_type(plain_type(field.type))


def as_plain(table: pa.Table) -> pa.Table:
    """`table` with dictionaries decoded and extension types replaced by their storage."""
    fields = [each.with_type(plain_type(each.type)) for each in table.schema]
    columns = [
        column if column.type == field.type else _plain_column(column, field.type)
        for column, field in zip(table.columns, fields, strict=True)
    ]
    return pa.table(columns, schema=pa.schema(fields, table.schema.metadata))


def _plain_column(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray:
    if not pa.types.is_dictionary(column.type):
        return column.cast(wanted)
    chunks = [part for chunk in column.chunks for part in _decoded(chunk, wanted)]
    return pa.chunked_array(chunks, type=wanted)


def _decoded(array: pa.DictionaryArray, wanted: pa.DataType) -> list[pa.Array]:
    try:
        return [array.cast(wanted)]
    except pa.ArrowInvalid:
        # Texts are counted in 32 bits: too many of them need a second array.
        if len(array) <= 1:
            raise
    middle = len(array) // 2
    return [*_decoded(array[:middle], wanted), *_decoded(array[middle:], wanted)]

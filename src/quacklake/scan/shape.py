"""Where the columns of a scan come from in files of one shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from quacklake.format.arrow import arrow_type
from quacklake.format.files import ROW_ID_FIELD, SNAPSHOT_ID_FIELD, NameMapping
from quacklake.format.types import Column, Kind, Scalar
from quacklake.kernel.errors import FileUnreadable
from quacklake.kernel.ids import ColumnId
from quacklake.scan.conform import Stored, by_field_id, by_name, conversion
from quacklake.scan.leaves import Convert
from quacklake.storage.schema import FileSchema, ParquetField

INTERNAL = frozenset({ROW_ID_FIELD, SNAPSHOT_ID_FIELD})


@dataclass(frozen=True, slots=True)
class Located:
    """The file stores the column; `convert` makes it the table's, if it is not already."""

    column: Column
    field: ParquetField
    convert: Convert | None


@dataclass(frozen=True, slots=True)
class FromPath:
    """The column is a `key=value` folder of the file's path."""

    column: Column
    key: str


@dataclass(frozen=True, slots=True)
class Absent:
    """The file is older than the column, or the column is known without the file."""

    column: Column


Origin: TypeAlias = Located | FromPath | Absent


def origins(
    schema: FileSchema, mapping: NameMapping | None, columns: tuple[Column, ...], location: str
) -> dict[ColumnId, Origin]:
    """The origin of each of `columns`, and of the internal columns, in files like this one."""
    stored, paths = _by_mapping(schema, mapping) if mapping else (_by_ids(schema, location), {})
    found: dict[ColumnId, Origin] = {}
    for column in columns:
        if column.id in paths:
            found[column.id] = FromPath(column, paths[column.id])
        elif column.id in stored:
            found[column.id] = _located(stored[column.id], column)
        else:
            found[column.id] = Absent(column)
    return found


def _located(stored: Stored, column: Column) -> Located:
    if column.type == Scalar(Kind.VARIANT) and stored.field.children:
        return Located(column, stored.field.as_variant(), None)
    return Located(column, stored.field, conversion(stored, column))


def _by_ids(schema: FileSchema, location: str) -> dict[ColumnId, Stored]:
    if any(field.field_id is None for field in schema.fields):
        raise FileUnreadable(
            f"data file '{location}' has columns without field ids",
            hint="files of other tools are added with a name mapping (add_data_files)",
            location=location,
        )
    stored = (by_field_id(field) for field in schema.fields)
    return {each.id: each for each in stored if each.id is not None}


def _by_mapping(
    schema: FileSchema, mapping: NameMapping
) -> tuple[dict[ColumnId, Stored], dict[ColumnId, str]]:
    fields: Mapping[str, ParquetField] = {f.name.casefold(): f for f in schema.fields}
    stored: dict[ColumnId, Stored] = {}
    paths: dict[ColumnId, str] = {}
    for mapped in mapping.fields:
        if mapped.is_partition:
            paths[mapped.target] = mapped.source_name
        elif field := fields.get(mapped.source_name.casefold()):
            stored[mapped.target] = by_name(field, mapped)
    return stored, paths


def as_stored(column: Column) -> Stored:
    """A column of rows that the catalog keeps, as if a file had stored it."""
    children = tuple(as_stored(child) for child in column.children())
    fields = tuple(child.field for child in children)
    own = ParquetField(column.name, int(column.id), arrow_type(column.type), fields, range(0))
    return Stored(own, column.id, children)

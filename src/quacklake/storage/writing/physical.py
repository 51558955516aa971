"""Columns as Parquet stores them, such that DuckDB reads the same values back.

| lake type | stored as | why |
|---|---|---|
| uuid, json, geometry | annotated bytes | Arrow's extension types say so to the Parquet writer |
| variant | JSON text | DuckDB casts it back; Arrow cannot write the binary encoding |
| int128 | decimal(38, 0) | sixteen bytes hold all of it; DuckDB's own DOUBLE loses digits |
| uint128, interval, timetz, time_ns | text | the Parquet type is lossy, or DuckDB cannot read it |
| timestamp_s | microseconds | Parquet has no seconds |

Every field has its id at every level. All are optional but the keys of maps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quacklake.format.arrow import arrow_type
from quacklake.format.files import (
    ROW_ID_FIELD,
    ROW_ID_NAME,
    SNAPSHOT_ID_FIELD,
    SNAPSHOT_ID_NAME,
)
from quacklake.format.types import Column, Kind, LakeType, List, Map, Scalar, Struct
from quacklake.kernel.errors import UsageError
from quacklake.kernel.ids import ColumnId
from quacklake.storage.writing.leaves import interval_text, microseconds, text_of_times, uuid_bytes
from quacklake.storage.writing.visible import as_lists, entries

Convert: TypeAlias = Callable[[pa.Array], pa.Array]

ROW_ID: Final = Column(ColumnId(ROW_ID_FIELD), ROW_ID_NAME, Scalar(Kind.INT64))
SNAPSHOT_ID: Final = Column(ColumnId(SNAPSHOT_ID_FIELD), SNAPSHOT_ID_NAME, Scalar(Kind.INT64))
"""The columns that may follow a table's own: which row it is, and which snapshot it is from."""


class WellKnownBinary(pa.ExtensionType):  # type: ignore[misc]  # untyped
    """Geometry: the name by which the Parquet writer knows it. Never registered."""

    def __init__(self) -> None:
        super().__init__(pa.binary(), "geoarrow.wkb")

    def __arrow_ext_serialize__(self) -> bytes:
        return b"{}"

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: pa.DataType, _: bytes) -> WellKnownBinary:
        return cls()


class Layout:
    """How batches of `columns` become tables for the Parquet writer."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = tuple(columns)
        self.schema = pa.schema([_field(column) for column in columns])
        self._given = [arrow_type(column.type) for column in columns]
        self._converts = [_conversion(column.type) for column in columns]

    def leaf_paths(self) -> list[str]:
        """The names Parquet gives to the leaves."""
        return [path for column in self.columns for path in _paths(column)]

    def check(self, batch: pa.RecordBatch) -> None:
        """Refuse a batch whose columns are not the ones this layout is for."""
        if batch.num_columns != len(self.columns):
            raise UsageError(
                f"rows have {batch.num_columns} columns where {len(self.columns)} are to be written"
            )
        for column, wanted, array in zip(self.columns, self._given, batch.columns, strict=True):
            if array.type != wanted:
                raise UsageError(
                    f"column '{column.name}' comes as {array.type}",
                    hint=f"it must be {wanted}",
                    column=column.name,
                )

    def table(self, batches: Sequence[pa.RecordBatch]) -> pa.Table:
        """The rows of `batches`, in order, as they are stored."""
        arrays = []
        for i, convert in enumerate(self._converts):
            chunks = [batch.column(i) for batch in batches]
            if convert is not None:
                chunks = [self._converted(chunk, convert, i) for chunk in chunks]
            arrays.append(pa.chunked_array(chunks, type=self.schema.field(i).type))
        return pa.Table.from_arrays(arrays, schema=self.schema)

    def _converted(self, chunk: pa.Array, convert: Convert, i: int) -> pa.Array:
        try:
            return convert(chunk)
        except (ValueError, pa.ArrowException) as problem:
            raise UsageError(
                f"column '{self.columns[i].name}' has a value that cannot be stored",
                hint="check the values against the column's type",
                column=self.columns[i].name,
            ) from problem


@lru_cache(maxsize=256)
def layout_of(columns: tuple[Column, ...]) -> Layout:
    """The layout of `columns`, made once."""
    return Layout(columns)


def _paths(column: Column) -> Iterator[str]:
    match column.type:
        case List():
            below = "list."
        case Map():
            below = "key_value."
        case Struct():
            below = ""
        case _:
            yield column.name
            return
    for child in column.children():
        for path in _paths(child):
            yield f"{column.name}.{below}{path}"


def _field(column: Column, *, nullable: bool = True) -> pa.Field:
    return pa.field(
        column.name,
        stored_type(column.type),
        nullable=nullable,
        metadata={b"PARQUET:field_id": str(column.id).encode()},
    )


def stored_type(lake_type: LakeType) -> pa.DataType:
    """The Arrow type from which Arrow's Parquet writer makes what we store."""
    match lake_type:
        case Scalar(kind) if kind in _STORED:
            return _STORED[kind]
        case List(element):
            return pa.list_(_field(element))
        case Struct(fields):
            return pa.struct([_field(each) for each in fields])
        case Map(key, value):
            return pa.map_(_field(key, nullable=False), _field(value))
        case _:
            return arrow_type(lake_type)


_STORED: Final[dict[Kind, pa.DataType]] = {
    Kind.UUID: pa.uuid(),
    Kind.JSON: pa.json_(pa.string()),
    Kind.VARIANT: pa.json_(pa.string()),
    Kind.GEOMETRY: WellKnownBinary(),
    Kind.INTERVAL: pa.string(),
    Kind.TIME_NS: pa.string(),
    Kind.TIMESTAMP_S: pa.timestamp("us"),
}


def _annotated(kind: Kind) -> Convert:
    return lambda array: pa.ExtensionArray.from_storage(_STORED[kind], array)


_LEAVES: Final[dict[Kind, Convert]] = {
    Kind.UUID: lambda array: pa.ExtensionArray.from_storage(pa.uuid(), uuid_bytes(array)),
    Kind.JSON: _annotated(Kind.JSON),
    Kind.VARIANT: _annotated(Kind.VARIANT),
    Kind.GEOMETRY: _annotated(Kind.GEOMETRY),
    Kind.INTERVAL: interval_text,
    Kind.TIME_NS: text_of_times,
    Kind.TIMESTAMP_S: microseconds,
}


def _conversion(lake_type: LakeType) -> Convert | None:
    """How carried values become stored ones; None where they already are."""
    match lake_type:
        case Scalar(kind):
            return _LEAVES.get(kind)
        case List(element):
            return _list_conversion(lake_type, _conversion(element.type))
        case Struct(fields):
            return _struct_conversion(lake_type, [_conversion(each.type) for each in fields])
        case Map(key, value):
            return _map_conversion(lake_type, _conversion(key.type), _conversion(value.type))
        case _:
            return None


def _list_conversion(lake_type: List, inner: Convert | None) -> Convert | None:
    if inner is None:
        return None
    stored = stored_type(lake_type)

    def convert(array: pa.Array) -> pa.Array:
        offsets = _offsets(pc.list_value_length(array))
        values = inner(array.flatten())
        return pa.ListArray.from_arrays(offsets, values, type=stored, mask=array.is_null())

    return convert


def _struct_conversion(lake_type: Struct, inner: list[Convert | None]) -> Convert | None:
    if not any(inner):
        return None
    stored = stored_type(lake_type)
    fields = [stored.field(i) for i in range(stored.num_fields)]

    def convert(array: pa.Array) -> pa.Array:
        children = [
            child if each is None else each(child)
            for child, each in zip(array.flatten(), inner, strict=True)
        ]
        return pa.StructArray.from_arrays(children, fields=fields, mask=array.is_null())

    return convert


def _map_conversion(lake_type: Map, key: Convert | None, value: Convert | None) -> Convert | None:
    if key is None and value is None:
        return None
    stored = stored_type(lake_type)

    def convert(array: pa.Array) -> pa.Array:
        keys, items = entries(array)
        return pa.MapArray.from_arrays(
            _offsets(pc.list_value_length(as_lists(array))),
            keys if key is None else key(keys),
            items if value is None else value(items),
            type=stored,
            mask=array.is_null(),
        )

    return convert


def _offsets(lengths: pa.Array) -> pa.Array:
    offsets = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths.fill_null(0).to_numpy(zero_copy_only=False), out=offsets[1:])
    return pa.array(offsets)

"""Lake types as Arrow types: the one mapping every result uses.

| lake type | Arrow type | why |
|---|---|---|
| uuid, json, variant | string | canonical text, JSON text; every frame library has it |
| int128 | decimal128(38, 0) | its 16 bytes hold every int128, beyond 38 digits too |
| uint128, timetz | string | no Arrow type holds the range, or the offset |
| interval | month_day_nano_interval | |
| geometry | binary | well-known binary |
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from quacklake.format.types import Column, Decimal, Kind, LakeType, List, Map, Scalar, Struct

_SCALARS: Final[dict[Kind, pa.DataType]] = {
    Kind.BOOLEAN: pa.bool_(),
    Kind.INT8: pa.int8(),
    Kind.INT16: pa.int16(),
    Kind.INT32: pa.int32(),
    Kind.INT64: pa.int64(),
    Kind.INT128: pa.decimal128(38, 0),
    Kind.UINT8: pa.uint8(),
    Kind.UINT16: pa.uint16(),
    Kind.UINT32: pa.uint32(),
    Kind.UINT64: pa.uint64(),
    Kind.UINT128: pa.string(),
    Kind.FLOAT32: pa.float32(),
    Kind.FLOAT64: pa.float64(),
    Kind.TIME: pa.time64("us"),
    Kind.TIME_NS: pa.time64("ns"),
    Kind.TIMETZ: pa.string(),
    Kind.DATE: pa.date32(),
    Kind.TIMESTAMP: pa.timestamp("us"),
    Kind.TIMESTAMP_S: pa.timestamp("s"),
    Kind.TIMESTAMP_MS: pa.timestamp("ms"),
    Kind.TIMESTAMP_NS: pa.timestamp("ns"),
    Kind.TIMESTAMPTZ: pa.timestamp("us", tz="UTC"),
    Kind.INTERVAL: pa.month_day_nano_interval(),
    Kind.VARCHAR: pa.string(),
    Kind.BLOB: pa.binary(),
    Kind.UUID: pa.string(),
    Kind.JSON: pa.string(),
    Kind.VARIANT: pa.string(),
    Kind.GEOMETRY: pa.binary(),
}


def arrow_type(lake_type: LakeType) -> pa.DataType:
    """The Arrow type that results of `lake_type` have."""
    match lake_type:
        case Scalar(kind):
            return _SCALARS[kind]
        case Decimal(precision, scale):
            return pa.decimal128(precision, scale)
        case List(element):
            return pa.list_(pa.field("element", arrow_type(element.type)))
        case Struct(fields):
            return pa.struct([pa.field(field.name, arrow_type(field.type)) for field in fields])
        case Map(key, value):
            return pa.map_(arrow_type(key.type), arrow_type(value.type))


def arrow_field(column: Column) -> pa.Field[pa.DataType]:
    """A result column: its name, its type, and whether NULL is possible."""
    return pa.field(column.name, arrow_type(column.type), nullable=column.nullable)


def arrow_schema(columns: tuple[Column, ...]) -> pa.Schema:
    """The schema of a result with `columns`."""
    return pa.schema([arrow_field(column) for column in columns])

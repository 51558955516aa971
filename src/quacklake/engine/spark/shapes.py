"""The columns of a Spark DataFrame as Arrow has them."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
from pyspark.sql import types as t

from quacklake.kernel.errors import Unsupported

_PLAIN: Final[dict[type[t.DataType], pa.DataType]] = {
    t.BooleanType: pa.bool_(),
    t.ByteType: pa.int8(),
    t.ShortType: pa.int16(),
    t.IntegerType: pa.int32(),
    t.LongType: pa.int64(),
    t.FloatType: pa.float32(),
    t.DoubleType: pa.float64(),
    t.StringType: pa.string(),
    t.CharType: pa.string(),
    t.VarcharType: pa.string(),
    t.BinaryType: pa.binary(),
    t.DateType: pa.date32(),
    t.TimestampType: pa.timestamp("us", tz="UTC"),
    t.TimestampNTZType: pa.timestamp("us"),
    t.DayTimeIntervalType: pa.duration("us"),
    t.NullType: pa.null(),
}


def arrow_of(found: t.DataType, name: str) -> pa.DataType:
    """The Arrow type in which Spark hands over values of a type."""
    if type(found) in _PLAIN:
        return _PLAIN[type(found)]
    if isinstance(found, t.DecimalType):
        return pa.decimal128(found.precision, found.scale)
    if isinstance(found, t.ArrayType):
        return pa.list_(arrow_of(found.elementType, name))
    if isinstance(found, t.MapType):
        return pa.map_(arrow_of(found.keyType, name), arrow_of(found.valueType, name))
    if isinstance(found, t.StructType):
        return pa.struct([pa.field(f.name, arrow_of(f.dataType, name)) for f in found.fields])
    raise Unsupported(
        f"column '{name}' has Spark's type {found.simpleString()}, which no lake type holds",
        hint="cast it first, for example to string",
        column=name,
    )


def arrow_shape(schema: t.StructType) -> pa.Schema:
    """The Arrow schema of a DataFrame's rows."""
    return pa.schema([pa.field(f.name, arrow_of(f.dataType, f.name)) for f in schema.fields])

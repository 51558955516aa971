"""Lake types as Spark types, and rows carried between Arrow and Spark without loss.

| lake type | Spark type | why |
|---|---|---|
| uint8, uint16, uint32 | the next wider signed type | Spark has no unsigned integers |
| uint64 | decimal(20, 0) | |
| int128 | decimal(38, 0) | beyond 38 digits reading fails, and says so |
| uint128, timetz, uuid, json, variant | string | as in Arrow results |
| timestamp, timestamp_s, timestamp_ms | timestamp_ntz | |
| timestamptz | timestamp | an instant |
| timestamp_ns | bigint | nanoseconds; Spark's own type ends at microseconds |
| time, time_ns | string | Spark's TIME does not travel through Arrow yet |
| interval | struct<months, days, nanoseconds> | no Spark interval has all three |
| geometry | binary | well-known binary |
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as t

from quacklake.format import casting
from quacklake.format.arrow import arrow_type
from quacklake.format.types import Column, Decimal, Kind, LakeType, List, Map, Scalar, Struct
from quacklake.kernel.errors import UsageError

FIELD_ID: Final = "parquet.field.id"
_INTERVAL: Final = t.StructType(
    [
        t.StructField("months", t.IntegerType()),
        t.StructField("days", t.IntegerType()),
        t.StructField("nanoseconds", t.LongType()),
    ]
)
_SPARK: Final[dict[Kind, t.DataType]] = {
    Kind.BOOLEAN: t.BooleanType(),
    Kind.INT8: t.ByteType(),
    Kind.INT16: t.ShortType(),
    Kind.INT32: t.IntegerType(),
    Kind.INT64: t.LongType(),
    Kind.INT128: t.DecimalType(38, 0),
    Kind.UINT8: t.ShortType(),
    Kind.UINT16: t.IntegerType(),
    Kind.UINT32: t.LongType(),
    Kind.UINT64: t.DecimalType(20, 0),
    Kind.UINT128: t.StringType(),
    Kind.FLOAT32: t.FloatType(),
    Kind.FLOAT64: t.DoubleType(),
    Kind.TIME: t.StringType(),
    Kind.TIME_NS: t.StringType(),
    Kind.TIMETZ: t.StringType(),
    Kind.DATE: t.DateType(),
    Kind.TIMESTAMP: t.TimestampNTZType(),
    Kind.TIMESTAMP_S: t.TimestampNTZType(),
    Kind.TIMESTAMP_MS: t.TimestampNTZType(),
    Kind.TIMESTAMP_NS: t.LongType(),
    Kind.TIMESTAMPTZ: t.TimestampType(),
    Kind.INTERVAL: _INTERVAL,
    Kind.VARCHAR: t.StringType(),
    Kind.BLOB: t.BinaryType(),
    Kind.UUID: t.StringType(),
    Kind.JSON: t.StringType(),
    Kind.VARIANT: t.StringType(),
    Kind.GEOMETRY: t.BinaryType(),
}
_INTERVAL_ARROW: Final = pa.struct(
    [("months", pa.int32()), ("days", pa.int32()), ("nanoseconds", pa.int64())]
)
_CARRIED: Final[dict[Kind, pa.DataType]] = {
    Kind.UINT8: pa.int16(),
    Kind.UINT16: pa.int32(),
    Kind.UINT32: pa.int64(),
    Kind.UINT64: pa.decimal128(20, 0),
    Kind.TIME: pa.string(),
    Kind.TIME_NS: pa.string(),
    Kind.TIMESTAMP_S: pa.timestamp("us"),
    Kind.TIMESTAMP_MS: pa.timestamp("us"),
    Kind.TIMESTAMP_NS: pa.int64(),
    Kind.INTERVAL: _INTERVAL_ARROW,
}
"""Where Spark's Arrow type is another than that of our results."""


def spark_type(lake_type: LakeType, *, ids: bool = False) -> t.DataType:
    """The Spark type of a lake type; with `ids`, fields carry the ids that files know them by."""
    match lake_type:
        case Scalar(kind):
            return _SPARK[kind]
        case Decimal(precision, scale):
            return t.DecimalType(precision, scale)
        case List(element):
            return t.ArrayType(spark_type(element.type, ids=ids))
        case Struct(fields):
            return t.StructType([spark_field(field, ids=ids) for field in fields])
        case Map(key, value):
            return t.MapType(spark_type(key.type, ids=ids), spark_type(value.type, ids=ids))


def spark_field(column: Column, *, ids: bool = False) -> t.StructField:
    """A column of a Spark schema."""
    metadata = {FIELD_ID: int(column.id)} if ids else None
    return t.StructField(column.name, spark_type(column.type, ids=ids), metadata=metadata)


def spark_schema(columns: tuple[Column, ...], *, ids: bool = False) -> t.StructType:
    """The Spark schema of `columns`."""
    return t.StructType([spark_field(column, ids=ids) for column in columns])


def carrier_type(lake_type: LakeType) -> pa.DataType:
    """The Arrow type in which Spark takes and gives values of a lake type."""
    match lake_type:
        case Scalar(kind) if kind in _CARRIED:
            return _CARRIED[kind]
        case List(element):
            return pa.list_(pa.field("element", carrier_type(element.type)))
        case Struct(fields):
            return pa.struct([pa.field(f.name, carrier_type(f.type)) for f in fields])
        case Map(key, value):
            return pa.map_(carrier_type(key.type), carrier_type(value.type))
        case _:
            return arrow_type(lake_type)


def carrier_schema(columns: tuple[Column, ...]) -> pa.Schema:
    """The Arrow schema of batches that Spark takes for `columns`."""
    return pa.schema([pa.field(column.name, carrier_type(column.type)) for column in columns])


def to_spark(batch: pa.RecordBatch, columns: tuple[Column, ...]) -> pa.RecordBatch:
    """A batch of results as Spark takes it."""
    arrays = [
        _outward(array, column.type) for array, column in zip(batch.columns, columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=carrier_schema(columns))


def from_spark(batch: pa.RecordBatch, columns: tuple[Column, ...]) -> Iterator[pa.Array]:
    """The columns of a batch that Spark gives, as results have them."""
    for array, column in zip(batch.columns, columns, strict=True):
        yield inward(array, column.type)


def _outward(array: pa.Array, lake_type: LakeType) -> pa.Array:
    wanted = carrier_type(lake_type)
    match lake_type:
        case Scalar(Kind.INT128):
            return _checked(array)
        case Scalar(Kind.INTERVAL):
            return _interval_parts(array)
        case Scalar():
            return array if array.type == wanted else array.cast(wanted)
        case Decimal():
            return array
        case _:
            return _nested(array, lake_type, wanted, _outward)


def inward(array: pa.Array, lake_type: LakeType) -> pa.Array:
    """An array that Spark gives for a lake type, as results have it."""
    wanted = arrow_type(lake_type)
    match lake_type:
        case Scalar(Kind.INTERVAL) if pa.types.is_struct(array.type):
            return _interval(array)
        case Scalar(Kind.TIME | Kind.TIME_NS) if pa.types.is_string(array.type):
            return casting.cast(array, lake_type).combine_chunks()
        case Scalar() | Decimal():
            return array if array.type == wanted else array.cast(wanted)
        case _:
            return _nested(array, lake_type, wanted, inward)


def _nested(array: pa.Array, lake_type: LakeType, wanted: pa.DataType, carry: object) -> pa.Array:
    if array.type == wanted and not _has_wide(lake_type):
        return array
    mask = array.is_null() if array.null_count else None
    plain = array if array.offset == 0 else pa.concat_arrays([array, array[:0]])
    match lake_type:
        case Struct(fields):
            parts = [carry(plain.field(i), f.type) for i, f in enumerate(fields)]  # type: ignore[operator]
            return pa.StructArray.from_arrays(parts, fields=list(wanted), mask=mask)
        case List(element):
            offsets = plain.offsets.cast(pa.int32())
            values = carry(plain.values, element.type)  # type: ignore[operator]
            return pa.ListArray.from_arrays(offsets, values, type=wanted, mask=mask)
        case Map(key, value):
            keys = carry(plain.keys, key.type)  # type: ignore[operator]
            items = carry(plain.items, value.type)  # type: ignore[operator]
            return pa.MapArray.from_arrays(plain.offsets, keys, items, type=wanted, mask=mask)
        case _:
            return array


def _has_wide(lake_type: LakeType) -> bool:
    column = Column(0, "", lake_type)  # type: ignore[arg-type]
    return any(leaf.type == Scalar(Kind.INT128) for leaf in column.leaves())


def _checked(array: pa.Array) -> pa.Array:
    """Spark's decimals end at 38 digits; a larger number must not become NULL."""
    limit = pa.scalar(10**38 - 1, pa.decimal256(39, 0))
    wide = array.cast(pa.decimal256(39, 0))
    if pc.any(pc.greater(pc.abs(wide), limit)).as_py():
        raise UsageError(
            "a HUGEINT of more than 38 digits has no Spark type",
            hint="leave the column out, or read it with to_arrow",
        )
    return array


def _interval_parts(array: pa.Array) -> pa.Array:
    values = [None if v is None else v for v in array.to_pylist()]
    parts = [None if v is None else (v.months, v.days, v.nanoseconds) for v in values]
    rows = [None if p is None else dict(zip(_INTERVAL.names, p, strict=True)) for p in parts]
    return pa.array(rows, _INTERVAL_ARROW)


def _interval(array: pa.Array) -> pa.Array:
    rows = [
        None if row is None else pa.MonthDayNano([row[name] or 0 for name in _INTERVAL.names])
        for row in array.to_pylist()
    ]
    return pa.array(rows, pa.month_day_nano_interval())

"""Result columns in the Arrow types of lake types, whatever DuckDB type a query yields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
from duckdb.sqltypes import DuckDBPyType

from quacklake.format import casting
from quacklake.format.arrow import arrow_type
from quacklake.format.sqltypes import quoted, sql_type
from quacklake.format.types import Column, Decimal, Kind, LakeType, List, Map, Scalar, Struct
from quacklake.kernel.ids import ColumnId

_SCALARS: Final = {
    "boolean": Kind.BOOLEAN,
    "tinyint": Kind.INT8,
    "smallint": Kind.INT16,
    "integer": Kind.INT32,
    "bigint": Kind.INT64,
    "hugeint": Kind.INT128,
    "utinyint": Kind.UINT8,
    "usmallint": Kind.UINT16,
    "uinteger": Kind.UINT32,
    "ubigint": Kind.UINT64,
    "uhugeint": Kind.UINT128,
    "float": Kind.FLOAT32,
    "double": Kind.FLOAT64,
    "time": Kind.TIME,
    "time_ns": Kind.TIME_NS,
    "time with time zone": Kind.TIMETZ,
    "date": Kind.DATE,
    "timestamp": Kind.TIMESTAMP,
    "timestamp_s": Kind.TIMESTAMP_S,
    "timestamp_ms": Kind.TIMESTAMP_MS,
    "timestamp_ns": Kind.TIMESTAMP_NS,
    "timestamp with time zone": Kind.TIMESTAMPTZ,
    "interval": Kind.INTERVAL,
    "varchar": Kind.VARCHAR,
    "blob": Kind.BLOB,
    "uuid": Kind.UUID,
    "variant": Kind.VARIANT,
    "geometry": Kind.GEOMETRY,
    "union": Kind.JSON,
}
"""By DuckDB's own names. A type the lake lacks and that is not here, such as ENUM, is text."""


def lake_type(found: DuckDBPyType) -> LakeType:
    """The lake type that holds values of a DuckDB type."""
    if str(found) == "JSON":
        return Scalar(Kind.JSON)
    match found.id:
        case "decimal":
            parts = _parts(found)
            return Decimal(parts["precision"], parts["scale"])
        case "list" | "array":
            return List(_column("element", _parts(found)["child"]))
        case "struct":
            return Struct(tuple(_column(name, child) for name, child in _parts(found).items()))
        case "map":
            parts = _parts(found)
            return Map(_column("key", parts["key"]), _column("value", parts["value"]))
        case name:
            return Scalar(_SCALARS.get(name, Kind.VARCHAR))


def _parts(found: DuckDBPyType) -> dict[str, Any]:
    """What a type is made of: types, and the sizes of decimals and arrays."""
    return dict(found.children)


def _column(name: str, found: DuckDBPyType) -> Column:
    return Column(ColumnId(0), name, lake_type(found))


def carried_query(sql: str, names: Sequence[str], types: Sequence[DuckDBPyType]) -> str:
    """`sql` with its columns in the types that Arrow carries; itself when they are already."""
    places = [_carried(f"#{place}", found) for place, found in enumerate(types, start=1)]
    if all(given == f"#{place}" for place, given in enumerate(places, start=1)):
        return sql
    columns = ", ".join(
        f"{given} AS {quoted(name)}" for given, name in zip(places, names, strict=True)
    )
    return f"SELECT {columns} FROM (\n{sql}\n) AS result"


def _carried(expression: str, found: DuckDBPyType) -> str:
    wanted = lake_type(found)
    if wanted == Scalar(Kind.VARCHAR) and found.id != "varchar":
        return f"CAST({expression} AS VARCHAR)"
    if found.id in ("array", "union"):
        expression = f"CAST({expression} AS {sql_type(wanted)})"
    if wanted == Scalar(Kind.UUID):
        return expression  # DuckDB hands it over as text itself
    return casting.carried(expression, wanted)


def result_schema(names: Sequence[str], types: Sequence[DuckDBPyType]) -> pa.Schema:
    """The Arrow schema of a result with these columns."""
    fields = [
        pa.field(name, arrow_type(lake_type(found)))
        for name, found in zip(names, types, strict=True)
    ]
    return pa.schema(fields)


def conformed(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """`batch` under `schema`; what differs are names inside nested types."""
    columns = [
        column if column.type == field.type else column.cast(field.type)
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)

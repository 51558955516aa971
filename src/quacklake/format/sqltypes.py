"""Lake types as DuckDB spells them, the dialect of the format's defaults and texts."""

from __future__ import annotations

from typing import Final

from quacklake.format.types import Decimal, Kind, LakeType, List, Map, Scalar, Struct

_NAMES: Final = {
    Kind.BOOLEAN: "BOOLEAN",
    Kind.INT8: "TINYINT",
    Kind.INT16: "SMALLINT",
    Kind.INT32: "INTEGER",
    Kind.INT64: "BIGINT",
    Kind.INT128: "HUGEINT",
    Kind.UINT8: "UTINYINT",
    Kind.UINT16: "USMALLINT",
    Kind.UINT32: "UINTEGER",
    Kind.UINT64: "UBIGINT",
    Kind.UINT128: "UHUGEINT",
    Kind.FLOAT32: "FLOAT",
    Kind.FLOAT64: "DOUBLE",
    Kind.TIME: "TIME",
    Kind.TIME_NS: "TIME_NS",
    Kind.TIMETZ: "TIME WITH TIME ZONE",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
    Kind.TIMESTAMP_S: "TIMESTAMP_S",
    Kind.TIMESTAMP_MS: "TIMESTAMP_MS",
    Kind.TIMESTAMP_NS: "TIMESTAMP_NS",
    Kind.TIMESTAMPTZ: "TIMESTAMP WITH TIME ZONE",
    Kind.INTERVAL: "INTERVAL",
    Kind.VARCHAR: "VARCHAR",
    Kind.BLOB: "BLOB",
    Kind.UUID: "UUID",
    Kind.JSON: "JSON",
    Kind.VARIANT: "VARIANT",
    Kind.GEOMETRY: "GEOMETRY",
}


def quoted(name: str) -> str:
    """`name` as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """`text` as a quoted SQL string."""
    return "'" + text.replace("'", "''") + "'"


def sql_type(lake_type: LakeType) -> str:
    """The type in DuckDB's SQL, exactly as `typeof` prints it where names need no quotes."""
    match lake_type:
        case Scalar(kind):
            return _NAMES[kind]
        case Decimal(precision, scale):
            return f"DECIMAL({precision},{scale})"
        case List(element):
            return f"{sql_type(element.type)}[]"
        case Struct(fields):
            inner = ", ".join(f"{quoted(field.name)} {sql_type(field.type)}" for field in fields)
            return f"STRUCT({inner})"
        case Map(key, value):
            return f"MAP({sql_type(key.type)}, {sql_type(value.type)})"

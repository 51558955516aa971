"""What a compiler must know of the sources: their columns, with Spark's names of the types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from quacklake.format.types import Column, Decimal, Kind, LakeType, List, Map, Scalar, Struct


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column of a source; `type` is Spark's name of its type, "" where Spark has none."""

    name: str
    type: str
    nullable: bool = True


Schema: TypeAlias = Mapping[str, Sequence[SourceColumn]]

_NAMES: Final = {
    Kind.BOOLEAN: "BOOLEAN",
    Kind.INT8: "TINYINT",
    Kind.INT16: "SMALLINT",
    Kind.INT32: "INT",
    Kind.INT64: "BIGINT",
    Kind.INT128: "DECIMAL(38,0)",
    Kind.UINT8: "SMALLINT",
    Kind.UINT16: "INT",
    Kind.UINT32: "BIGINT",
    Kind.UINT64: "DECIMAL(20,0)",
    Kind.UINT128: "DECIMAL(38,0)",
    Kind.FLOAT32: "FLOAT",
    Kind.FLOAT64: "DOUBLE",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP_NTZ",
    Kind.TIMESTAMP_S: "TIMESTAMP_NTZ",
    Kind.TIMESTAMP_MS: "TIMESTAMP_NTZ",
    Kind.TIMESTAMP_NS: "TIMESTAMP_NTZ",
    Kind.TIMESTAMPTZ: "TIMESTAMP",
    Kind.VARCHAR: "STRING",
    Kind.BLOB: "BINARY",
    Kind.UUID: "STRING",
    Kind.JSON: "STRING",
}


def source_columns(columns: Iterable[Column]) -> tuple[SourceColumn, ...]:
    """The columns of a lake table as the compiler sees them."""
    return tuple(SourceColumn(each.name, spark_type(each.type), each.nullable) for each in columns)


def spark_type(lake_type: LakeType) -> str:
    """Spark's name of a lake type; "" for one that Spark does not have."""
    match lake_type:
        case Scalar(kind):
            return _NAMES.get(kind, "")
        case Decimal(precision, scale):
            return f"DECIMAL({precision},{scale})"
        case List(element):
            return _nested("ARRAY<{}>", element)
        case Map(key, value):
            return _nested("MAP<{},{}>", key, value)
        case Struct(fields):
            quoted = (f"`{field.name.replace('`', '``')}`: " for field in fields)
            return _nested(f"STRUCT<{', '.join(name + '{}' for name in quoted)}>", *fields)


def _nested(shape: str, *children: Column) -> str:
    types = [spark_type(child.type) for child in children]
    return shape.format(*types) if all(types) else ""

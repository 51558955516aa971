"""The types of the format, and columns that carry them.

A nested type holds columns, because every nested field has its own id, name and default.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from quacklake.kernel.errors import CorruptLake
from quacklake.kernel.ids import ColumnId


class Kind(StrEnum):
    """A type without parameters, by its name in the catalog."""

    BOOLEAN = "boolean"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    INT128 = "int128"
    UINT8 = "uint8"
    UINT16 = "uint16"
    UINT32 = "uint32"
    UINT64 = "uint64"
    UINT128 = "uint128"
    FLOAT32 = "float32"
    FLOAT64 = "float64"
    TIME = "time"
    TIME_NS = "time_ns"
    TIMETZ = "timetz"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIMESTAMP_S = "timestamp_s"
    TIMESTAMP_MS = "timestamp_ms"
    TIMESTAMP_NS = "timestamp_ns"
    TIMESTAMPTZ = "timestamptz"
    INTERVAL = "interval"
    VARCHAR = "varchar"
    BLOB = "blob"
    UUID = "uuid"
    JSON = "json"
    VARIANT = "variant"
    GEOMETRY = "geometry"


INTEGERS = frozenset(
    {
        Kind.INT8,
        Kind.INT16,
        Kind.INT32,
        Kind.INT64,
        Kind.INT128,
        Kind.UINT8,
        Kind.UINT16,
        Kind.UINT32,
        Kind.UINT64,
        Kind.UINT128,
    }
)
FLOATS = frozenset({Kind.FLOAT32, Kind.FLOAT64})
TIMESTAMPS = frozenset(
    {Kind.TIMESTAMP, Kind.TIMESTAMP_S, Kind.TIMESTAMP_MS, Kind.TIMESTAMP_NS, Kind.TIMESTAMPTZ}
)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A type without parameters."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class Decimal:
    """A fixed-point number of `precision` digits, `scale` of them after the point."""

    precision: int
    scale: int


@dataclass(frozen=True, slots=True)
class List:
    """Any number of `element` values."""

    element: Column


@dataclass(frozen=True, slots=True)
class Struct:
    """Named fields."""

    fields: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Map:
    """Unique keys, each with a value."""

    key: Column
    value: Column


LakeType: TypeAlias = Scalar | Decimal | List | Struct | Map


@dataclass(frozen=True, slots=True)
class Column:
    """A column or nested field; `id` is its Parquet field id and never changes.

    `initial_default` is the text of the value read from files older than the column;
    `default` is the text used for inserts, an SQL expression when `default_is_expression`.
    """

    id: ColumnId
    name: str
    type: LakeType
    nullable: bool = True
    initial_default: str | None = None
    default: str | None = None
    default_is_expression: bool = False

    def children(self) -> tuple[Column, ...]:
        """The nested fields directly below."""
        match self.type:
            case List(element):
                return (element,)
            case Struct(fields):
                return fields
            case Map(key, value):
                return (key, value)
            case Scalar() | Decimal():
                return ()

    def leaves(self) -> Iterator[Column]:
        """The fields that hold values, in preorder: the ones statistics exist for."""
        below = self.children()
        if not below:
            yield self
        for child in below:
            yield from child.leaves()


@dataclass(frozen=True, slots=True)
class NameEver:
    """A name that a column has, or had; `parent` is the column it is a field of."""

    column: ColumnId
    parent: ColumnId | None
    name: str


@dataclass(frozen=True, slots=True)
class TypeEver:
    """A type that a column or field has, or had until a snapshot."""

    column: ColumnId
    type: Scalar | Decimal
    until: int | None


_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_ALIASES = {"timestamp_us": Kind.TIMESTAMP}


def parse_leaf_type(text: str) -> Scalar | Decimal:
    """The type a catalog names by `text`; nested types are built from their child rows."""
    name = text.strip().lower()
    if match := _DECIMAL.fullmatch(name):
        return Decimal(int(match[1]), int(match[2]))
    if name in _ALIASES:
        return Scalar(_ALIASES[name])
    try:
        return Scalar(Kind(name))
    except ValueError:
        raise CorruptLake(f"unknown column type '{text}' in the catalog", type=text) from None


def type_name(lake_type: LakeType) -> str:
    """The name the catalog stores for a type; nested ones are named without their children."""
    match lake_type:
        case Scalar(kind):
            return kind.value
        case Decimal(precision, scale):
            return f"decimal({precision},{scale})"
        case List():
            return "list"
        case Struct():
            return "struct"
        case Map():
            return "map"

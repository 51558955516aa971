"""Types as users write them, in SQL or as Arrow types, as columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import duckdb
import pyarrow as pa
import sqlglot
from duckdb.sqltypes import DuckDBPyType
from sqlglot import exp
from sqlglot.errors import SqlglotError

from quacklake.format import casting
from quacklake.format.sqltypes import literal as quoted_literal
from quacklake.format.sqltypes import sql_type
from quacklake.format.types import Column, Decimal, Kind, LakeType, List, Map, Scalar, Struct
from quacklake.kernel.errors import Unsupported, UsageError
from quacklake.kernel.ids import ColumnId

NextId: TypeAlias = Callable[[], ColumnId]

_SQL: Final = {
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
    "json": Kind.JSON,
    "variant": Kind.VARIANT,
    "geometry": Kind.GEOMETRY,
}


class Counter:
    """Column ids in preorder, each given once."""

    def __init__(self, last: int = 0) -> None:
        self._last = last

    def __call__(self) -> ColumnId:
        """The next id."""
        self._last += 1
        return ColumnId(self._last)


def column_from_sql(name: str, text: str, ids: NextId) -> Column:
    """A column from what stands after its name in CREATE TABLE: type, NOT NULL, DEFAULT."""
    try:
        tree = sqlglot.parse_one(f"CREATE TABLE t (c {text})", dialect="duckdb")
    except SqlglotError as error:
        raise UsageError(f"'{text}' is not a type for column '{name}'", column=name) from error
    definition = tree.find(exp.ColumnDef)
    kind = definition.args.get("kind") if definition else None
    if definition is None or kind is None:
        raise UsageError(f"'{text}' is not a type for column '{name}'", column=name)
    identity = ids()
    made = Column(identity, name, type_from_sql(kind.sql("duckdb"), ids))
    for constraint in definition.args.get("constraints") or ():
        made = _constrained(made, constraint.args["kind"], text)
    return made


def _constrained(column: Column, constraint: exp.Expr, text: str) -> Column:
    match constraint:
        case exp.NotNullColumnConstraint():
            return replace(column, nullable=bool(constraint.args.get("allow_null")))
        case exp.DefaultColumnConstraint():
            return with_default(column, constraint.this)
        case exp.CommentColumnConstraint():
            return column
        case _:
            raise Unsupported(
                f"a DuckLake column has no constraint like '{text}'",
                hint="only NOT NULL and DEFAULT exist",
                column=column.name,
            )


def with_default(column: Column, value: exp.Expr) -> Column:
    """The column with a default; a literal one also stands for rows older than the column."""
    if isinstance(value, exp.Null):
        return column
    if column.children():
        raise Unsupported(
            f"nested column '{column.name}' cannot have a default",
            hint="DuckLake has defaults of plain types only",
            column=column.name,
        )
    literal = literal_text(value)
    text = value.sql("duckdb")
    # A default that does not fit would keep DuckDB from opening the lake at all.
    _check_default(column, text if literal is None else quoted_literal(literal))
    if literal is not None:
        return replace(column, default=literal, initial_default=literal)
    return replace(column, default=text, default_is_expression=True)


def _check_default(column: Column, expression: str) -> None:
    try:
        casting.session().execute(f"SELECT CAST(({expression}\n) AS {sql_type(column.type)})")
    except duckdb.Error as error:
        raise UsageError(
            f"the default of column '{column.name}' does not fit {sql_type(column.type)}",
            column=column.name,
        ) from error


def literal_text(value: exp.Expr) -> str | None:
    """The raw text of a literal, or None if it must be computed."""
    match value:
        case exp.Literal():
            return str(value.this)
        case exp.Neg(this=exp.Literal() as inner) if not inner.is_string:
            return f"-{inner.this}"
        case exp.Boolean():
            return "true" if value.this else "false"
        case exp.Paren():
            return literal_text(value.this)
        case exp.Cast(this=exp.Literal() as inner):
            return str(inner.this)
        case _:
            return None


def type_from_sql(text: str, ids: NextId) -> LakeType:
    """The lake type that DuckDB means by `text`."""
    try:
        found = duckdb.sqltype(text)
    except duckdb.Error as error:
        raise UsageError(f"'{text}' is not a type") from error
    return _from_duckdb(found, ids)


def _from_duckdb(found: DuckDBPyType, ids: NextId) -> LakeType:
    name = found.id
    if name == "decimal":
        parts: dict[str, Any] = dict(found.children)
        return Decimal(parts["precision"], parts["scale"])
    if name in ("list", "struct", "map"):
        below: dict[str, Any] = dict(found.children)
        return _nested(name, below, ids)
    kind = _SQL.get(str(found).lower())
    if kind is None:
        raise Unsupported(
            f"a DuckLake column cannot have the type {found}",
            hint="enumerations, unions, bit strings and fixed arrays are not part of the format",
        )
    return Scalar(kind)


def _nested(name: str, children: Mapping[str, DuckDBPyType], ids: NextId) -> LakeType:
    def column(label: str, found: DuckDBPyType) -> Column:
        identity = ids()
        return Column(identity, label, _from_duckdb(found, ids))

    if name == "list":
        return List(column("element", children["child"]))
    if name == "map":
        key = replace(column("key", children["key"]), nullable=True)
        return Map(key, column("value", children["value"]))
    return Struct(tuple(column(label, found) for label, found in children.items()))


@dataclass(frozen=True, slots=True)
class _Rule:
    matches: Callable[[pa.DataType], bool]
    kind: Kind


_ARROW: Final = (
    _Rule(pa.types.is_boolean, Kind.BOOLEAN),
    _Rule(pa.types.is_int8, Kind.INT8),
    _Rule(pa.types.is_int16, Kind.INT16),
    _Rule(pa.types.is_int32, Kind.INT32),
    _Rule(pa.types.is_int64, Kind.INT64),
    _Rule(pa.types.is_uint8, Kind.UINT8),
    _Rule(pa.types.is_uint16, Kind.UINT16),
    _Rule(pa.types.is_uint32, Kind.UINT32),
    _Rule(pa.types.is_uint64, Kind.UINT64),
    _Rule(pa.types.is_float16, Kind.FLOAT32),
    _Rule(pa.types.is_float32, Kind.FLOAT32),
    _Rule(pa.types.is_float64, Kind.FLOAT64),
    _Rule(pa.types.is_date, Kind.DATE),
    _Rule(lambda t: pa.types.is_time64(t) and t.unit == "ns", Kind.TIME_NS),
    _Rule(pa.types.is_time, Kind.TIME),
    _Rule(lambda t: pa.types.is_timestamp(t) and t.tz is not None, Kind.TIMESTAMPTZ),
    _Rule(lambda t: pa.types.is_timestamp(t) and t.unit == "s", Kind.TIMESTAMP_S),
    _Rule(lambda t: pa.types.is_timestamp(t) and t.unit == "ms", Kind.TIMESTAMP_MS),
    _Rule(lambda t: pa.types.is_timestamp(t) and t.unit == "ns", Kind.TIMESTAMP_NS),
    _Rule(pa.types.is_timestamp, Kind.TIMESTAMP),
    _Rule(pa.types.is_duration, Kind.INTERVAL),
    _Rule(pa.types.is_interval, Kind.INTERVAL),
    _Rule(pa.types.is_string, Kind.VARCHAR),
    _Rule(pa.types.is_large_string, Kind.VARCHAR),
    _Rule(pa.types.is_string_view, Kind.VARCHAR),
    _Rule(pa.types.is_null, Kind.INT32),
    _Rule(lambda t: pa.types.is_binary(t) or pa.types.is_large_binary(t), Kind.BLOB),
    _Rule(lambda t: pa.types.is_fixed_size_binary(t) or pa.types.is_binary_view(t), Kind.BLOB),
)


_EXTENSIONS: Final = {
    "arrow.uuid": Kind.UUID,
    "arrow.json": Kind.JSON,
    "geoarrow.wkb": Kind.GEOMETRY,
}


def column_from_arrow(field: pa.Field, ids: NextId) -> Column:
    """A column from an Arrow field."""
    identity = ids()
    return Column(identity, field.name, type_from_arrow(field.type, ids), nullable=field.nullable)


def type_from_arrow(given: pa.DataType, ids: NextId) -> LakeType:
    """The lake type that holds every value of an Arrow type."""
    if isinstance(given, pa.BaseExtensionType):
        kind = _EXTENSIONS.get(given.extension_name)
        return Scalar(kind) if kind else type_from_arrow(given.storage_type, ids)
    if pa.types.is_dictionary(given):
        return type_from_arrow(given.value_type, ids)
    if pa.types.is_decimal(given) and given.bit_width <= 128:  # noqa: PLR2004
        return Decimal(given.precision, given.scale)
    if pa.types.is_struct(given):
        return Struct(tuple(_below(f.name, f.type, ids) for f in given.fields))
    if pa.types.is_map(given):
        return Map(_below("key", given.key_type, ids), _below("value", given.item_type, ids))
    if pa.types.is_list(given) or pa.types.is_large_list(given) or pa.types.is_list_view(given):
        return List(_below("element", given.value_type, ids))
    for rule in _ARROW:
        if rule.matches(given):
            return Scalar(rule.kind)
    raise Unsupported(f"a DuckLake column cannot hold the Arrow type {given}")


def _below(name: str, given: pa.DataType, ids: NextId) -> Column:
    identity = ids()
    return Column(identity, name, type_from_arrow(given, ids))

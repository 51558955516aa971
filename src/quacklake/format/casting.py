"""Exact casts: DuckDB's own, run on Arrow columns in process.

The format's texts and promotions are defined by what DuckDB casts, so what Arrow does not do
identically to the last bit is handed to DuckDB. Nothing is read or stored.
"""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from functools import lru_cache
from typing import Final

import duckdb
import pyarrow as pa

from quacklake.format.arrow import arrow_type
from quacklake.format.sqltypes import quoted, sql_type
from quacklake.format.types import Column, Kind, LakeType, List, Map, Scalar, Struct
from quacklake.kernel.errors import CorruptLake

_local = threading.local()

_CARRIED_AS_TEXT: Final = {Kind.UUID, Kind.JSON, Kind.UINT128, Kind.TIMETZ}


def session() -> duckdb.DuckDBPyConnection:
    """This thread's connection to an in-memory DuckDB that keeps rows in order, and is in UTC."""
    process = os.getpid()
    # A fork inherits what its parent's thread had.
    if getattr(_local, "process", None) != process:
        _local.connection = _database(process).cursor()
        _local.connection.execute("SET TimeZone = 'UTC'")
        _local.process = process
    connection: duckdb.DuckDBPyConnection = _local.connection
    return connection


@lru_cache(maxsize=1)
def _database(process: int) -> duckdb.DuckDBPyConnection:  # noqa: ARG001  a fork needs its own
    """One database for all threads: making one takes longer than most of what it is asked."""
    return duckdb.connect(config={"threads": 1, "enable_external_access": "false"})


def carried_type(lake_type: LakeType) -> LakeType:
    """The type that DuckDB must hand over so that Arrow carries `lake_type` without loss."""
    match lake_type:
        case Scalar(kind) if kind in _CARRIED_AS_TEXT:
            return Scalar(Kind.VARCHAR)
        case Scalar(Kind.VARIANT):
            return Scalar(Kind.JSON)
        case List(element):
            return List(_carried(element))
        case Struct(fields):
            return Struct(tuple(_carried(field) for field in fields))
        case Map(key, value):
            return Map(_carried(key), _carried(value))
        case _:
            return lake_type


def _carried(column: Column) -> Column:
    return replace(column, type=carried_type(column.type))


def carried(expression: str, lake_type: LakeType) -> str:
    """SQL for `expression` of type `lake_type`, in the shape Arrow carries."""
    carrier = carried_type(lake_type)
    if carrier == lake_type:
        return expression
    if _holds_variants(lake_type):
        expression = _told(expression, lake_type, depth=0)
    return f"CAST({expression} AS {sql_type(carrier)})"


def _holds_variants(lake_type: LakeType) -> bool:
    match lake_type:
        case List(element):
            return _holds_variants(element.type)
        case Struct(fields):
            return any(_holds_variants(field.type) for field in fields)
        case Map(key, value):
            return _holds_variants(key.type) or _holds_variants(value.type)
        case _:
            return lake_type == Scalar(Kind.VARIANT)


def _told(expression: str, lake_type: LakeType, *, depth: int) -> str:
    """`expression` with every variant in it as JSON, where NULL stays NULL.

    A cast makes it the word null, which no other variant becomes: a text has quotes. What is
    looked at twice gets a name, because an expression may give another value each time.
    """
    if not _holds_variants(lake_type):
        return expression
    name, inner = f"v{depth}", depth + 1
    match lake_type:
        case List(element):
            told = _told(name, element.type, depth=inner)
            return f"list_transform({expression}, lambda {name}: {told})"
        case Map(key, value):
            keys = _told(f"{name}.key", key.type, depth=inner)
            values = _told(f"{name}.value", value.type, depth=inner)
            entry = f"struct_pack(key := {keys}, value := {values})"
            entries = f"list_transform(map_entries({expression}), lambda {name}: {entry})"
            return f"map_from_entries({entries})"
        case Struct(fields):
            parts = (
                f"{quoted(field.name)} := "
                + _told(f"{name}.{quoted(field.name)}", field.type, depth=inner)
                for field in fields
            )
            known = f"CASE WHEN {name} IS NOT NULL THEN struct_pack({', '.join(parts)}) END"
            return f"list_transform([{expression}], lambda {name}: {known})[1]"
        case _:
            return f"nullif(CAST({expression} AS JSON), 'null')"


def restored(expression: str, lake_type: LakeType) -> str:
    """SQL that gives a column carried by Arrow its type in DuckDB back."""
    if lake_type == Scalar(Kind.GEOMETRY):
        return f"ST_GeomFromWKB({expression})"
    if not _needs_restoring(lake_type):
        return expression
    # Through the carrier, so that JSON text becomes the variant it spells and not a string.
    carrier = sql_type(carried_type(lake_type))
    return f"CAST(CAST({expression} AS {carrier}) AS {sql_type(lake_type)})"


def _needs_restoring(lake_type: LakeType) -> bool:
    match lake_type:
        case Scalar(kind):
            return carried_type(lake_type) != lake_type or kind in (Kind.INT128, Kind.GEOMETRY)
        case List(element):
            return _needs_restoring(element.type)
        case Struct(fields):
            return any(_needs_restoring(field.type) for field in fields)
        case Map(key, value):
            return _needs_restoring(key.type) or _needs_restoring(value.type)
        case _:
            return False


def cast(array: pa.Array | pa.ChunkedArray, lake_type: LakeType) -> pa.ChunkedArray:
    """`array` as DuckDB casts it to `lake_type`, in the Arrow type of results."""
    expression = carried(f"CAST(c AS {sql_type(lake_type)})", lake_type)
    wanted = arrow_type(lake_type)
    source = pa.table({"c": array})
    try:
        result = session().from_arrow(source).project(f"{expression} AS c").to_arrow_table()
    except duckdb.Error as error:
        raise CorruptLake(
            f"a value of type {array.type} cannot be read as {sql_type(lake_type)}"
        ) from error
    return in_type(result.column("c"), wanted)


def in_type(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray:
    """`column` with exactly the wanted type; differences are names and annotations only."""
    if column.type == wanted:
        return column
    return pa.chunked_array([chunk.cast(wanted) for chunk in column.chunks], type=wanted)


@lru_cache(maxsize=4096)
def constant(text: str | None, lake_type: LakeType) -> pa.Scalar:
    """The value a catalog writes as `text`."""
    if text is None:
        return pa.scalar(None, type=arrow_type(lake_type))
    return cast(pa.array([text]), lake_type)[0]

"""Values that a catalog keeps as DuckDB text, decoded exactly into Arrow.

DuckDB in this process does the parsing, so that every spelling it writes is understood.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import duckdb
import pyarrow as pa

from quacklake.catalog.quoting import repaired
from quacklake.format.arrow import arrow_type
from quacklake.format.sqltypes import quoted, sql_type
from quacklake.format.types import Column, Decimal, Kind, LakeType, List, Map, Scalar, Struct

_EXPORTED: Final = {
    Kind.UINT128: "VARCHAR",
    Kind.TIMETZ: "VARCHAR",
    Kind.UUID: "VARCHAR",
    Kind.JSON: "VARCHAR",
    Kind.VARIANT: "VARCHAR",
}
_AS_IS: Final = frozenset({Kind.VARCHAR, Kind.JSON})
_BYTES: Final = frozenset({Kind.BLOB, Kind.GEOMETRY})


def exported_type(lake_type: LakeType) -> str:
    """The DuckDB type from which Arrow gets every value of `lake_type` whole."""
    match lake_type:
        case Scalar(kind):
            return _EXPORTED.get(kind) or sql_type(lake_type)
        case Decimal():
            return sql_type(lake_type)
        case List(element):
            return f"{exported_type(element.type)}[]"
        case Struct(fields):
            inner = ", ".join(f"{quoted(f.name)} {exported_type(f.type)}" for f in fields)
            return f"STRUCT({inner})"
        case Map(key, value):
            return f"MAP({exported_type(key.type)}, {exported_type(value.type)})"


def results_schema(columns: tuple[Column, ...]) -> pa.Schema:
    """Row id and snapshot, then `columns` in the Arrow types of results."""
    return pa.schema(
        [
            pa.field("row_id", pa.int64()),
            pa.field("begin_snapshot", pa.int64()),
            *(pa.field(column.name, arrow_type(column.type)) for column in columns),
        ]
    )


def decoded(rows: Sequence[Sequence[Any]], columns: tuple[Column, ...]) -> pa.Table:
    """Rows of raw values, row id and snapshot first, as the Arrow table they stand for."""
    values = list(zip(*rows, strict=True)) if rows else [()] * (2 + len(columns))
    raw = [pa.array(values[0], pa.int64()), pa.array(values[1], pa.int64())]
    raw += [_raw(cells, column.type) for cells, column in zip(values[2:], columns, strict=True)]
    names = [f"c{i}" for i in range(len(raw))]
    wanted = [names[0], names[1]]
    for name, column in zip(names[2:], columns, strict=True):
        wanted.append(_parsed(name, column.type))
    with duckdb.connect() as parser:
        parser.execute("SET TimeZone = 'UTC'")
        parser.register("raw", pa.table(raw, names=names))
        result = parser.execute(f"SELECT {', '.join(wanted)} FROM raw").to_arrow_table()
    return conformed(result, columns)


def conformed(result: pa.Table, columns: tuple[Column, ...]) -> pa.Table:
    """An exported result under the names and types of `results_schema`."""
    schema = results_schema(columns)
    arrays = [
        column.cast(field.type) for column, field in zip(result.columns, schema, strict=True)
    ]
    return pa.table(arrays, schema=schema)


def _raw(cells: Sequence[Any], lake_type: LakeType) -> pa.Array:
    if isinstance(lake_type, Scalar) and lake_type.kind in _BYTES:
        return pa.array([None if cell is None else bytes(cell) for cell in cells], pa.binary())
    texts = [_text(cell) for cell in cells]
    if isinstance(lake_type, List | Struct | Map):
        texts = [None if text is None else repaired(text) for text in texts]
    return pa.array(texts, pa.string())


def _text(cell: Any) -> str | None:
    if cell is None:
        return None
    if isinstance(cell, bytes | bytearray | memoryview):
        return bytes(cell).decode()
    return str(cell)


def _parsed(name: str, lake_type: LakeType) -> str:
    if isinstance(lake_type, Scalar) and lake_type.kind in _AS_IS | _BYTES:
        return name
    parsed = f"CAST({name} AS {sql_type(lake_type)})"
    exported = exported_type(lake_type)
    return parsed if exported == sql_type(lake_type) else f"CAST({parsed} AS {exported})"

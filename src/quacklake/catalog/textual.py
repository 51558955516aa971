"""Rows as a catalog keeps them, decoded exactly into Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa

from quacklake.catalog.nested import parsed, textual_type
from quacklake.format.arrow import arrow_type
from quacklake.format.casting import cast, in_type
from quacklake.format.types import Column, Kind, LakeType, List, Map, Scalar, Struct

_AS_IS: Final = frozenset({Kind.VARCHAR, Kind.JSON})
_BYTES: Final = frozenset({Kind.BLOB, Kind.GEOMETRY})


def decoded(rows: Sequence[Sequence[Any]], columns: tuple[Column, ...]) -> pa.Table:
    """Rows of raw values, row id and snapshot first, as the Arrow table they stand for."""
    cells = list(zip(*rows, strict=True)) if rows else [()] * (2 + len(columns))
    values = [_values(raw, column.type) for raw, column in zip(cells[2:], columns, strict=True)]
    numbers = [pa.array(raw, pa.int64()) for raw in cells[:2]]
    return pa.table([*numbers, *values], schema=results_schema(columns))


def conformed(result: pa.Table, columns: tuple[Column, ...]) -> pa.Table:
    """A result of DuckDB under the names and types of `results_schema`."""
    schema = results_schema(columns)
    arrays = [
        in_type(array, field.type) for array, field in zip(result.columns, schema, strict=True)
    ]
    return pa.table(arrays, schema=schema)


def results_schema(columns: tuple[Column, ...]) -> pa.Schema:
    """Row id and snapshot, then `columns` in the Arrow types of results."""
    return pa.schema(
        [
            pa.field("row_id", pa.int64()),
            pa.field("begin_snapshot", pa.int64()),
            *(pa.field(column.name, arrow_type(column.type)) for column in columns),
        ]
    )


def _values(cells: Sequence[Any], lake_type: LakeType) -> pa.Array | pa.ChunkedArray:
    if isinstance(lake_type, Scalar) and lake_type.kind in _BYTES:
        return pa.array([None if cell is None else bytes(cell) for cell in cells], pa.binary())
    texts = [_text(cell) for cell in cells]
    if isinstance(lake_type, Scalar) and lake_type.kind in _AS_IS:
        return pa.array(texts, pa.string())
    if isinstance(lake_type, List | Struct | Map):
        nested = [None if text is None else parsed(text, lake_type) for text in texts]
        return cast(pa.array(nested, textual_type(lake_type)), lake_type)
    return cast(pa.array(texts, pa.string()), lake_type)


def _text(cell: Any) -> str | None:
    if cell is None:
        return None
    if isinstance(cell, bytes | bytearray | memoryview):
        return bytes(cell).decode()
    return str(cell)

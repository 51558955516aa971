"""Rows as a catalog keeps them, decoded exactly into Arrow."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa

from quacklake.catalog.nested import parsed, textual_type
from quacklake.format.arrow import arrow_type
from quacklake.format.casting import cast, in_type
from quacklake.format.types import (
    INTEGERS,
    Column,
    Kind,
    LakeType,
    List,
    Map,
    Scalar,
    Struct,
)

_AS_IS: Final = frozenset({Kind.VARCHAR, Kind.JSON})
_BYTES: Final = frozenset({Kind.BLOB, Kind.GEOMETRY})
_MISFITS: Final = (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError)
_NULL: Final = type(None)
_FEW: Final = 1_000
_DECIMAL: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?", re.ASCII)


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
    if isinstance(lake_type, Scalar) and lake_type.kind in _AS_IS:
        return _texts(cells)
    if isinstance(lake_type, List | Struct | Map):
        texts = [_text(cell) for cell in cells]
        nested = [None if text is None else parsed(text, lake_type) for text in texts]
        return cast(pa.array(nested, textual_type(lake_type)), lake_type)
    if set(map(type, cells)) - {_NULL} == {_python_number(lake_type)}:
        return pa.array(cells, arrow_type(lake_type))
    if lake_type == Scalar(Kind.FLOAT64) and _are_few_decimals(cells):
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    return cast(_texts(cells), lake_type)


def _are_few_decimals(cells: Sequence[Any]) -> bool:
    """Whether Python reads the texts as DuckDB does, in less time than asking it takes."""
    return len(cells) <= _FEW and all(
        cell is None or (isinstance(cell, str) and _DECIMAL.fullmatch(cell)) for cell in cells
    )


def _python_number(lake_type: LakeType) -> type | None:
    """What a driver gives for numbers of `lake_type` if it gives numbers, exactly."""
    match lake_type:
        case Scalar(Kind.FLOAT64):
            return float
        case Scalar(kind) if kind in INTEGERS and kind not in (Kind.INT128, Kind.UINT128):
            return int
        case _:
            return None


def _texts(cells: Sequence[Any]) -> pa.Array:
    try:
        return pa.array(cells, pa.string())
    except _MISFITS:
        return pa.array([_text(cell) for cell in cells], pa.string())


def _text(cell: Any) -> str | None:
    if cell is None:
        return None
    if isinstance(cell, bytes | bytearray | memoryview):
        return bytes(cell).decode()
    return str(cell)

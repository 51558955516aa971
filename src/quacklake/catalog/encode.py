"""Arrow values as the cells in which a catalog keeps inlined rows.

DuckDB catalogs hold values as they are. The others hold some natively and the rest as the
text DuckDB casts them to, which whoever reads casts back.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.catalog.location import Backend
from quacklake.format.casting import restored, session
from quacklake.format.plaintext import plain_texts
from quacklake.format.sqltypes import sql_type
from quacklake.format.types import Column, Kind, LakeType, List, Map, Scalar, Struct
from quacklake.kernel.errors import Unsupported

_TAKEN: Final = frozenset({"row_id", "begin_snapshot", "end_snapshot"})
_INTERNAL: Final = "_ducklake_internal_"
_NOT_IN_POSTGRES: Final = frozenset({"ctid", "xmin", "cmin", "xmax", "cmax", "tableoid"})
_POSTGRES_NAME_BYTES: Final = 63
_MYSQL_NAME_LENGTH: Final = 64
_LAST_BMP: Final = "\uffff"
_SMALL_INTEGERS: Final = frozenset(
    {Kind.INT8, Kind.INT16, Kind.INT32, Kind.INT64, Kind.UINT8, Kind.UINT16, Kind.UINT32}
)


class Kept(Enum):
    """The form a value has in a catalog that does not hold every type of DuckDB."""

    NUMBER = auto()
    FLAG = auto()
    WORD = auto()
    BYTES = auto()
    TEXT = auto()


def kept_as(lake_type: LakeType) -> Kept:
    """The form in which values of a type are kept."""
    match lake_type:
        case Scalar(Kind.BOOLEAN):
            return Kept.FLAG
        case Scalar(Kind.VARCHAR | Kind.JSON):
            return Kept.WORD
        case Scalar(Kind.BLOB):
            return Kept.BYTES
        case Scalar(kind) if kind in _SMALL_INTEGERS:
            return Kept.NUMBER
        case _:
            return Kept.TEXT


def inlinable(columns: Sequence[Column], backend: Backend) -> bool:
    """Whether a catalog can keep rows of `columns` itself; their values may still forbid it."""
    return all(_name_fits(column.name, backend) for column in columns) and all(
        _type_fits(column, backend) for column in columns
    )


def _name_fits(name: str, backend: Backend) -> bool:
    folded = name.lower()
    if folded in _TAKEN or folded.startswith(_INTERNAL):
        return False
    match backend:
        case Backend.POSTGRES:
            fits = len(name.encode()) <= _POSTGRES_NAME_BYTES
            return fits and folded not in _NOT_IN_POSTGRES
        case Backend.MYSQL:
            fits = len(name) <= _MYSQL_NAME_LENGTH and all(char <= _LAST_BMP for char in name)
            return fits and not name.endswith(" ")
        case Backend.SQLITE:
            # DuckDB changes rows there by their `rowid`: with such a column, an update loses them.
            return folded != "rowid"
        case Backend.DUCKDB:
            return True


def _type_fits(column: Column, backend: Backend) -> bool:
    kinds = {leaf.type.kind for leaf in column.leaves() if isinstance(leaf.type, Scalar)}
    if Kind.GEOMETRY in kinds:
        return False
    if Kind.VARIANT in kinds:
        return backend is Backend.DUCKDB
    # PostgreSQL has no time of nanoseconds.
    return backend is not Backend.POSTGRES or column.type != Scalar(Kind.TIME_NS)


def inlinable_rows(rows: pa.Table, columns: Sequence[Column], backend: Backend) -> bool:
    """Whether DuckDB would read `rows`, kept in a catalog, as the values they are.

    `rows` has `columns` in their order. Nested values are text in most catalogs, and DuckDB
    misreads some of its own texts: a bracket in a string two levels deep, a list of JSON.
    """
    if backend is Backend.DUCKDB:
        return True
    return _texts(list(rows.columns), columns, backend) is not None


def cells(
    rows: Sequence[pa.ChunkedArray], columns: Sequence[Column], backend: Backend
) -> list[list[Any]]:
    """The cells of each column, in the order of the rows."""
    texts = _texts(rows, columns, backend)
    if texts is None:
        raise Unsupported(
            "a value cannot be kept in the catalog", hint="write these rows to a data file"
        )
    return [
        texts[i] if i in texts else _as_is(array, kept_as(column.type), backend)
        for i, (array, column) in enumerate(zip(rows, columns, strict=True))
    ]


def _as_is(array: pa.ChunkedArray, kept: Kept, backend: Backend) -> list[Any]:
    if kept is Kept.FLAG and backend is not Backend.POSTGRES:
        array = array.cast(pa.int64())
    if kept is Kept.WORD and backend is Backend.POSTGRES:
        # PostgreSQL keeps strings as bytes, because its text cannot hold every string.
        array = array.cast(pa.binary())
    values: list[Any] = array.to_pylist()
    return values


def _texts(
    arrays: Sequence[pa.ChunkedArray], columns: Sequence[Column], backend: Backend
) -> dict[int, list[str | None]] | None:
    """The columns that are kept as text, by position; None if one would not be read back."""
    wanted = [i for i, column in enumerate(columns) if kept_as(column.type) is Kept.TEXT]
    texts: dict[int, list[str | None]] = {}
    for i in wanted:
        plain = plain_texts(arrays[i], columns[i].type)
        if plain is not None:
            texts[i] = plain
    others = [i for i in wanted if i not in texts]
    spelled = _spelled(arrays, columns, others) if others else {}
    if spelled is None or (backend is Backend.POSTGRES and _any_has_nul(spelled)):
        return None
    return texts | spelled


def _spelled(
    arrays: Sequence[pa.ChunkedArray], columns: Sequence[Column], wanted: Sequence[int]
) -> dict[int, list[str | None]] | None:
    """The texts of columns by DuckDB; None if one would not be read back."""
    source = pa.table([arrays[i] for i in wanted], names=[f"c{i}" for i in wanted])
    shown = [f"{_text(i, columns[i].type)} AS c{i}" for i in wanted]
    checks = [_is_read_back(i, columns[i].type) for i in wanted if _is_nested(columns[i].type)]
    sound = " AND ".join(checks) or "true"
    result = session().from_arrow(source).project(", ".join((*shown, f"{sound} AS sound")))
    found = result.to_arrow_table()
    if not pc.all(found["sound"], min_count=0).as_py():
        return None
    return {i: found[f"c{i}"].to_pylist() for i in wanted}


def _any_has_nul(texts: dict[int, list[str | None]]) -> bool:
    return any("\0" in (text or "") for column in texts.values() for text in column)


def _is_nested(lake_type: LakeType) -> bool:
    return isinstance(lake_type, List | Struct | Map)


def _text(i: int, lake_type: LakeType) -> str:
    return f"CAST({restored(f'c{i}', lake_type)} AS VARCHAR)"


def _is_read_back(i: int, lake_type: LakeType) -> str:
    value = restored(f"c{i}", lake_type)
    again = f"TRY_CAST(CAST({value} AS VARCHAR) AS {sql_type(lake_type)})"
    return f"({again} IS NOT DISTINCT FROM {value})"

"""Few rows sought in a large file: DuckDB decodes only those, Arrow all values of a column.

Law: what DuckDB is told to seek is exactly what the filter lets through. So only filters are
sought that a predicate says completely, or that have operators only, and only on columns that a
file stores as the table has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal as Number
from typing import Final

from quacklake.format.predicate import (
    AllOf,
    AnyOf,
    Compare,
    Constant,
    IsNotNull,
    IsNull,
    OneOf,
    Predicate,
)
from quacklake.format.sqltypes import literal, sql_type
from quacklake.format.types import INTEGERS, Column, Decimal, Kind, Scalar
from quacklake.kernel.ids import ColumnId
from quacklake.scan.masks import PredicateFilter, SqlFilter
from quacklake.scan.shape import Located, Origin
from quacklake.storage.duckdb_reader import POSITION, DuckDBReader, Spoken, column_name
from quacklake.storage.schema import FileSchema

_SPELLED: Final = INTEGERS | {Kind.VARCHAR, Kind.BOOLEAN, Kind.DATE, Kind.TIMESTAMP, Kind.FLOAT64}
_WIDE: Final = frozenset({Kind.INT128, Kind.UINT128})
_TIMELESS: Final = (INTEGERS - _WIDE) | {Kind.VARCHAR, Kind.BOOLEAN, Kind.FLOAT64}
"""Kinds whose literals are read alike whatever the time zone."""


@dataclass(frozen=True, slots=True, eq=False)
class Seeker:
    """How rows are sought in one file: the stored columns, each with its place, and of which."""

    reader: DuckDBReader
    columns: tuple[tuple[int, Located], ...]
    condition: str
    spoken: Spoken | None = None


def seeker_of(
    reader: DuckDBReader,
    schema: FileSchema,
    origins: Mapping[ColumnId, Origin],
    columns: Sequence[Column],
    chosen: PredicateFilter | SqlFilter,
) -> Seeker | None:
    """The seeker for rows that `chosen` wants; None where Arrow has to read and filter."""
    places = {field.leaves: place for place, field in enumerate(schema.fields)}
    stored = [o for column in columns if isinstance(o := origins[column.id], Located)]
    asked = [origins[column.id] for column in chosen.columns]
    as_they_are = {
        identity: places[origin.field.leaves]
        for identity, origin in origins.items()
        if isinstance(origin, Located) and origin.convert is None and not origin.field.children
    }
    names = {identity: column_name(place) for identity, place in as_they_are.items()}
    spoken = None
    condition: str | None
    if isinstance(chosen, SqlFilter):
        condition, spoken = chosen.condition, _spoken(chosen, as_they_are, len(schema.fields))
    else:
        condition = condition_sql(chosen.predicate, names)
    if condition is None or any(origin.field.variant for origin in stored):
        return None
    if isinstance(chosen, SqlFilter) and spoken is None:
        return None
    found = [(places[origin.field.leaves], origin) for origin in stored]
    # A type that DuckDB hands over in another way would need another conversion.
    used = [*stored, *(origin for origin in asked if isinstance(origin, Located))]
    types = reader.types_at([places[origin.field.leaves] for origin in used])
    if types != [origin.field.type for origin in used]:
        return None
    return Seeker(reader, tuple(found), condition, spoken)


def _spoken(chosen: SqlFilter, places: Mapping[ColumnId, int], count: int) -> Spoken | None:
    """The names that a condition in a user's words needs, if it means the same in any session."""
    kinds = [column.type.kind for column in chosen.columns if isinstance(column.type, Scalar)]
    known = len(kinds) == len(chosen.columns) and all(kind in _TIMELESS for kind in kinds)
    if not (chosen.simple and known) or any(c.id not in places for c in chosen.columns):
        return None
    taken = {POSITION, *(f"c{place}" for place in range(count))}
    if any(column.name.casefold() in taken for column in chosen.columns):
        return None
    return Spoken(chosen.alias, tuple((places[c.id], c.name) for c in chosen.columns))


def condition_sql(predicate: Predicate, names: Mapping[ColumnId, str]) -> str | None:
    """The predicate in DuckDB's SQL over columns of these names, if it can be said exactly."""
    match predicate:
        case AllOf(parts) | AnyOf(parts):
            word = " AND " if isinstance(predicate, AllOf) else " OR "
            told = [condition_sql(part, names) for part in parts]
            known = [f"({each})" for each in told if each is not None]
            return word.join(known) if known and len(known) == len(told) else None
        case IsNull(column) | IsNotNull(column):
            word = "IS NULL" if isinstance(predicate, IsNull) else "IS NOT NULL"
            return f"{names[column.id]} {word}" if column.id in names else None
        case Compare(column, op, value):
            text = _spelled(value, column)
            known_column = column.id in names and text is not None
            return f"{names[column.id]} {op.value} {text}" if known_column else None
        case OneOf(column, values):
            texts = [_spelled(value, column) for value in values]
            known = [text for text in texts if text is not None]
            if column.id not in names or not known or len(known) != len(texts):
                return None
            return f"{names[column.id]} IN ({', '.join(known)})"


def _spelled(value: Constant, column: Column) -> str | None:
    """The constant as a literal of the column's type."""
    text: str | None = None
    match column.type, value:
        case Scalar(kind), _ if kind in _WIDE or kind not in {*_SPELLED, Kind.TIMESTAMPTZ}:
            return None
        case Scalar(Kind.TIMESTAMPTZ), datetime():
            text = value.astimezone(UTC).isoformat(sep=" ")
        case Scalar(Kind.TIMESTAMP), datetime():
            text = value.isoformat(sep=" ")
        case Scalar(Kind.DATE), date():
            text = value.isoformat()
        case Scalar(Kind.FLOAT64), float() | int():
            text = repr(float(value))
        case (Scalar(), bool() | int() | str()) | (Decimal(), int() | Number()):
            text = str(value)
        case _:
            return None
    return None if "\0" in text else f"CAST({literal(text)} AS {sql_type(column.type)})"

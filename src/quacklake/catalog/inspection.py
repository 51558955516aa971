"""What a catalog tells the curious: options, statistics, views and macros."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from quacklake.format.sqltypes import literal, quoted, sql_type
from quacklake.format.statistics import TableColumnStatistics
from quacklake.format.table import Macro, TableName, View
from quacklake.format.types import parse_leaf_type
from quacklake.kernel.ids import ColumnId, DataFileId


@dataclass(frozen=True, slots=True)
class Option:
    """A setting; `scope` is global, schema or table, and `scope_name` which one."""

    key: str
    value: str
    scope: str
    scope_name: str | None


@dataclass(frozen=True, slots=True)
class FileColumnStats:
    """What is known about the values of one column in one file; `value_count` is without NULLs."""

    file: DataFileId
    column: ColumnId
    size_bytes: int | None
    value_count: int | None
    null_count: int | None
    min: str | None
    max: str | None
    contains_nan: bool | None
    extra: str | None


@dataclass(frozen=True, slots=True)
class TableStats:
    """Totals over all rows ever inserted; deletes do not lower them."""

    record_count: int
    next_row_id: int
    file_size_bytes: int
    columns: tuple[TableColumnStatistics, ...]


_ALIAS: Final = re.compile(r'"((?:[^"]|"")*)"')


def views_of(rows: Iterable[Sequence[Any]]) -> tuple[View, ...]:
    """Views from their rows; aliases are a comma list of quoted names."""
    return tuple(
        View(
            TableName(row[0], row[1]),
            row[2],
            row[3],
            tuple(name.replace('""', '"') for name in _ALIAS.findall(row[4] or "")),
            row[5],
        )
        for row in rows
    )


def macros_of(rows: Iterable[Sequence[Any]]) -> tuple[Macro, ...]:
    """Macros from rows of one parameter each."""
    macros = []
    for _, group in groupby(rows, key=lambda row: (row[0], row[1])):
        parts = list(group)
        _, _, schema, name, dialect, sql, kind, *_ = parts[0]
        parameters = tuple(_parameter(*row[7:10]) for row in parts if row[7] is not None)
        macros.append(Macro(TableName(schema, name), dialect, sql, kind == "table", parameters))
    return tuple(macros)


def _parameter(name: str, default: str | None, default_type: str | None) -> str:
    if default is None or default_type in (None, "unknown"):
        return quoted(name)
    typed = sql_type(parse_leaf_type(default_type or ""))
    return f"{quoted(name)} := CAST({literal(default)} AS {typed})"


def options_of(rows: Iterable[Sequence[Any]]) -> tuple[Option, ...]:
    """Options with readable scopes; one set for something dropped shows its id."""
    options = []
    for key, value, scope, scope_id, schema, table_schema, table in rows:
        name = None
        if scope == "schema":
            name = schema or f"dropped schema {scope_id}"
        elif scope == "table":
            name = f"{table_schema}.{table}" if table else f"dropped table {scope_id}"
        options.append(Option(key, value, scope or "global", name))
    return tuple(options)


def file_stats_of(rows: Iterable[Sequence[Any]]) -> tuple[FileColumnStats, ...]:
    """Statistics of files from their rows."""
    found = []
    for file, column, size, values, nulls, least, greatest, nan, extra in rows:
        stats = FileColumnStats(
            file, column, size, values, nulls, least, greatest, _flag(nan), extra
        )
        found.append(stats)
    return tuple(found)


def table_stats_of(rows: Sequence[Sequence[Any]]) -> TableStats | None:
    """Statistics of a table from one row per column, or nothing."""
    if not rows:
        return None
    columns = []
    for _, _, _, column, null, nan, least, greatest, extra in rows:
        if column is not None:
            stats = TableColumnStatistics(column, _flag(null), _flag(nan), least, greatest, extra)
            columns.append(stats)
    record_count, next_row_id, size = rows[0][:3]
    return TableStats(record_count, next_row_id, size, tuple(columns))


def _flag(value: Any) -> bool | None:
    return None if value is None else bool(value)

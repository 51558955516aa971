"""Every type a catalog can keep inlined, with values at the edges of what it holds."""

from __future__ import annotations

from itertools import count
from typing import Any, Final

import pyarrow as pa

from quacklake.format import casting
from quacklake.format.arrow import arrow_type
from quacklake.format.sqltypes import literal, quoted, sql_type
from quacklake.format.types import Column, Decimal, Kind, LakeType, List, Map, Scalar, Struct
from quacklake.kernel.ids import ColumnId

_EPOCHS: Final = ("1970-01-01 00:00:00", "1969-12-31 23:59:59", "0044-03-15 (BC) 01:02:03")
_INFINITE: Final = ("infinity", "-infinity")
WORDS: Final = (
    "",
    " ",
    "NULL",
    "null",
    "it's",
    "back\\slash",
    "\\'",
    "''",
    '"quoted"',
    "a,b;c=d:e",
    "{x} [y] (z)",
    "  padded  ",
    "line\nbreak\r\ttab",
    "ä日本🦆",
    "%s :p ? $1",
    "z" * 5000,
)

SCALARS: Final[dict[Kind, tuple[str, ...]]] = {
    Kind.BOOLEAN: ("true", "false"),
    Kind.INT8: ("-128", "127"),
    Kind.INT16: ("-32768", "32767"),
    Kind.INT32: ("-2147483648", "2147483647"),
    Kind.INT64: ("-9223372036854775808", "9223372036854775807"),
    Kind.INT128: ("-" + "9" * 38, "9" * 38, "0"),
    Kind.UINT8: ("0", "255"),
    Kind.UINT16: ("0", "65535"),
    Kind.UINT32: ("0", "4294967295"),
    Kind.UINT64: ("0", "18446744073709551615"),
    Kind.UINT128: ("0", "340282366920938463463374607431768211455"),
    Kind.FLOAT32: ("nan", "inf", "-inf", "-0.0", "0.1", "3.4028235e38", "1e-45"),
    Kind.FLOAT64: ("nan", "inf", "-inf", "-0.0", "0.1", "1.7976931348623157e308", "5e-324"),
    Kind.TIME: ("00:00:00", "12:34:56.5", "23:59:59.999999", "24:00:00"),
    Kind.TIME_NS: ("00:00:00", "23:59:59.999999999"),
    Kind.TIMETZ: ("12:00:00+00", "12:00:00+05:30", "23:59:59.999999-15:59:59"),
    Kind.DATE: ("1970-01-01", "0044-03-15 (BC)", "5881580-07-10", "9999-12-31", *_INFINITE),
    Kind.TIMESTAMP: (*_EPOCHS, *_INFINITE, "294247-01-10 04:00:54.775806", "2020-01-02 03:04:05.6"),
    Kind.TIMESTAMP_S: (*_EPOCHS, *_INFINITE, "294247-01-10 04:00:54"),
    Kind.TIMESTAMP_MS: (*_EPOCHS, *_INFINITE, "2020-01-02 03:04:05.678"),
    Kind.TIMESTAMP_NS: ("1677-09-22 00:00:00", "2262-04-11 23:47:16.854775806", *_INFINITE),
    Kind.TIMESTAMPTZ: (
        *(f"{text}+00" for text in _EPOCHS),
        *_INFINITE,
        "2020-06-01 00:30:00+05:30",
    ),
    Kind.INTERVAL: (
        "0 seconds",
        "1 year 2 months 3 days 04:05:06.789",
        "-1 year 5 days -00:00:00.000001",
        "178956970 years 7 months",
        "2147483647 days 2562047:47:16.854775",
        "-2147483647 days -2562047:47:16.854775",
    ),
    Kind.VARCHAR: WORDS,
    Kind.BLOB: ("", "\\x00\\xFF", "\\x27\\x5C", "abc"),
    Kind.UUID: ("00000000-0000-0000-0000-000000000000", "f79c3e09-677c-4bbd-a479-3f349cb785e7"),
    Kind.JSON: ("{}", "null", '[1,  {"a": null}]', '{"k": "ü\'\\\\"}', "1.50"),
}
DECIMALS: Final[dict[Decimal, tuple[str, ...]]] = {
    Decimal(4, 2): ("-99.99", "99.99", "0"),
    Decimal(9, 0): ("-999999999", "999999999"),
    Decimal(18, 4): ("-99999999999999.9999", "0.0001"),
    Decimal(38, 10): ("-" + "9" * 28 + "." + "9" * 10, "9" * 28 + "." + "9" * 10),
}
_ids = count(1000)


def field(name: str, lake_type: LakeType) -> Column:
    """A nested field with an id of its own."""
    return Column(ColumnId(next(_ids)), name, lake_type)


def numbered(columns: list[Column]) -> tuple[Column, ...]:
    """The columns with ids given in preorder, as the format wants them."""
    numbers = count(1)
    return tuple(_numbered(column, numbers) for column in columns)


def _numbered(column: Column, numbers: Any) -> Column:
    own = ColumnId(next(numbers))
    match column.type:
        case List(element):
            return Column(own, column.name, List(_numbered(element, numbers)))
        case Struct(fields):
            inner = tuple(_numbered(each, numbers) for each in fields)
            return Column(own, column.name, Struct(inner))
        case Map(key, value):
            return Column(own, column.name, Map(_numbered(key, numbers), _numbered(value, numbers)))
        case _:
            return Column(own, column.name, column.type)


def column(name: str, lake_type: LakeType) -> Column:
    """A column on its own, with ids from one."""
    return numbered([field(name, lake_type)])[0]


def expressions(lake_type: LakeType) -> list[str]:
    """SQL for values of a type, NULL last."""
    match lake_type:
        case Scalar(kind):
            return _leaves(SCALARS[kind], lake_type)
        case Decimal():
            return _leaves(DECIMALS[lake_type], lake_type)
        case List(element):
            inner = expressions(element.type)
            return [*(f"[{each}, NULL]" for each in inner), f"[{', '.join(inner)}]", "[]", "NULL"]
        case Struct(fields):
            return _structs(fields)
        case Map(key, value):
            return _maps(key.type, value.type)


def _leaves(texts: tuple[str, ...], lake_type: LakeType) -> list[str]:
    return [*(f"CAST({literal(text)} AS {sql_type(lake_type)})" for text in texts), "NULL"]


def _structs(fields: tuple[Column, ...]) -> list[str]:
    values = [expressions(each.type) for each in fields]
    longest = max(map(len, values))
    rows = []
    for i in range(longest):
        parts = (
            f"{literal(each.name)}: {own[i % len(own)]}"
            for each, own in zip(fields, values, strict=True)
        )
        rows.append("{" + ", ".join(parts) + "}")
    return [*rows, "NULL"]


def _maps(key: LakeType, value: LakeType) -> list[str]:
    keys, values = expressions(key)[:-1], expressions(value)
    pairs = [f"{k}: {values[i % len(values)]}" for i, k in enumerate(keys)]
    return ["MAP {" + ", ".join(pairs) + "}", "MAP {" + pairs[0] + "}", "MAP {}", "NULL"]


def rows_of(columns: tuple[Column, ...]) -> pa.Table:
    """As many rows as it takes to see every value of every column, in the types of results."""
    values = [expressions(column.type) for column in columns]
    longest = max(map(len, values))
    arrays = []
    for each, own in zip(columns, values, strict=True):
        spelled = sql_type(each.type)
        cells = ", ".join(f"(CAST({own[i % len(own)]} AS {spelled}))" for i in range(longest))
        sql = f"SELECT {casting.carried('c', each.type)} AS c FROM (VALUES {cells}) AS v(c)"
        found = casting.session().sql(sql).to_arrow_table().column("c")
        arrays.append(casting.in_type(found, arrow_type(each.type)))
    return pa.table(arrays, names=[each.name for each in columns])


def texts_of(rows: pa.Table, columns: tuple[Column, ...]) -> list[tuple[Any, ...]]:
    """The rows as DuckDB prints them, which tells all values apart."""
    shown = [
        f"CAST({casting.restored(f'c{i}', each.type)} AS VARCHAR)" for i, each in enumerate(columns)
    ]
    renamed = rows.rename_columns([f"c{i}" for i in range(len(columns))])
    return casting.session().from_arrow(renamed).project(", ".join(shown)).fetchall()


def shown(columns: tuple[Column, ...]) -> str:
    """SQL that prints the same of a table that has `columns`."""
    return ", ".join(f"CAST({quoted(each.name)} AS VARCHAR)" for each in columns)

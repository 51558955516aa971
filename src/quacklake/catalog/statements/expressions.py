"""SQL that each database spells in its own way."""

from __future__ import annotations

from enum import Enum
from typing import Any

from sqlalchemy import BigInteger, Numeric, Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import ColumnElement
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ColumnClause
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.visitors import InternalTraversal

INSTANT_FUNCTION = "quacklake_micros"
"""The function a SQLite connection is given to read its textual timestamps."""


class Micros(FunctionElement[int]):
    """A timestamp as microseconds since 1970 in UTC."""

    type = BigInteger()
    inherit_cache = True
    name = "micros"

    def __init__(self, instant: ColumnElement[Any] | ColumnClause[Any]) -> None:
        super().__init__(instant)


@compiles(Micros, "duckdb")
def _duckdb(element: Micros, compiler: SQLCompiler, **kw: Any) -> str:
    return f"epoch_us({compiler.process(element.clauses, **kw)})"


@compiles(Micros, "sqlite")
def _sqlite(element: Micros, compiler: SQLCompiler, **kw: Any) -> str:
    return f"{INSTANT_FUNCTION}({compiler.process(element.clauses, **kw)})"


@compiles(Micros, "postgresql")
def _postgresql(element: Micros, compiler: SQLCompiler, **kw: Any) -> str:
    inner = compiler.process(element.clauses, **kw)
    return f"CAST(EXTRACT(EPOCH FROM {inner}) * 1000000 AS BIGINT)"


@compiles(Micros, "mysql")
def _mysql(element: Micros, compiler: SQLCompiler, **kw: Any) -> str:
    inner = compiler.process(element.clauses, **kw)
    return f"TIMESTAMPDIFF(MICROSECOND, '1970-01-01', {inner})"


class IntervalText(FunctionElement[str]):
    """An interval of PostgreSQL as months, days and microseconds, which no setting changes."""

    type = Text()
    inherit_cache = True
    name = "interval_text"


@compiles(IntervalText)
def _interval_text(element: IntervalText, compiler: SQLCompiler, **kw: Any) -> str:
    value = compiler.process(element.clauses, **kw)
    months = f"(EXTRACT(YEAR FROM {value}) * 12 + EXTRACT(MONTH FROM {value}))::bigint"
    days = f"EXTRACT(DAY FROM {value})::bigint"
    micros = (
        f"(EXTRACT(HOUR FROM {value}) * 3600000000 + EXTRACT(MINUTE FROM {value}) * 60000000"
        f" + EXTRACT(MICROSECONDS FROM {value}))::bigint"
    )
    return f"({months} || ' months ' || {days} || ' days ' || {micros} || ' microseconds')"


class Bytewise(FunctionElement[str]):
    """Text that compares by its bytes, whatever collation the database has."""

    type = Text()
    inherit_cache = True
    name = "bytewise"


@compiles(Bytewise)
def _bytewise(element: Bytewise, compiler: SQLCompiler, **kw: Any) -> str:
    return compiler.process(element.clauses, **kw)


@compiles(Bytewise, "postgresql")
def _bytewise_postgresql(element: Bytewise, compiler: SQLCompiler, **kw: Any) -> str:
    return f'({compiler.process(element.clauses, **kw)}) COLLATE "C"'


@compiles(Bytewise, "mysql")
def _bytewise_mysql(element: Bytewise, compiler: SQLCompiler, **kw: Any) -> str:
    return f"CAST({compiler.process(element.clauses, **kw)} AS BINARY)"


class NumberKind(Enum):
    """What a text must look like to be read as a number."""

    WHOLE = r"^-?[0-9]{1,38}$"
    FRACTION = r"^-?[0-9]{1,38}([.][0-9]{1,38})?$"
    FLOAT = r"^-?[0-9]{1,40}([.][0-9]{1,40})?([eE][+-]?[0-9]{1,3})?$"


class NumberOf(FunctionElement[Any]):
    """A text as a number, NULL where it is none; never an error."""

    inherit_cache = True
    name = "number_of"
    type = Numeric()
    # What the cached form of a statement depends on, said the way SQLAlchemy asks for it.
    _traverse_internals = [  # noqa: RUF012
        *FunctionElement._traverse_internals,  # noqa: SLF001
        ("kind", InternalTraversal.dp_plain_obj),
        ("scale", InternalTraversal.dp_plain_obj),
    ]

    def __init__(self, text: ColumnElement[str], kind: NumberKind, scale: int = 0) -> None:
        super().__init__(text)
        self.kind = kind
        self.scale = scale


@compiles(NumberOf, "duckdb")
def _number_duckdb(element: NumberOf, compiler: SQLCompiler, **kw: Any) -> str:
    text = compiler.process(element.clauses, **kw)
    match element.kind:
        case NumberKind.WHOLE:
            return f"TRY_CAST({text} AS HUGEINT)"
        case NumberKind.FRACTION:
            return f"TRY_CAST({text} AS DECIMAL(38,{element.scale}))"
        case NumberKind.FLOAT:
            # NaN is no bound: it would stand above everything.
            return f"TRY_CAST(NULLIF(lower({text}), 'nan') AS DOUBLE)"


@compiles(NumberOf, "postgresql")
def _number_postgresql(element: NumberOf, compiler: SQLCompiler, **kw: Any) -> str:
    text = compiler.process(element.clauses, **kw)
    return f"CASE WHEN {text} ~ '{element.kind.value}' THEN CAST({text} AS NUMERIC) END"


@compiles(NumberOf, "mysql")
def _number_mysql(element: NumberOf, compiler: SQLCompiler, **kw: Any) -> str:
    text = compiler.process(element.clauses, **kw)
    target = "DOUBLE" if element.kind is NumberKind.FLOAT else f"DECIMAL(65,{element.scale})"
    return f"CASE WHEN {text} REGEXP '{element.kind.value}' THEN CAST({text} AS {target}) END"


@compiles(NumberOf, "sqlite")
def _number_sqlite(element: NumberOf, compiler: SQLCompiler, **kw: Any) -> str:
    text = compiler.process(element.clauses, **kw)
    if element.kind is NumberKind.WHOLE:
        looks = f"{text} GLOB '[0-9-]*' AND substr({text}, 2) NOT GLOB '*[^0-9]*'"
        return f"CASE WHEN {looks} AND {text} GLOB '*[0-9]' THEN CAST({text} AS INTEGER) END"
    looks = f"{text} GLOB '[0-9-]*[0-9]' OR {text} GLOB '[0-9]'"
    return (
        f"CASE WHEN ({looks}) AND substr({text}, 2) NOT GLOB '*[^0-9.eE+-]*' "
        f"THEN CAST({text} AS REAL) END"
    )

"""SQL that each database spells in its own way."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import ColumnElement
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ColumnClause
from sqlalchemy.sql.functions import FunctionElement

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

"""Predicates of a scan as Spark conditions: they prune row groups and decide rows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from functools import reduce
from typing import Final

from pyspark.sql import Column as SparkColumn
from pyspark.sql import functions as f

from quacklake.engine.spark.carriers import spark_type
from quacklake.format.predicate import (
    ANYTHING,
    AllOf,
    AnyOf,
    Compare,
    Comparison,
    Constant,
    IsNotNull,
    IsNull,
    OneOf,
    Predicate,
    all_of,
    any_of,
)
from quacklake.format.types import FLOATS, Column, Decimal, Kind, Scalar

_COMPARABLE: Final = frozenset(
    {
        Kind.BOOLEAN,
        Kind.INT8,
        Kind.INT16,
        Kind.INT32,
        Kind.INT64,
        Kind.UINT8,
        Kind.UINT16,
        Kind.UINT32,
        Kind.FLOAT32,
        Kind.FLOAT64,
        Kind.DATE,
        Kind.TIMESTAMP,
        Kind.TIMESTAMPTZ,
        Kind.VARCHAR,
    }
)
"""Kinds that Spark compares as DuckDB does, with constants of Python's own types."""

_FEW_VALUES: Final = 10
"""Longer lists than this reach Spark's Parquet reader as their bounds anyway."""


def condition(predicate: Predicate) -> SparkColumn | None:
    """The condition that a row satisfies exactly if `predicate` holds; None if Spark has none."""
    match predicate:
        case AllOf(()):
            return f.lit(True)
        case AnyOf(()):
            return f.lit(False)
        case AllOf(parts):
            return _joined([condition(part) for part in parts], SparkColumn.__and__)
        case AnyOf(parts):
            return _joined([condition(part) for part in parts], SparkColumn.__or__)
        case IsNull(column):
            return named(column.name).isNull()
        case IsNotNull(column):
            return named(column.name).isNotNull()
        case Compare(column, op, value):
            return _compared(column, op, value) if comparable(column) else None
        case OneOf(column, values):
            if not comparable(column):
                return None
            return named(column.name).isin([_literal(value, column) for value in values])


def necessary(predicate: Predicate) -> SparkColumn | None:
    """What Spark can say of `predicate`: every row that satisfies it passes."""
    if isinstance(predicate, AllOf):
        parts = [part for each in predicate.parts if (part := condition(each)) is not None]
        return reduce(SparkColumn.__and__, parts) if parts else None
    return condition(predicate)


def roughly(predicate: Predicate) -> Predicate:
    """What follows from `predicate`, without its long lists: each value of one costs a call."""
    match predicate:
        case AllOf(parts):
            return all_of(*map(roughly, parts))
        case AnyOf(parts):
            return any_of(*map(roughly, parts))
        case OneOf(column, values) if len(values) > _FEW_VALUES:
            if isinstance(column.type, Scalar) and column.type.kind in FLOATS:
                return ANYTHING
            least, greatest = min(values), max(values)
            at_least = Compare(column, Comparison.GE, least)
            return all_of(at_least, Compare(column, Comparison.LE, greatest))
        case _:
            return predicate


def named(name: str) -> SparkColumn:
    """A column by its name, whatever characters it has."""
    return f.col("`" + name.replace("`", "``") + "`")


def _joined(
    parts: list[SparkColumn | None], join: Callable[[SparkColumn, SparkColumn], SparkColumn]
) -> SparkColumn | None:
    known = [part for part in parts if part is not None]
    return reduce(join, known) if len(known) == len(parts) else None


def comparable(column: Column) -> bool:
    """Whether Spark orders the values of a column as DuckDB does."""
    if isinstance(column.type, Decimal):
        return True
    return isinstance(column.type, Scalar) and column.type.kind in _COMPARABLE


def _compared(column: Column, op: Comparison, value: Constant) -> SparkColumn:
    left, right = named(column.name), _literal(value, column)
    match op:
        case Comparison.EQ:
            return left == right
        case Comparison.NE:
            return left != right
        case Comparison.LT:
            return left < right
        case Comparison.LE:
            return left <= right
        case Comparison.GT:
            return left > right
        case Comparison.GE:
            return left >= right


def _literal(value: Constant, column: Column) -> SparkColumn:
    """A constant in the column's own type, so that it is compared with files' statistics."""
    # A datetime would be shifted by the time zone of this machine on its way; text is not.
    plain = value.isoformat() if isinstance(value, date | datetime) else value
    return f.lit(plain).cast(spark_type(column.type))

"""What is asked of a table, in the words of every contender."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

import polars as pl
import pyarrow.compute as pc

Value: TypeAlias = int | date


@dataclass(frozen=True, slots=True)
class Between:
    """A column lies between two values, both included; equal ones make a lookup."""

    column: str
    low: Value
    high: Value

    def sql(self) -> str:
        """The condition for DuckDB and for us."""
        if self.low == self.high:
            return f"{self.column} = {_literal(self.low)}"
        return f"{self.column} BETWEEN {_literal(self.low)} AND {_literal(self.high)}"

    def arrow(self) -> pc.Expression:
        """The condition for pyarrow."""
        column = pc.field(self.column)
        return (column >= self.low) & (column <= self.high)

    def polars(self) -> pl.Expr:
        """The condition for the clients that stand on Polars."""
        return pl.col(self.column).is_between(self.low, self.high)


@dataclass(frozen=True, slots=True)
class Query:
    """Some columns, or all, of the rows of a table that satisfy a condition, or of all."""

    table: str
    columns: tuple[str, ...] | None = None
    where: Between | None = None

    def sql(self, lake: str) -> str:
        """The query for DuckDB, with the lake attached under this name."""
        columns = ", ".join(self.columns or "*")
        condition = f" WHERE {self.where.sql()}" if self.where else ""
        return f"SELECT {columns} FROM {lake}.{self.table}{condition}"

    def on(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """The query over a lazy frame of the whole table."""
        if self.where:
            frame = frame.filter(self.where.polars())
        return frame.select(self.columns) if self.columns else frame


def _literal(value: Value) -> str:
    return f"DATE '{value}'" if isinstance(value, date) else str(value)

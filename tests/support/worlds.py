"""What a history being drawn knows of its lake: enough to propose steps that make sense."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from hypothesis import strategies as st

from quacklake.format.sqltypes import literal, quoted
from tests.support.histories import LAKE
from tests.support.leaf_values import Strategy
from tests.support.shapes import Leaf, Shape, has_struct, literals, present, sql_of

NAMES: Final = st.sampled_from(
    [
        "a",
        "b",
        "c",
        "d",
        "id",
        "Name",
        "UPPER",
        "two words",
        "dot.ted",
        'qu"ote',
        "it's",
        "select",
        "größe",
        "日本",
        "year",
        "percent%",
        "n" * 70,
    ]
)
FIELDS: Final = st.sampled_from(["a", "b", "x", "Y", "two words", "größe", "k.v", "element"])


@dataclass(slots=True)
class ColumnDrawn:
    """A column as the drawn history believes it to be."""

    name: str
    shape: Shape
    required: bool = False
    partitioned: bool = False
    sorted: bool = False

    @property
    def sql(self) -> str:
        """The column's name in SQL."""
        return quoted(self.name)


@dataclass(slots=True)
class TableDrawn:
    """A table as the drawn history believes it to be."""

    schema: str
    name: str
    columns: list[ColumnDrawn]

    @property
    def sql(self) -> str:
        """The table's full name in SQL."""
        return f"{LAKE}.{quoted(self.schema)}.{quoted(self.name)}"

    @property
    def arguments(self) -> tuple[str, str]:
        """Table and schema, as maintenance procedures take them."""
        return literal(self.name), f"schema => {literal(self.schema)}"

    def leaves(self, *, without: frozenset[str] = frozenset()) -> list[ColumnDrawn]:
        """Columns that are not nested, whose type is not in `without`."""
        return [
            column
            for column in self.columns
            if isinstance(column.shape, Leaf) and column.shape.sql not in without
        ]


@dataclass(slots=True)
class World:
    """The lake so far; `text_inlined` where the catalog stores nested inlined values as text."""

    text_inlined: bool
    encrypted: bool
    schemas: list[str] = field(default_factory=lambda: ["main"])
    tables: list[TableDrawn] = field(default_factory=list)
    views: list[str] = field(default_factory=list)
    numbers: int = 0

    def number(self) -> int:
        """A number not given before."""
        self.numbers += 1
        return self.numbers

    def values(self, column: ColumnDrawn) -> Strategy:
        """Expressions that may be stored in `column`."""
        # DuckDB itself loses quotes and backslashes of strings in structs inlined as text.
        plain = self.text_inlined and has_struct(column.shape)
        if column.required:
            return present(column.shape, plain=plain)
        return literals(column.shape, plain=plain)


def unused(names: Strategy, taken: list[str]) -> Strategy:
    """A name that collides with none of `taken`, without regard to case."""
    folded = {name.casefold() for name in taken}
    return names.filter(lambda name: name.casefold() not in folded)


def cast(expression: str, column: ColumnDrawn) -> str:
    """`expression` in the type of `column`."""
    return f"CAST({expression} AS {sql_of(column.shape)})"

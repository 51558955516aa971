"""A filter written as a pyarrow expression: its columns, and what statistics can say about it.

An expression is opaque, but it pickles as an Arrow batch: literals are columns, and the tree
is the list of metadata entries in preorder. A tree of another shape only means that nothing
is known, so all columns are read and nothing is pruned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal as Number
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc

from quacklake.format.predicate import (
    Compare,
    Comparison,
    Constant,
    IsNotNull,
    IsNull,
    OneOf,
    all_of,
    any_of,
)
from quacklake.format.table import Table
from quacklake.format.types import FLOATS, INTEGERS, Column, Decimal, Kind, Scalar
from quacklake.scan.sqlfilter import UNKNOWN, Meaning

_ENTRY = re.compile(r"(field_ref|nested_field_ref|literal|call|options|end): '([^']*)'")
_OPERATORS = {
    "equal": Comparison.EQ,
    "not_equal": Comparison.NE,
    "less": Comparison.LT,
    "less_equal": Comparison.LE,
    "greater": Comparison.GT,
    "greater_equal": Comparison.GE,
}


@dataclass(frozen=True, slots=True)
class Field:
    """A reference to a top-level column."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function applied to arguments, with its options."""

    function: str
    arguments: tuple[Node, ...]
    options: pa.Scalar | None


Node: TypeAlias = Field | Call | pa.Scalar


class _UnknownShape(Exception):
    """The serialised form is not the one understood here."""


def tree_of(expression: pc.Expression) -> Node | None:
    """The expression as a tree of plain values, or None if it has another shape."""
    try:
        return _tree(expression)
    except _UnknownShape:
        return None


def _tree(expression: pc.Expression) -> Node:
    try:
        buffer = expression.__reduce__()[1][0]
        reader = pa.ipc.open_file(buffer)
        literals = reader.get_batch(0)
        shown = reader.schema.to_string(
            truncate_metadata=False, show_field_metadata=False, show_schema_metadata=True
        )
    except (AttributeError, IndexError, TypeError, pa.ArrowException) as error:
        raise _UnknownShape from error
    _, found, listing = shown.partition("-- schema metadata --\n")
    entries = [_ENTRY.fullmatch(line) for line in listing.splitlines()]
    if not found or not all(entries):
        raise _UnknownShape
    tokens = iter([(entry[1], entry[2]) for entry in entries if entry])
    node = _node(tokens, literals)
    if not isinstance(node, tuple) and next(tokens, None) is None:
        return node
    raise _UnknownShape


def _node(tokens: Iterator[tuple[str, str]], literals: pa.RecordBatch) -> Node | tuple[str, str]:
    kind, value = next(tokens, ("", ""))
    if kind == "field_ref":
        return Field(value)
    if kind == "literal":
        return literals.column(int(value))[0]
    if kind != "call":
        return kind, value
    arguments: list[Node] = []
    options: pa.Scalar | None = None
    while True:
        inner = _node(tokens, literals)
        if not isinstance(inner, tuple):
            arguments.append(inner)
        elif inner[0] == "options":
            options = literals.column(int(inner[1]))[0]
        elif inner == ("end", value):
            return Call(value, tuple(arguments), options)
        else:
            raise _UnknownShape


def fields_of(node: Node) -> set[str]:
    """The names of the columns an expression reads."""
    match node:
        case Field(name):
            return {name}
        case Call(_, arguments, _):
            return set().union(*(fields_of(argument) for argument in arguments))
        case _:
            return set()


def meaning_of(node: Node, table: Table) -> Meaning:
    """What is known of rows for which `node` is true."""
    match node:
        case Call("and_kleene" | "and", (left, right), _):
            both = meaning_of(left, table), meaning_of(right, table)
            exact = both[0].exact and both[1].exact
            return Meaning(all_of(both[0].predicate, both[1].predicate), exact=exact)
        case Call("or_kleene", (left, right), _):
            both = meaning_of(left, table), meaning_of(right, table)
            exact = both[0].exact and both[1].exact
            return Meaning(any_of(both[0].predicate, both[1].predicate), exact=exact)
        case Call("is_null", (Field(name),), _):
            return _null_test(table.column(name), node)
        case Call("is_valid", (Field(name),), _):
            return Meaning(IsNotNull(table.column(name)), exact=True)
        case Call("is_in", (Field(name),), pa.StructScalar() as options):
            return _membership(table.column(name), options)
        case Call(function, (Field(name), pa.Scalar() as value), _) if function in _OPERATORS:
            return _comparison(table.column(name), _OPERATORS[function], value)
        case Call(function, (pa.Scalar() as value, Field(name)), _) if function in _OPERATORS:
            op = _OPERATORS[function]
            return _comparison(table.column(name), op.flipped, value)
        case _:
            return UNKNOWN


def _null_test(column: Column, node: Call) -> Meaning:
    nan_is_null = node.options is not None and node.options.as_py().get("nan_is_null")
    return UNKNOWN if nan_is_null else Meaning(IsNull(column), exact=True)


def _comparison(column: Column, op: Comparison, scalar: pa.Scalar) -> Meaning:
    value = _constant(scalar, column)
    return UNKNOWN if value is None else Meaning(Compare(column, op, value), exact=True)


def _membership(column: Column, options: pa.StructScalar) -> Meaning:
    members = options.get("value_set") if "value_set" in options else None
    if members is None or members.values is None or members.values.null_count:
        return UNKNOWN
    values = [_constant(member, column) for member in members.values]
    if any(value is None for value in values):
        return UNKNOWN
    return Meaning(OneOf(column, tuple(v for v in values if v is not None)), exact=True)


def _constant(scalar: pa.Scalar, column: Column) -> Constant | None:
    """The literal as a value of the column's type, when comparing converts neither side."""
    if not scalar.is_valid:
        return None
    match column.type:
        case Scalar(kind) if kind in INTEGERS:
            return scalar.as_py() if pa.types.is_integer(scalar.type) else None
        case Scalar(Kind.FLOAT64):
            exact = pa.types.is_floating(scalar.type) or pa.types.is_integer(scalar.type)
            value = float(scalar.as_py()) if exact else float("nan")
            return value if value - value == 0 else None
        case Decimal():
            value = scalar.as_py()
            return value if isinstance(value, int | Number) else None
        case Scalar(kind) if kind not in FLOATS:
            return _same_kind(scalar, kind)
        case _:
            return None


def _same_kind(scalar: pa.Scalar, kind: Kind) -> Constant | None:
    expected: dict[Kind, type] = {
        Kind.BOOLEAN: bool,
        Kind.VARCHAR: str,
        Kind.DATE: date,
        Kind.TIME: time,
        Kind.TIMESTAMP: datetime,
        Kind.TIMESTAMP_S: datetime,
        Kind.TIMESTAMP_MS: datetime,
        Kind.TIMESTAMPTZ: datetime,
    }
    try:
        value = scalar.as_py()
    except (ValueError, OverflowError):
        return None
    if kind not in expected or type(value) is not expected[kind]:
        return None
    if isinstance(value, datetime):
        zoned = kind is Kind.TIMESTAMPTZ
        if zoned != (value.tzinfo is not None):
            return None
        return value.astimezone(UTC) if zoned else value
    return value if isinstance(value, bool | str | date | time) else None

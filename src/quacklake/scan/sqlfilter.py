"""A filter written in SQL: which columns it reads, and what statistics can say about it.

Law: the predicate holds for every row for which the filter is true. Three-valued logic: a
negation is pushed down as "is false", which NULL never satisfies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from quacklake.format.predicate import (
    ANYTHING,
    NOTHING,
    Compare,
    Comparison,
    IsNotNull,
    IsNull,
    OneOf,
    Predicate,
    all_of,
    any_of,
)
from quacklake.format.table import Table
from quacklake.format.types import Column, Kind, Scalar, Struct
from quacklake.kernel.errors import UsageError
from quacklake.scan.literals import constant_for

_OPERATORS: dict[type[exp.Expr], Comparison] = {
    exp.EQ: Comparison.EQ,
    exp.NEQ: Comparison.NE,
    exp.LT: Comparison.LT,
    exp.LTE: Comparison.LE,
    exp.GT: Comparison.GT,
    exp.GTE: Comparison.GE,
}
_NOT_A_ROW_FUNCTION = (exp.Query, exp.Subquery, exp.AggFunc, exp.Window, exp.Star, exp.Placeholder)
_SIMPLE: tuple[type[exp.Expr], ...] = (
    exp.Column,
    exp.Identifier,
    exp.Literal,
    exp.Boolean,
    exp.Null,
    exp.Paren,
    exp.And,
    exp.Or,
    exp.Not,
    exp.Is,
    exp.In,
    exp.Between,
    exp.Neg,
    exp.Add,
    exp.Sub,
    exp.Mul,
    exp.Div,
    exp.IntDiv,
    exp.Mod,
    *_OPERATORS,
)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a condition implies; `exact` when the implication goes both ways."""

    predicate: Predicate
    exact: bool


UNKNOWN = Meaning(ANYTHING, exact=False)


def parsed_condition(text: str) -> exp.Expr:
    """The tree of one SQL condition over the columns of one row."""
    try:
        trees = sqlglot.parse(text, dialect="duckdb")
    except SqlglotError as error:
        raise UsageError(
            f"the filter is not valid SQL: {_first_problem(error)}",
            hint="write a condition such as \"id >= 10 and name = 'x'\"",
        ) from error
    tree = trees[0] if len(trees) == 1 else None
    if tree is None or not isinstance(tree, exp.Condition):
        raise UsageError("the filter is not one SQL condition", hint="write it without WHERE or ;")
    for node in tree.walk():
        if isinstance(node, _NOT_A_ROW_FUNCTION):
            raise UsageError(
                f"the filter may not contain {node.key}", hint="use lake.sql for whole queries"
            )
    return tree


def _first_problem(error: SqlglotError) -> str:
    """Where it went wrong; the parser's own words name its classes."""
    details = getattr(error, "errors", None)
    place = details[0].get("col") if details else None
    return f"syntax error at character {place}" if place else "syntax error"


def is_simple(tree: exp.Expr) -> bool:
    """Whether a condition has operators only: no function, no cast, nothing from elsewhere."""
    return all(isinstance(node, _SIMPLE) for node in tree.walk())


def referenced_columns(tree: exp.Expr, table: Table) -> tuple[Column, ...]:
    """The top-level columns that a condition reads, in the table's order."""
    wanted = {resolved_path(node, table)[0].id for node in tree.find_all(exp.Column)}
    return tuple(column for column in table.columns if column.id in wanted)


def resolved_path(node: exp.Column, table: Table) -> tuple[Column, ...]:
    """The column a reference names, and the nested fields that follow it."""
    names = [part.name for part in node.parts]
    own = (table.name.table.casefold(), table.name.schema.casefold())
    known = {column.name.casefold() for column in table.columns}
    while len(names) > 1 and names[0].casefold() not in known and names[0].casefold() in own:
        names.pop(0)
    path = [table.column(names[0])]
    for name in names[1:]:
        fields = path[-1].type.fields if isinstance(path[-1].type, Struct) else ()
        below = [field for field in fields if field.name.casefold() == name.casefold()]
        if not below:
            break
        path.append(below[0])
    return tuple(path)


def meaning_of(node: exp.Expr, table: Table) -> Meaning:
    """What is known of rows for which `node` is true."""
    match node:
        case exp.Paren():
            return meaning_of(node.this, table)
        case exp.And():
            return _all(meaning_of(part, table) for part in (node.left, node.right))
        case exp.Or():
            return _any(meaning_of(part, table) for part in (node.left, node.right))
        case exp.Not():
            return falsehood_of(node.this, table)
        case exp.Boolean():
            return Meaning(ANYTHING if node.this else NOTHING, exact=True)
        case exp.Null():
            return Meaning(NOTHING, exact=True)
        case _:
            return _meaning_of_test(node, table)


def _meaning_of_test(node: exp.Expr, table: Table) -> Meaning:
    match node:
        case exp.Between():
            low = _comparison(node.this, Comparison.GE, node.args["low"], table)
            return _all((low, _comparison(node.this, Comparison.LE, node.args["high"], table)))
        case exp.In():
            return _membership(node, table)
        case exp.Is():
            return _null_test(node, table)
        case exp.Column():
            return _boolean_column(node, table, wanted=True)
        case exp.Like() | exp.StartsWith():
            return _prefix(node, table)
        case exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE():
            return _comparison(node.left, _OPERATORS[type(node)], node.right, table)
        case _:
            return UNKNOWN


def falsehood_of(node: exp.Expr, table: Table) -> Meaning:
    """What is known of rows for which `node` is false: not true, and not NULL."""
    match node:
        case exp.Paren():
            return falsehood_of(node.this, table)
        case exp.And():
            return _any(falsehood_of(part, table) for part in (node.left, node.right))
        case exp.Or():
            return _all(falsehood_of(part, table) for part in (node.left, node.right))
        case exp.Not():
            return meaning_of(node.this, table)
        case exp.Boolean():
            return Meaning(NOTHING if node.this else ANYTHING, exact=True)
        case exp.Column():
            return _boolean_column(node, table, wanted=False)
        case exp.Between():
            low = _comparison(node.this, Comparison.LT, node.args["low"], table)
            return _any((low, _comparison(node.this, Comparison.GT, node.args["high"], table)))
        case exp.Is(this=exp.Column() as column, expression=exp.Null()):
            found = _leaf(column, table)
            return Meaning(IsNotNull(found[0]), exact=found[1]) if found else UNKNOWN
        case exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE():
            return _comparison(node.left, _OPERATORS[type(node)].negated, node.right, table)
        case _:
            return UNKNOWN


def _all(parts: Iterator[Meaning] | tuple[Meaning, ...]) -> Meaning:
    known = tuple(parts)
    exact = all(part.exact for part in known)
    return Meaning(all_of(*(part.predicate for part in known)), exact=exact)


def _any(parts: Iterator[Meaning] | tuple[Meaning, ...]) -> Meaning:
    known = tuple(parts)
    exact = all(part.exact for part in known)
    return Meaning(any_of(*(part.predicate for part in known)), exact=exact)


def _leaf(node: exp.Expr, table: Table) -> tuple[Column, bool] | None:
    """The column whose values decide, and whether it stands at the top level."""
    if isinstance(node, exp.Paren):
        return _leaf(node.this, table)
    if not isinstance(node, exp.Column):
        return None
    path = resolved_path(node, table)
    named = len(node.parts)
    deep_enough = len(path) >= 1 and path[-1].name.casefold() == node.parts[-1].name.casefold()
    if not deep_enough or path[-1].children() or (len(path) == 1 and named > 3):  # noqa: PLR2004
        return None
    return path[-1], len(path) == 1


def _comparison(left: exp.Expr, op: Comparison, right: exp.Expr, table: Table) -> Meaning:
    found = _leaf(left, table)
    if found is None:
        found, op, right = _leaf(right, table), op.flipped, left
    if found is None:
        return UNKNOWN
    column, exact = found
    if isinstance(right, exp.Null):
        return Meaning(NOTHING, exact=True)
    value = constant_for(right, column)
    return UNKNOWN if value is None else Meaning(Compare(column, op, value), exact=exact)


def _membership(node: exp.In, table: Table) -> Meaning:
    found = _leaf(node.this, table)
    if found is None or not node.expressions:
        return UNKNOWN
    column, exact = found
    members = [item for item in node.expressions if not isinstance(item, exp.Null)]
    values = [constant_for(item, column) for item in members]
    if any(value is None for value in values):
        return UNKNOWN
    return Meaning(OneOf(column, tuple(v for v in values if v is not None)), exact=exact)


def _null_test(node: exp.Is, table: Table) -> Meaning:
    found = _leaf(node.this, table)
    if found is None or not isinstance(node.expression, exp.Null):
        return UNKNOWN
    column, top_level = found
    # A NULL struct makes its fields NULL, and statistics count those; masks look at the top only.
    return Meaning(IsNull(column), exact=True) if top_level else UNKNOWN


def _boolean_column(node: exp.Column, table: Table, *, wanted: bool) -> Meaning:
    found = _leaf(node, table)
    if found is None or found[0].type != Scalar(Kind.BOOLEAN):
        return UNKNOWN
    return Meaning(Compare(found[0], Comparison.EQ, wanted), exact=found[1])


def _prefix(node: exp.Expr, table: Table) -> Meaning:
    """`LIKE 'abc%'` bounds the text: it starts with what stands before the first wildcard."""
    found = _leaf(node.this, table)
    pattern = node.args.get("expression")
    is_text = isinstance(pattern, exp.Literal) and pattern.is_string and found is not None
    if found is None or not is_text or found[0].type != Scalar(Kind.VARCHAR):
        return UNKNOWN
    text = str(pattern.this) if pattern is not None else ""
    if isinstance(node, exp.Like):
        text = text[: min((text.find(c) for c in "%_" if c in text), default=len(text))]
    if not text:
        return Meaning(IsNotNull(found[0]), exact=False)
    low = Compare(found[0], Comparison.GE, text)
    last = ord(text[-1])
    if last >= 0xD7FF:  # noqa: PLR2004 - beyond here the next code point may not be encodable
        return Meaning(low, exact=False)
    high = Compare(found[0], Comparison.LT, text[:-1] + chr(last + 1))
    return Meaning(all_of(low, high), exact=False)

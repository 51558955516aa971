"""What a query itself says about the rows of a table, as a filter that prunes its files.

Only comparisons of a column with a constant are taken, from WHERE clauses alone. They reject
NULL, so that leaving out files without such rows changes nothing, below outer joins either.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from quacklake.format.table import Table
from quacklake.format.types import Decimal, Kind, Scalar

_COMPARISONS: Final = (exp.EQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_NUMBERS: Final = frozenset(
    {Kind.INT8, Kind.INT16, Kind.INT32, Kind.INT64, Kind.UINT8, Kind.UINT16, Kind.UINT32}
)
_TIMES: Final = frozenset({Kind.DATE, Kind.TIMESTAMP})


def pruning_filter(reference: exp.Table, table: Table) -> str | None:
    """A condition in DuckDB's words that holds for every row the query can use."""
    select = reference.parent_select
    if not isinstance(select, exp.Select) or select.args.get("where") is None:
        return None
    where = select.args["where"]
    alone = _reads_one(select)
    found = (_condition(part, reference, table, alone=alone) for part in _parts(where.this))
    return " AND ".join(f"({text})" for text in found if text) or None


def _parts(condition: exp.Expr) -> Iterator[exp.Expr]:
    """What must hold at once."""
    plain = condition.unnest()
    if isinstance(plain, exp.And):
        yield from _parts(plain.left)
        yield from _parts(plain.right)
    else:
        yield plain


def _reads_one(select: exp.Select) -> bool:
    return not select.args.get("joins") and not select.args.get("laterals")


def _condition(part: exp.Expr, reference: exp.Table, table: Table, *, alone: bool) -> str | None:
    plain = part.unnest()
    columns = list(plain.find_all(exp.Column))
    if len(columns) != 1 or not _belongs(columns[0], reference, alone=alone):
        return None
    if not isinstance(plain, (*_COMPARISONS, exp.Between, exp.In)) or plain.find(exp.Query):
        return None
    if not all(_is_plain(node) for node in plain.iter_expressions()):
        return None
    known = {column.name.casefold(): column for column in table.columns}
    column = known.get(columns[0].name.casefold())
    if column is None or not _agrees(column.type, list(plain.find_all(exp.Literal))):
        return None
    bare = plain.copy()
    for each in bare.find_all(exp.Column):
        each.replace(exp.column(exp.to_identifier(column.name, quoted=True)))
    return bare.sql("duckdb")


def _belongs(column: exp.Column, reference: exp.Table, *, alone: bool) -> bool:
    if column.args.get("db"):
        return False
    if column.table:
        return column.table.casefold() == reference.alias_or_name.casefold()
    return alone


def _is_plain(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column | exp.Literal) or (
        isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal)
    )


def _agrees(lake_type: object, literals: list[exp.Literal]) -> bool:
    """Whether both engines compare such a column with these constants in the same way."""
    texts = {literal.is_string for literal in literals}
    if isinstance(lake_type, Decimal) or lake_type in [Scalar(kind) for kind in _NUMBERS]:
        return texts == {False}
    if lake_type == Scalar(Kind.VARCHAR) or lake_type in [Scalar(kind) for kind in _TIMES]:
        return texts == {True}
    return False

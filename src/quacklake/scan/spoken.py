"""An Arrow expression in DuckDB's words, for conditions where the two disagree.

Arrow takes NaN for equal to nothing and the two zeros for different members of a set. DuckDB
hands such conditions over and does not check them again, so they must mean what it means.
"""

from __future__ import annotations

import math
from datetime import date, datetime, time
from decimal import Decimal as Number
from typing import Any, Final

import pyarrow as pa

from quacklake.format.sqltypes import literal, quoted
from quacklake.format.table import Table
from quacklake.format.types import FLOATS, Scalar
from quacklake.scan.arrowfilter import Call, Field, Node, fields_of

_COMPARED: Final = {
    "equal": "=",
    "not_equal": "<>",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}
_JOINED: Final = {"and_kleene": "AND", "and": "AND", "or_kleene": "OR", "or": "OR"}
_TESTED: Final = {"is_valid": "{} IS NOT NULL", "is_nan": "isnan({})", "invert": "NOT {}"}


class _Unspoken(Exception):
    """There are no words for a part of the expression."""


def reads_floats(node: Node, table: Table) -> bool:
    """Whether an expression is about a column on which Arrow and DuckDB disagree."""
    types = (table.column(name).type for name in fields_of(node))
    return any(isinstance(each, Scalar) and each.kind in FLOATS for each in types)


def spoken(node: Node) -> str | None:
    """The condition in SQL; None if a part of it has no words."""
    try:
        return _said(node)
    except _Unspoken:
        return None


def _said(node: Node) -> str:
    match node:
        case Field(name):
            return quoted(name)
        case Call(function, (left, right), _) if function in _COMPARED:
            return f"({_said(left)} {_COMPARED[function]} {_said(right)})"
        case Call(function, (left, right), _) if function in _JOINED:
            return f"({_said(left)} {_JOINED[function]} {_said(right)})"
        case Call(function, (inner,), _) if function in _TESTED:
            return f"({_TESTED[function].format(_said(inner))})"
        case Call("is_null", (inner,), options):
            if options is not None and options.as_py().get("nan_is_null"):
                raise _Unspoken
            return f"({_said(inner)} IS NULL)"
        case Call("is_in", (inner,), pa.StructScalar() as options):
            return _membership(_said(inner), options)
        case pa.Scalar():
            return _constant(node.as_py())
        case _:
            raise _Unspoken


def _membership(tested: str, options: pa.StructScalar) -> str:
    members = options.get("value_set") if "value_set" in options else None
    if members is None or members.values is None or members.values.null_count:
        raise _Unspoken
    if not len(members.values):
        return "false"
    return f"({tested} IN ({', '.join(_constant(each.as_py()) for each in members.values)}))"


def _constant(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case float() if not math.isfinite(value):
            return f"CAST('{value}' AS DOUBLE)"
        case float():
            return f"CAST({value!r} AS DOUBLE)"
        case int() | Number():
            return str(value)
        case str():
            return literal(value)
        case datetime():
            kind = "TIMESTAMPTZ" if value.tzinfo else "TIMESTAMP"
            return f"CAST({literal(value.isoformat(sep=' '))} AS {kind})"
        case date():
            return f"CAST({literal(value.isoformat())} AS DATE)"
        case time():
            return f"CAST({literal(value.isoformat())} AS TIME)"
        case _:
            raise _Unspoken

"""Which expressions are summed without rounding, so that a sum can be carried forward."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final

from sqlglot import exp

from quacklake.ivm.expressions import Expr


class Exact(Enum):
    """A number type in which sums do not depend on their order."""

    INTEGER = "integer"
    DECIMAL = "decimal"


_INTEGERS: Final = ("TINYINT", "SMALLINT", "INT", "BIGINT")


def exactness(expression: Expr, types: Mapping[str, str]) -> Exact | None:
    """The exact type of an expression; None if it may be a floating-point number or is unknown."""
    match expression:
        case exp.Column():
            return exact_type(types.get(expression.name, ""))
        case exp.Literal():
            if expression.is_string:
                return None
            return Exact.INTEGER if expression.is_int else Exact.DECIMAL
        case exp.Cast():
            return exact_type(expression.to.sql(dialect="spark"))
        case exp.Paren() | exp.Neg() | exp.Abs():
            return exactness(expression.this, types)
        case exp.Add() | exp.Sub() | exp.Mul():
            return _wider((expression.this, expression.expression), types)
        case exp.Case():
            branches = [each.args["true"] for each in expression.args["ifs"]]
            return _wider(_known((*branches, expression.args.get("default"))), types)
        case exp.Coalesce():
            return _wider((expression.this, *expression.expressions), types)
        case exp.If():
            return _wider(_known((expression.args["true"], expression.args.get("false"))), types)
        case _:
            return None


def exact_type(name: str) -> Exact | None:
    """Whether Spark's name of a type means an exact number."""
    upper = name.upper()
    if upper in _INTEGERS:
        return Exact.INTEGER
    return Exact.DECIMAL if upper.startswith("DECIMAL") else None


def _known(expressions: Iterable[Expr | None]) -> tuple[Expr, ...]:
    """The branches that can give a value."""
    return tuple(each for each in expressions if each is not None and not _is_null(each))


def _is_null(expression: Expr) -> bool:
    return isinstance(expression, exp.Null) or (
        isinstance(expression, exp.Cast) and isinstance(expression.this, exp.Null)
    )


def _wider(expressions: Iterable[Expr], types: Mapping[str, str]) -> Exact | None:
    found = [exactness(each, types) for each in expressions]
    if not found or None in found:
        return None
    return Exact.DECIMAL if Exact.DECIMAL in found else Exact.INTEGER

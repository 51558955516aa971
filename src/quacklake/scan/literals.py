"""SQL literals as constants of a column's type, where DuckDB's comparison is one of equal types.

`None` means that the comparison would convert the column instead, so nothing can be said.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal as Number
from typing import TypeVar
from uuid import UUID

import numpy as np
from sqlglot import exp

from quacklake.format.predicate import Constant
from quacklake.format.types import FLOATS, INTEGERS, TIMESTAMPS, Column, Decimal, Kind, Scalar

T = TypeVar("T")

_WHOLE = re.compile(r"[+-]?\d+")
_PLAIN_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(r"\d\d:\d\d:\d\d(\.\d{1,6})?")
_INSTANT = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?)?(Z|[+-]\d\d(?::?\d\d)?)?"
)
_FRACTION_DIGITS = {Kind.TIMESTAMP_S: 0, Kind.TIMESTAMP_MS: 3}


def constant_for(node: exp.Expr, column: Column) -> Constant | None:
    """`node` as a constant that compares with `column` in the column's own type."""
    match column.type:
        case Decimal():
            return _number(node)
        case Scalar(kind) if kind in INTEGERS:
            return _integer(node)
        case Scalar(kind) if kind in FLOATS:
            return _float(node, kind)
        case Scalar(Kind.BOOLEAN):
            return bool(node.this) if isinstance(node, exp.Boolean) else None
        case Scalar(Kind.VARCHAR):
            return _text(node)
        case Scalar(kind):
            return _from_text(node, kind)
        case _:
            return None


def _from_text(node: exp.Expr, kind: Kind) -> Constant | None:
    if kind is Kind.DATE:
        return _date(node)
    if kind in TIMESTAMPS:
        return _instant(node, kind)
    text = _text(node)
    if text is None:
        return None
    if kind is Kind.TIME and _TIME.fullmatch(text):
        return _parsed(time.fromisoformat, text)
    if kind is Kind.UUID:
        return _parsed(UUID, text)
    return None


def _parsed(parse: Callable[[str], T], text: str) -> T | None:
    try:
        return parse(text)
    except ValueError:
        return None


def _text(node: exp.Expr) -> str | None:
    return str(node.this) if isinstance(node, exp.Literal) and node.is_string else None


def _digits(node: exp.Expr) -> str | None:
    if isinstance(node, exp.Neg):
        inner = _digits(node.this)
        return None if inner is None or inner.startswith("-") else "-" + inner
    if isinstance(node, exp.Paren):
        return _digits(node.this)
    return str(node.this) if isinstance(node, exp.Literal) and not node.is_string else None


def _integer(node: exp.Expr) -> Constant | None:
    text = _digits(node) or _text(node)
    if text is None:
        return None
    if _WHOLE.fullmatch(text.strip()):
        return int(text)
    # A decimal literal converts the column to a decimal, which orders like the integers.
    return Number(text) if _digits(node) and _PLAIN_NUMBER.fullmatch(text) else None


def _number(node: exp.Expr) -> Constant | None:
    text = _digits(node)
    return Number(text) if text is not None and _PLAIN_NUMBER.fullmatch(text) else None


def _float(node: exp.Expr, kind: Kind) -> Constant | None:
    text = _digits(node)
    if text is None:
        return None
    value = float(text)
    # Compared with a FLOAT column a constant is rounded first: only exact ones say the same.
    exact = kind is Kind.FLOAT64 or float(np.float32(value)) == value
    return value if exact and np.isfinite(value) else None


def _literal_of(node: exp.Expr, *, kinds: set[str]) -> str | None:
    """The text of `'…'` or of `DATE '…'`, `TIMESTAMP '…'` of the allowed kinds."""
    if isinstance(node, exp.Cast) and isinstance(node.to, exp.DataType):
        allowed = node.to.this.name in kinds and not node.to.expressions
        return _text(node.this) if allowed else None
    return _text(node)


def _date(node: exp.Expr) -> date | None:
    text = _literal_of(node, kinds={"DATE"})
    if text is None or not _DATE.fullmatch(text):
        return None
    return _parsed(date.fromisoformat, text)


def _instant(node: exp.Expr, kind: Kind) -> datetime | None:
    kinds = {"DATE", "TIMESTAMP", "TIMESTAMPNTZ"}
    zoned = kind is Kind.TIMESTAMPTZ
    text = _literal_of(node, kinds=kinds | {"TIMESTAMPTZ"} if zoned else kinds)
    match = _INSTANT.fullmatch(text) if text is not None else None
    if match is None or (match[4] and not zoned):
        return None
    if len((match[3] or "").rstrip("0")) > _FRACTION_DIGITS.get(kind, 6):
        return None
    plain = f"{match[1]} {match[2] or '00:00:00'}.{(match[3] or '0').ljust(6, '0')}{match[4] or ''}"
    try:
        value = datetime.fromisoformat(plain)
    except ValueError:
        return None
    if not zoned:
        return value
    return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)

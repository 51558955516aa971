"""Time travel in Spark SQL: clauses are read and blanked, so that Spark sees plain names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from sqlglot import tokenize
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from quacklake.format.snapshot import SnapshotRef
from quacklake.kernel.errors import UsageError
from quacklake.sql.travel import reference_of

_UNITS: Final = ("VERSION", "TIMESTAMP")
Clause: TypeAlias = tuple[int, int, str, str]
"""The first and the last token of a clause, its unit and its value."""


@dataclass(frozen=True, slots=True)
class Travelled:
    """A query without its time travel; `at` has the snapshots, by where the name before ends."""

    text: str
    at: dict[int, SnapshotRef]


def travelled(text: str) -> Travelled:
    """Read the time travel clauses of a query; characters keep their places."""
    try:
        tokens = tokenize(text, read="spark")
    except SqlglotError as error:
        raise UsageError("the query is not valid Spark SQL") from error
    at: dict[int, SnapshotRef] = {}
    for first, last, unit, value in _clauses(text, tokens):
        start, end = tokens[first].start, tokens[last].end + 1
        at[tokens[first - 1].end] = reference_of(unit, value)
        text = text[:start] + " " * (end - start) + text[end:]
    return Travelled(text, at)


def _clauses(text: str, tokens: Sequence[Token]) -> Iterator[Clause]:
    place = 1
    while place < len(tokens):
        found = _clause(text, tokens, place)
        if found and not (tokens[found[1]].text == ")" or _is_value(tokens[found[1]])):
            # A column called version, say: `SELECT version AS of FROM t`.
            found = None
        if found:
            yield found
        place = found[1] + 1 if found else place + 1


def _clause(text: str, tokens: Sequence[Token], at: int) -> Clause | None:
    words = [token.text.upper() for token in tokens[at : at + 5]]
    match words:
        case ["AT", "(", unit, "=>", *_] if unit in _UNITS:
            end = _closing(tokens, at + 1)
            return at, end, unit, text[tokens[at + 4].start : tokens[end].start]
        case ["AT", "(", unit, "=", ">"] if unit in _UNITS:
            end = _closing(tokens, at + 1)
            return at, end, unit, text[tokens[at + 5].start : tokens[end].start]
        case ["AT", "SNAPSHOT", *_] if len(words) > 2:  # noqa: PLR2004 - a value must follow
            return at, at + 2, "VERSION", _text(text, tokens[at + 2])
        case ["AT", "TIMESTAMP", *_] if len(words) > 2:  # noqa: PLR2004 - a value must follow
            return at, at + 2, "TIMESTAMP", _text(text, tokens[at + 2])
        case ["AS", "OF", "TIMESTAMP", *_] if len(words) > 3:  # noqa: PLR2004 - and here
            return at, at + 3, "TIMESTAMP", _text(text, tokens[at + 3])
        case ["FOR", unit, "AS", "OF", _] if unit in _UNITS:
            return at, at + 4, unit, _text(text, tokens[at + 4])
        case [unit, "AS", "OF", *_] if unit in _UNITS and len(words) > 3:  # noqa: PLR2004
            return at, at + 3, unit, _text(text, tokens[at + 3])
        case _:
            return None


def _is_value(token: Token) -> bool:
    return token.token_type in (TokenType.NUMBER, TokenType.STRING)


def _text(text: str, token: Token) -> str:
    return text[token.start : token.end + 1]


def _closing(tokens: Sequence[Token], opened: int) -> int:
    depth = 0
    for place in range(opened, len(tokens)):
        depth += (tokens[place].text == "(") - (tokens[place].text == ")")
        if depth == 0:
            return place
    raise UsageError("the query is not valid Spark SQL: a parenthesis is not closed")

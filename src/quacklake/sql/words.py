"""The words of a query, with their places; just enough of DuckDB's lexical rules to find them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from quacklake.kernel.errors import UsageError

_WORD: Final = re.compile(
    r"""
    (?P<gap>    \s+ | --[^\n]* | /\*.*?\*/ )
  | (?P<string> [eE]'(?:[^'\\]|\\.|'')*' | '(?:[^']|'')*' | (?P<tag>\$\w*\$).*?(?P=tag) )
  | (?P<name>   "(?:[^"]|"")*" | [^\W\d][\w$]* )
  | (?P<number> \d[\w.]* )
  | (?P<sign>   => | . )
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Word:
    """A name, string, number or sign; its text is that of characters `start` up to `end`."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def upper(self) -> str:
        """The word as keywords are compared."""
        return self.text.upper()


def words_of(text: str) -> list[Word]:
    """The words of `text`; spaces and comments are none."""
    return [
        Word(match.lastgroup or "sign", match[0], match.start(), match.end())
        for match in _WORD.finditer(text)
        if match["gap"] is None
    ]


def closing(words: Sequence[Word], opened: int) -> int:
    """The place of the parenthesis that closes the one at `opened`."""
    depth = 0
    for place in range(opened, len(words)):
        if words[place].kind == "sign":
            depth += (words[place].text == "(") - (words[place].text == ")")
        if depth == 0:
            return place
    raise UsageError("the query is not valid SQL: a parenthesis is not closed")

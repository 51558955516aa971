"""The ways to write time travel, all turned into the one DuckDB reads.

before: FROM t AT SNAPSHOT 5 AS x, u AS OF TIMESTAMP '2026-01-31'
after:  FROM t AS x AT (VERSION => 5), u AT (TIMESTAMP => '2026-01-31')

None of these spellings means anything else in DuckDB's grammar, so nothing is taken away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quacklake.sql.words import Word, closing, words_of


@dataclass(frozen=True, slots=True)
class _Clause:
    """A time travel clause: its words up to `after`, and how DuckDB writes it."""

    after: int
    text: str


def canonical(text: str) -> str:
    """`text` with every time travel clause as DuckDB writes it, behind the table's alias."""
    words = words_of(text)
    pieces: list[str] = []
    written = position = 0
    while position < len(words):
        clause = _clause(text, words, position)
        if clause is None:
            position += 1
            continue
        end = _alias_end(words, clause.after)
        moved = [text[words[clause.after].start : words[end - 1].end]] if end > clause.after else []
        pieces += [text[written : words[position].start], " ".join([*moved, clause.text])]
        written, position = words[end - 1].end, end
    return "".join([*pieces, text[written:]])


def _clause(text: str, words: Sequence[Word], at: int) -> _Clause | None:
    following = words[at : at + 4]
    match [word.upper for word in following], [word.kind for word in following]:
        case ["AT", "(", "VERSION" | "TIMESTAMP", "=>"], _:
            end = closing(words, at + 1)
            return _Clause(end + 1, text[words[at].start : words[end].end])
        case ["AT", "SNAPSHOT", number, *_], [_, _, "number", *_]:
            return _Clause(at + 3, f"AT (VERSION => {number})")
        case ["AT", "TIMESTAMP", *_], [_, _, "string", *_]:
            return _Clause(at + 3, f"AT (TIMESTAMP => {following[2].text})")
        case ["AS", "OF", "TIMESTAMP", _], [_, _, _, "string"]:
            return _Clause(at + 4, f"AT (TIMESTAMP => {following[3].text})")
        case _:
            return None


def _alias_end(words: Sequence[Word], after: int) -> int:
    """Where an alias ends that stands behind a clause: `AS x`, or `AS x(a, b)`."""
    if len(words) <= after + 1 or words[after].upper != "AS":
        return after
    end = after + 2
    is_listed = end < len(words) and words[end].text == "("
    return closing(words, end) + 1 if is_listed else end

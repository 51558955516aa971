"""Where a reference's name and its time travel clause stand in the text, and what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import duckdb

from quacklake.format import casting
from quacklake.format.snapshot import AtTime, AtVersion, SnapshotRef
from quacklake.kernel.errors import UsageError
from quacklake.kernel.ids import SnapshotId
from quacklake.sql.statement import Reference
from quacklake.sql.words import Word, closing, words_of

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Placed:
    """The characters of a name, and of its clause, and the snapshot the clause asks for."""

    name: tuple[int, int]
    clause: tuple[int, int]
    at: SnapshotRef


def placed(text: str, reference: Reference) -> Placed:
    """Where `reference` stands in `text`; it must travel."""
    words = words_of(text)
    first, last = _name(words, reference)
    at = _clause_after(words, last)
    end = closing(words, at + 1)
    value = text[words[at + 3].end : words[end].start].strip()
    return Placed(
        (words[first].start, words[last].end),
        (words[at].start, words[end].end),
        reference_of(words[at + 2].upper, value),
    )


def name_span(text: str, reference: Reference) -> tuple[int, int]:
    """The characters of a name that does not travel."""
    words = words_of(text)
    first, last = _name(words, reference)
    return words[first].start, words[last].end


def _name(words: Sequence[Word], reference: Reference) -> tuple[int, int]:
    first = next(place for place, word in enumerate(words) if word.start == reference.start)
    parts = sum(part is not None for part in (reference.catalog, reference.schema))
    return first, first + 2 * parts


def _clause_after(words: Sequence[Word], place: int) -> int:
    for at in range(place + 1, len(words) - 3):
        shape = [word.upper for word in words[at : at + 4]]
        if shape[:2] == ["AT", "("] and shape[2] in ("VERSION", "TIMESTAMP") and shape[3] == "=>":
            return at
    raise UsageError("a time travel clause is malformed", hint="write t AT (VERSION => 5)")


def reference_of(unit: str, value: str) -> SnapshotRef:
    """The snapshot that `VERSION` or `TIMESTAMP` and an expression mean."""
    if unit == "VERSION":
        return AtVersion(SnapshotId(int(_evaluated(value, "BIGINT", "a snapshot is a number"))))
    instant = f"epoch_us(CAST((\n{value}\n) AS TIMESTAMPTZ))"
    found = _evaluated(instant, "BIGINT", "it is not a timestamp")
    try:
        return AtTime(_EPOCH + timedelta(microseconds=found))
    except OverflowError as error:
        raise UsageError("a time travel clause names a time beyond the calendar") from error


def _evaluated(value: str, as_type: str, problem: str) -> int:
    try:
        row = casting.session().execute(f"SELECT CAST((\n{value}\n) AS {as_type})").fetchone()
    except duckdb.Error as error:
        raise UsageError(
            f"a time travel clause cannot be evaluated: {problem}",
            hint="write t AT (VERSION => 5) or t AT (TIMESTAMP => '2026-01-31 12:00:00+00')",
        ) from error
    if row is None or row[0] is None:
        raise UsageError(
            "a time travel clause is NULL", hint="name a snapshot: t AT (VERSION => 5)"
        )
    return int(row[0])


def spliced(text: str, changes: Sequence[tuple[tuple[int, int], str]]) -> str:
    """`text` with spans of characters replaced; the spans do not overlap."""
    result = text
    for (start, end), replacement in sorted(changes, reverse=True):
        result = result[:start] + replacement + result[end:]
    return result

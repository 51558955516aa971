"""What becomes of the rows of a merge: clauses with conditions, the first that applies counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from quacklake.format.types import Column
from quacklake.kernel.errors import UsageError


@dataclass(frozen=True, slots=True)
class Update:
    """Give columns new values; without values all columns take those of the source."""

    values: Mapping[str, str] | None = None
    condition: str | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove the row of the table."""

    condition: str | None = None


@dataclass(frozen=True, slots=True)
class Insert:
    """Add the row; without values all columns take those of the source."""

    values: Mapping[str, str] | None = None
    condition: str | None = None


@dataclass(frozen=True, slots=True)
class Ignore:
    """Leave the row as it is."""

    condition: str | None = None


Matched: TypeAlias = Update | Delete | Ignore
NotMatched: TypeAlias = Insert | Ignore


@dataclass(frozen=True, slots=True)
class Clauses:
    """What becomes of rows in both, only in the source, and only in the table."""

    matched: tuple[Matched, ...]
    not_matched: tuple[NotMatched, ...]
    not_matched_by_source: tuple[Matched, ...]


def columns_read(
    clauses: Clauses, columns: Sequence[Column], keys: Sequence[Column], brought: Sequence[str]
) -> tuple[Column, ...]:
    """The columns of the table that a merge looks at: without words of a user's, few."""
    told = (*clauses.matched, *clauses.not_matched, *clauses.not_matched_by_source)
    if any(clause.condition or getattr(clause, "values", None) for clause in told):
        return tuple(columns)
    names = {key.name for key in keys}
    return tuple(c for c in columns if c.name in names or c.name not in brought)


def clauses(
    matched: str | Sequence[Matched],
    not_matched: str | Sequence[NotMatched],
    by_source: str | Sequence[Matched],
) -> Clauses:
    """The clauses a call means; words stand for clauses without condition."""
    words: dict[str, Matched | NotMatched] = {
        "update": Update(),
        "delete": Delete(),
        "insert": Insert(),
        "ignore": Ignore(),
    }

    def read(
        given: str | Sequence[object], allowed: tuple[type, ...], name: str
    ) -> tuple[object, ...]:
        made = (words.get(given),) if isinstance(given, str) else tuple(given)
        if not all(isinstance(clause, allowed) for clause in made):
            names = ", ".join(kind.__name__ for kind in allowed)
            raise UsageError(f"{name} takes {names}", hint="or one of the words for them")
        return made

    return Clauses(
        read(matched, (Update, Delete, Ignore), "when_matched"),  # type: ignore[arg-type]
        read(not_matched, (Insert, Ignore), "when_not_matched"),  # type: ignore[arg-type]
        read(by_source, (Update, Delete, Ignore), "when_not_matched_by_source"),  # type: ignore[arg-type]
    )

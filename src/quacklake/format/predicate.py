"""What is known to hold for every wanted row, in a form that statistics can answer.

Law: a predicate may let through rows the filter drops, never the other way round. What
cannot be said is `ANYTHING`. Negation does not occur: it is pushed into the leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal as Number
from enum import Enum
from typing import TypeAlias
from uuid import UUID

from quacklake.format.types import Column

Constant: TypeAlias = bool | int | float | Number | str | bytes | date | datetime | time | UUID


class Comparison(Enum):
    """How a column relates to a constant; NULL never satisfies any of them."""

    EQ = "="
    NE = "<>"
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="

    @property
    def flipped(self) -> Comparison:
        """The comparison that holds with both sides exchanged."""
        return _FLIPPED.get(self, self)

    @property
    def negated(self) -> Comparison:
        """The comparison that holds of values that are not NULL where this one does not."""
        return _NEGATED[self]


_FLIPPED = {
    Comparison.LT: Comparison.GT,
    Comparison.LE: Comparison.GE,
    Comparison.GT: Comparison.LT,
    Comparison.GE: Comparison.LE,
}
_NEGATED = {
    Comparison.EQ: Comparison.NE,
    Comparison.NE: Comparison.EQ,
    Comparison.LT: Comparison.GE,
    Comparison.LE: Comparison.GT,
    Comparison.GT: Comparison.LE,
    Comparison.GE: Comparison.LT,
}


@dataclass(frozen=True, slots=True)
class Compare:
    """`column` stands in `op` to `value`; the value has the column's own type."""

    column: Column
    op: Comparison
    value: Constant


@dataclass(frozen=True, slots=True)
class OneOf:
    """`column` equals one of `values`."""

    column: Column
    values: tuple[Constant, ...]


@dataclass(frozen=True, slots=True)
class IsNull:
    """`column` is NULL."""

    column: Column


@dataclass(frozen=True, slots=True)
class IsNotNull:
    """`column` is not NULL."""

    column: Column


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part holds; without parts it says nothing."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Some part holds; without parts no row is wanted."""

    parts: tuple[Predicate, ...]


Predicate: TypeAlias = Compare | OneOf | IsNull | IsNotNull | AllOf | AnyOf

ANYTHING = AllOf(())
NOTHING = AnyOf(())


def all_of(*parts: Predicate) -> Predicate:
    """The conjunction, flattened, without parts that say nothing."""
    flat: list[Predicate] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, AllOf) else (part,))
    if any(part == NOTHING for part in flat):
        return NOTHING
    return flat[0] if len(flat) == 1 else AllOf(tuple(flat))


def any_of(*parts: Predicate) -> Predicate:
    """The disjunction, flattened; one part that says nothing makes the whole say nothing."""
    flat: list[Predicate] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, AnyOf) else (part,))
    if any(part == ANYTHING for part in flat):
        return ANYTHING
    return flat[0] if len(flat) == 1 else AnyOf(tuple(flat))

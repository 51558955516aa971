"""Which values two inputs of a join must have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from quacklake.ivm.expressions import Expr, references


@dataclass(frozen=True, slots=True)
class Equalities:
    """Pairs of expressions, one over each side, that are equal in every joined pair of rows."""

    left: tuple[Expr, ...]
    right: tuple[Expr, ...]

    def __bool__(self) -> bool:
        return bool(self.left)


def equalities(on: Iterable[Expr], left: frozenset[str], right: frozenset[str]) -> Equalities:
    """What a condition equates between columns `left` and columns `right`."""
    lefts, rights = [], []
    for each in on:
        if not isinstance(each, exp.EQ | exp.NullSafeEQ):
            continue
        for one, other in ((each.this, each.expression), (each.expression, each.this)):
            mine, theirs = references(one), references(other)
            if mine and theirs and mine <= left and theirs <= right:
                lefts.append(one)
                rights.append(other)
                break
    return Equalities(tuple(lefts), tuple(rights))

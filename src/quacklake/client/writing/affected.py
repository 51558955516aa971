"""How many rows an operation touched."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Affected:
    """Rows inserted, updated and deleted."""

    inserted: int = 0
    updated: int = 0
    deleted: int = 0


NOTHING_AFFECTED = Affected()

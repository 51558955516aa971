"""Incremental or anew: what `auto` decides from the sizes of things and from what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from quacklake.catalog.ledger import RefreshRow
from quacklake.pipeline.definition import Mode

_LARGE_CHANGE: Final = 0.3
"""Above this share of the rows a change costs more than computing anew; nothing measured yet."""
_REMEMBERED: Final = 5
_DEARER: Final = 3
"""How much more a row costs that changed than one that is only read."""
_SMALL: Final = 10_000
"""Below this many rows either way is instant, and a measurement is noise."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Rows that may have changed, and all rows of the sources, as the catalog counts them."""

    changed: int
    whole: int

    @property
    def share(self) -> float:
        """How much of the sources changed."""
        return self.changed / self.whole if self.whole else 1.0


@dataclass(frozen=True, slots=True)
class Choice:
    """What to do, and why."""

    mode: Mode
    reason: str


def choose(sizes: Sizes, history: Sequence[RefreshRow]) -> Choice:
    """The mode of a refresh that may be made either way; `history` is newest first."""
    said = f"at most {sizes.changed:,} of {sizes.whole:,} rows changed"
    if sizes.whole <= _SMALL:
        return Choice(Mode.INCREMENTAL, said)
    expected = _expected(sizes, history)
    if expected is not None:
        incremental, full = expected
        mode = Mode.FULL if full < incremental else Mode.INCREMENTAL
        return Choice(
            mode, f"{said}; expected {incremental:,.0f} ms incrementally, {full:,.0f} ms anew"
        )
    if sizes.share > _LARGE_CHANGE:
        return Choice(Mode.FULL, f"{said}, more than {_LARGE_CHANGE:.0%}")
    return Choice(Mode.INCREMENTAL, said)


def _expected(sizes: Sizes, history: Sequence[RefreshRow]) -> tuple[float, float] | None:
    """Milliseconds of both ways, once both were measured.

    A change costs what the quickest one did, however small, and several times more for each of
    its rows than computing anew does for each row that it reads.
    """
    changes = [r for r in history if r.mode == Mode.INCREMENTAL and r.rows_in > 0][:_REMEMBERED]
    whole = [r for r in history if r.mode == Mode.FULL and r.rows_read > 0][:_REMEMBERED]
    if not changes or not whole:
        return None
    rate = median(r.duration_ms / r.rows_read for r in whole)
    full = median(r.duration_ms * max(1.0, sizes.whole / r.rows_read) for r in whole)
    fixed = min(r.duration_ms for r in changes)
    return fixed + _DEARER * rate * sizes.changed, full

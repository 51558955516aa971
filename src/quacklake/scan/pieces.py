"""Row groups that are read together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from quacklake.storage.source import RowGroup

_ROWS_PER_PIECE: Final = 100_000


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive row groups of a file that are read together; `alone` if nothing else is."""

    groups: tuple[int, ...]
    first_row: int
    row_count: int
    alone: bool = False


def pieces_of(groups: Iterable[RowGroup], rows: int = _ROWS_PER_PIECE) -> list[Piece]:
    """Row groups put together with their neighbours, until a piece has so many rows."""
    pieces: list[Piece] = []
    group: list[RowGroup] = []
    for each in groups:
        adjoins = not group or group[-1].index + 1 == each.index
        if group and (not adjoins or sum(g.row_count for g in group) >= rows):
            pieces.append(_piece(group))
            group = []
        group.append(each)
    return [*pieces, _piece(group)] if group else pieces


def _piece(groups: Sequence[RowGroup]) -> Piece:
    count = sum(group.row_count for group in groups)
    return Piece(tuple(group.index for group in groups), groups[0].first_row, count)

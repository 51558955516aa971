"""When rows came into the lake and went out of it, as arrays over positions of a file.

Law: a row is there from its begin until just before its end. It came in the snapshot of its
begin and went in that of its end; a row that ends where it begins was never there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from quacklake.catalog.window import Window
from quacklake.kernel.ids import SnapshotId
from quacklake.storage.deletes import Deletions

Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

NEVER: Final = int(np.iinfo(np.int64).max)
"""The end of a row that is still there."""


@dataclass(frozen=True, slots=True)
class Span:
    """The snapshots whose changes are wanted: those of a window, without the `silent` ones.

    A silent snapshot only moved rows from file to file.
    """

    window: Window
    silent: frozenset[SnapshotId] = frozenset()

    def __contains__(self, snapshot: SnapshotId | None) -> bool:
        return snapshot in self.window and snapshot not in self.silent

    def covers(self, snapshots: Numbers) -> Mask:
        """Which of `snapshots` are among those wanted."""
        inside = (snapshots > self.window.after) & (snapshots <= self.window.upto)
        if self.silent:
            inside &= ~np.isin(snapshots, np.fromiter(self.silent, np.int64))
        return inside


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """The rows of a file that went one by one, and when; the others go at `rest`."""

    positions: Numbers
    snapshots: Numbers
    rest: int

    def between(self, first: int, count: int) -> Numbers:
        """The ends of `count` rows from position `first` on."""
        ends = np.full(count, self.rest, dtype=np.int64)
        low, high = np.searchsorted(self.positions, (first, first + count))
        ends[self.positions[low:high] - first] = self.snapshots[low:high]
        return ends

    def positions_in(self, span: Span) -> Numbers:
        """The positions whose rows went one by one in `span`."""
        return self.positions[span.covers(self.snapshots)]


def ends_of(found: Sequence[Deletions], ended: SnapshotId | None) -> Ends:
    """When the rows of a file went, if it has these deletions and `ended` itself at some time."""
    rest = NEVER if ended is None else int(ended)
    positions = np.concatenate([each.positions for each in found] or [_NONE])
    snapshots = np.concatenate([each.snapshots for each in found] or [_NONE])
    # Nothing can be deleted from a file that is gone: such a deletion has lost its row.
    early = snapshots < rest
    positions, snapshots = positions[early], snapshots[early]
    order = np.lexsort((snapshots, positions))
    positions, snapshots = positions[order], snapshots[order]
    is_first = np.ones(positions.size, dtype=np.bool_)
    is_first[1:] = positions[1:] != positions[:-1]
    return Ends(positions[is_first], snapshots[is_first], rest)


_NONE: Final = np.empty(0, np.int64)


def born(begins: Numbers, ends: Numbers, span: Span) -> Mask:
    """Which rows came in `span`."""
    return span.covers(begins) & (begins < ends)


def died(begins: Numbers, ends: Numbers, span: Span) -> Mask:
    """Which rows went in `span`."""
    return span.covers(ends) & (begins < ends)

"""Updates: a row id that went and came in one snapshot.

Law: a row that came is the new side of an update iff a row with its id went in the same
snapshot, and the other way round. Each row is on one side and is told once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from quacklake.changefeed.lives import Mask, Numbers

_NONE: Final = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """Rows by the snapshot they changed in and their row id."""

    snapshots: Numbers
    rows: Numbers


def joined(parts: Iterable[Keys]) -> Keys:
    """The keys of all parts."""
    found = list(parts)
    return Keys(
        np.concatenate([each.snapshots for each in found] or [_NONE]),
        np.concatenate([each.rows for each in found] or [_NONE]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Updates:
    """The keys that are on both sides; a code is a place in `snapshots` and one in `rows`."""

    snapshots: Numbers
    rows: Numbers
    codes: Numbers

    def among(self, keys: Keys) -> Mask:
        """Which of `keys` belong to an update."""
        codes, is_known = self.encoded(keys)
        return is_known & np.isin(codes, self.codes)

    def encoded(self, keys: Keys) -> tuple[Numbers, Mask]:
        """One number for each key, and whether both of its parts are known."""
        snapshots, has_snapshot = _places(self.snapshots, keys.snapshots)
        rows, has_row = _places(self.rows, keys.rows)
        return snapshots * self.rows.size + rows, has_snapshot & has_row


NO_UPDATES: Final = Updates(_NONE, _NONE, _NONE)


def updates(came: Keys, went: Keys) -> Updates:
    """The updates among rows that came and rows that went."""
    snapshots = np.intersect1d(came.snapshots, went.snapshots)
    rows = np.intersect1d(came.rows, went.rows)
    rows = rows[rows >= 0]
    parts = Updates(snapshots, rows, _NONE)
    came_codes, came_known = parts.encoded(came)
    went_codes, went_known = parts.encoded(went)
    codes = np.intersect1d(came_codes[came_known], went_codes[went_known])
    return Updates(snapshots, rows, codes)


def _places(known: Numbers, wanted: Numbers) -> tuple[Numbers, Mask]:
    """Where each wanted number is in the sorted `known`, and whether it is there."""
    if not known.size:
        return np.zeros(wanted.size, np.int64), np.zeros(wanted.size, np.bool_)
    places = np.minimum(np.searchsorted(known, wanted), known.size - 1)
    return places, known[places] == wanted

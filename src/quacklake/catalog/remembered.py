"""What was read about the newest snapshot, kept until there is a newer one.

Law: whatever is visible at the newest snapshot stays as it is while that snapshot is the
newest, because every commit, compaction and flush makes another one. Expiry and clean-up make
none, but take away only what no snapshot sees. A snapshot is known by all its facts, so that a
lake made anew at the same place is not mistaken for the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

from quacklake.format.snapshot import Snapshot

T = TypeVar("T")

_ROOM: Final = 50_000
"""How many rows of the catalog are kept at most."""


class Page:
    """What is known about one snapshot. Threads may share it: at worst two read the same."""

    __slots__ = ("_known", "_room", "snapshot")

    def __init__(self, snapshot: Snapshot, room: int = _ROOM) -> None:
        self.snapshot = snapshot
        self._known: dict[Hashable, Any] = {}
        self._room = room

    def recalled(self, key: Hashable, read: Callable[[], T], rows: Callable[[T], int]) -> T:
        """What is known under `key`, or else what `read` finds; it is kept if there is room."""
        if key in self._known:
            known: T = self._known[key]
            return known
        found = read()
        size = rows(found)
        if size <= self._room:
            self._room -= size
            self._known[key] = found
        return found


class Remembered:
    """The page of the newest snapshot that any reader of a catalog has met."""

    __slots__ = ("_page",)

    def __init__(self) -> None:
        self._page: Page | None = None

    def of(self, newest: Snapshot) -> Page:
        """The page to read and fill while `newest` is the newest snapshot."""
        page = self._page
        if page is None or page.snapshot != newest:
            page = self._page = Page(newest)
        return page

"""What reading costs: counted, so that it can be reported and compared with the change."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reads:
    """Files opened, rows decoded, and bytes fetched for that."""

    files: int = 0
    rows: int = 0
    bytes: int = 0


class Meter:
    """Adds up what several threads read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._total = Reads()

    @property
    def total(self) -> Reads:
        """Everything read so far."""
        return self._total

    def add(self, *, files: int = 0, rows: int = 0, size: int = 0) -> None:
        """Count one more read."""
        with self._lock:
            known = self._total
            self._total = Reads(known.files + files, known.rows + rows, known.bytes + size)

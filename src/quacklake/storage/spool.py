"""A local path for a file that a reader wants on this machine's disk."""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Final

from quacklake.storage.failures import reading
from quacklake.storage.filesystem import Storage

_CHUNK_BYTES: Final = 8 << 20


class LocalCopy:
    """The file at `location` on local disk, copied there when first needed if it is not."""

    def __init__(self, storage: Storage, location: str) -> None:
        self._storage = storage
        self._location = location
        self._own_path = storage.local_path(location)
        self._copying = threading.Lock()
        self._remove: Callable[[], object] | None = None
        self._copy: Path | None = None

    def path(self) -> str:
        """Where the bytes are; valid until `close`."""
        if self._own_path is not None:
            return self._own_path
        with self._copying:
            if self._copy is None:
                self._copy = self._copied()
            return str(self._copy)

    def close(self) -> None:
        """Remove the copy; the next `path` makes another."""
        with self._copying:
            if self._remove is not None:
                self._remove()
            self._copy = None

    def _copied(self) -> Path:
        directory = tempfile.mkdtemp(prefix="quacklake-")
        # Also runs when nobody closes, or the interpreter ends.
        self._remove = weakref.finalize(self, shutil.rmtree, directory, ignore_errors=True)
        path = Path(directory, "copy")
        with (
            reading(self._location),
            self._storage.open_input(self._location) as source,
            path.open("wb") as target,
        ):
            while chunk := source.read(_CHUNK_BYTES):
                target.write(chunk)
        return path

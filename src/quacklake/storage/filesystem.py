"""Stores as file systems, opened when first needed and shared within a process."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import pyarrow as pa
from pyarrow import fs

from quacklake.format.paths import as_directory
from quacklake.kernel.errors import QuacklakeError, Unavailable
from quacklake.storage.failures import missing, opening, writing
from quacklake.storage.location import Place, Store, place_of
from quacklake.storage.options import StorageOptions
from quacklake.storage.stores import LOCAL, filesystem_of

_SYNC_THREADS: Final = 16


class Storage:
    """Bytes at locations. Holds options only, so that it can travel to other processes."""

    __slots__ = ("options",)

    def __init__(self, options: StorageOptions | None = None) -> None:
        self.options = options or StorageOptions()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Storage) and self.options == other.options

    def __hash__(self) -> int:
        return hash(self.options)

    def __repr__(self) -> str:
        return f"Storage({self.options!r})"

    def open_input(self, location: str) -> pa.NativeFile:
        """The file at `location`, open for random access."""
        with opening(location):
            place = place_of(location)
            if place.store is Store.LOCAL:
                return LOCAL.open_input_file(place.path)
            return self._filesystem(place).open_input_file(place.path)

    def open_output(self, location: str) -> pa.NativeFile:
        """A new file at `location`, open for writing; local folders are made on the way."""
        with writing(location):
            place = place_of(location)
            if place.store is Store.LOCAL:
                Path(place.path).parent.mkdir(parents=True, exist_ok=True)
                return pa.OSFile(place.path, "wb")
            return self._filesystem(place).open_output_stream(place.path)

    def make_folder(self, directory: str) -> None:
        """Make a local folder and those above it, to last; object stores have no folders."""
        path = self.local_path(directory)
        if path is None:
            return
        with writing(directory):
            folder = Path(path)
            made = [each for each in (folder, *folder.parents) if not each.exists()]
            folder.mkdir(parents=True, exist_ok=True)
            for each in made:
                _sync(each.parent)

    def make_durable(self, locations: Iterable[str], directory: str) -> None:
        """Return when closed files below `directory` survive a power cut.

        Object stores keep what they have accepted; a local disk has to be asked.
        """
        top = self.local_path(directory)
        paths = [Path(path) for where in locations if (path := self.local_path(where))]
        if top is None or not paths:
            return
        with writing(directory):
            everything = [*paths, *_folders_between(paths, Path(top))]
            own, *others = everything
            # All at once: the journal of the disk then commits them together.
            with ThreadPoolExecutor(min(len(others), _SYNC_THREADS)) as pool:
                synced = pool.map(_sync, others)
                _sync(own)
                list(synced)

    def discard(self, location: str) -> None:
        """Remove the file at `location`, if it is there and the store lets us."""
        with suppress(QuacklakeError):
            self.delete_file(location)

    def delete_file(self, location: str) -> bool:
        """Remove the file at `location`; False if there was none."""
        if not self.exists(location):
            return False
        try:
            with writing(location):
                place = place_of(location)
                self._filesystem(place).delete_file(place.path)
        except Unavailable:
            # Arrow then puts an object in place of the folder, which not every store takes.
            if self.exists(location):
                raise
        return True

    def list_files(self, directory: str) -> Iterator[StoredFile]:
        """Every file below `directory`, at any depth; none if it does not exist."""
        start = as_directory(directory)
        with opening(directory):
            place = place_of(start)
            base = place.path.rstrip("/") + "/"
            selector = fs.FileSelector(base[:-1] or "/", recursive=True, allow_not_found=True)
            found = self._filesystem(place).get_file_info(selector)
        for info in found:
            if info.type is fs.FileType.File:
                below = info.path.removeprefix(base)
                yield StoredFile(start + below, int(info.size or 0), info.mtime)

    def is_local(self, location: str) -> bool:
        """Whether `location` is a path of this machine."""
        return place_of(location).store is Store.LOCAL

    def local_path(self, location: str) -> str | None:
        """The path of a local file, or None for anything in an object store."""
        place = place_of(location)
        return place.path if place.store is Store.LOCAL else None

    def exists(self, location: str) -> bool:
        """Whether a file is at `location`."""
        return self._info(location).type is fs.FileType.File

    def size(self, location: str) -> int:
        """The number of bytes of the file at `location`."""
        info = self._info(location)
        if info.type is not fs.FileType.File or info.size is None:
            raise missing(location)
        return int(info.size)

    def _info(self, location: str) -> fs.FileInfo:
        with opening(location):
            place = place_of(location)
            return self._filesystem(place).get_file_info(place.path)

    def _filesystem(self, place: Place) -> fs.FileSystem:
        return filesystem_of(place, self.options)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file as a store lists it; `modified` is in UTC."""

    location: str
    size: int
    modified: datetime | None


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _folders_between(paths: Iterable[Path], top: Path) -> set[Path]:
    """The folders from `top` down to the files: a file lasts if its entry does."""
    found = {top}
    for path in paths:
        for folder in path.parents:
            if folder in found:
                break
            found.add(folder)
    return found

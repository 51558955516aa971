"""Files deleted: those the catalog gave up, and those it never knew.

No file is deleted unless it is proven ours and dead. A file is ours if it lies in the folder
of a table of this lake and has a name that DuckLake writers give; it is dead if the catalog
does not know it, and so old that no writer can still be about to commit it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from quacklake.catalog.ends import Lives, Scheduled
from quacklake.catalog.mutations import Delete, Mutation
from quacklake.storage.filesystem import Storage, StoredFile

_UNIQUE: Final = r"ducklake-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_OURS: Final = re.compile(
    # A file, or whatever lies where Spark's own writer was to finish files.
    rf"(.*/)?({_UNIQUE}(-delete)?\.(parquet|puffin)|{_UNIQUE}-spark/.*)"
)


def due(scheduled: Iterable[Scheduled], older_than: datetime) -> tuple[Scheduled, ...]:
    """The files that have waited long enough."""
    return tuple(file for file in scheduled if file.since < older_than)


def forgotten(files: Iterable[Scheduled]) -> tuple[Mutation, ...]:
    """The rows that go once the files are gone."""
    return tuple(
        Delete("files_scheduled_for_deletion", (("data_file_id", file.id), ("path", file.path)))
        for file in files
    )


def known_names(lives: Lives, scheduled: Iterable[Scheduled]) -> frozenset[str]:
    """The names of all data files, delete files and files that wait for deletion.

    A name holds a uuid of its own, so it finds a file however its location is spelled:
    relative, absolute, or through a link.
    """
    files = (life.location for life in (*lives.data_files, *lives.delete_files))
    every = (*files, *(file.location for file in scheduled))
    return frozenset(_name(location) for location in every)


def orphans(
    found: Iterable[StoredFile], known: frozenset[str], older_than: datetime
) -> Iterator[StoredFile]:
    """Files of ours that the catalog does not know and no writer can still want."""
    for file in found:
        name = _name(file.location)
        is_old = file.modified is not None and file.modified < older_than
        if _OURS.fullmatch(file.location) and is_old and name not in known:
            yield file


def _name(location: str) -> str:
    return location.rpartition("/")[2]


def files_below(storage: Storage, folders: Iterable[str]) -> Iterator[StoredFile]:
    """Every file in the folders of the lake's tables; folders inside others are read once."""
    last = None
    for folder in sorted(set(folders)):
        if last is not None and folder.startswith(last):
            continue
        last = folder
        yield from storage.list_files(folder)

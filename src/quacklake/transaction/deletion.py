"""How deleted positions of a file are kept: in the catalog, in a delete file, or by its end.

A position must never be in a delete file and in the catalog at once, and a data file has at
most one delete file: a later one holds the union, each position tagged with its snapshot.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from quacklake.format.files import DeleteFile
from quacklake.kernel.errors import CommitConflict
from quacklake.kernel.ids import DataFileId, SnapshotId
from quacklake.storage.deletes import deletions as listed_deletions
from quacklake.storage.filesystem import Storage
from quacklake.storage.writing.manifest import WrittenDelete
from quacklake.transaction.draft import FileDeletes, Positions, TableDraft


@dataclass(frozen=True, slots=True)
class Inlined:
    """The catalog keeps the positions."""

    file: DataFileId
    positions: Positions


@dataclass(frozen=True, slots=True)
class Ended:
    """No row is left: the data file ends."""

    file: DataFileId


@dataclass(frozen=True, slots=True)
class Written:
    """A delete file, in place of the one before it; tags reach from `begin` to `partial_max`."""

    file: DataFileId
    written: WrittenDelete
    begin: SnapshotId
    partial_max: SnapshotId | None
    replaced: DeleteFile | None


Deletion: TypeAlias = Inlined | Ended | Written
WriteDeletes: TypeAlias = Callable[[str, Positions, Positions | None], WrittenDelete]
"""Writes the positions, and tags, of the data file at a location."""


def deletions(
    draft: TableDraft,
    span: tuple[SnapshotId, SnapshotId],
    *,
    limit: int,
    storage: Storage,
    write: WriteDeletes,
) -> tuple[Deletion, ...]:
    """What a commit does for each file the table loses rows of; `span` is its base and its id."""
    at = span[1]
    committed = [
        _deletion(deletes, span, limit=limit, storage=storage, write=write)
        for deletes in draft.deletes.values()
        if deletes.positions.size
    ]
    # Rows of a file written in this very transaction: the file is there, they never were.
    own = [
        Written(
            file.id, write(file.written.location, draft.own_deletes[file.id], None), at, None, None
        )
        for file in draft.files
        if file.id in draft.own_deletes
    ]
    return (*committed, *own)


def _listed(before: DeleteFile | None) -> float:
    """How many positions are in delete files; two of them may list the same, so nobody knows."""
    if before is None:
        return 0
    return before.delete_count if before.beside is None else math.nan


def _deletion(
    deletes: FileDeletes,
    span: tuple[SnapshotId, SnapshotId],
    *,
    limit: int,
    storage: Storage,
    write: WriteDeletes,
) -> Deletion:
    file, new = deletes.file, deletes.positions
    base, at = span
    if new.size <= limit:
        return Inlined(file.id, new)
    before = file.delete_file
    if not deletes.already and _listed(before) + new.size == file.record_count:
        return Ended(file.id)
    if before is None:
        return Written(file.id, write(file.path, new, None), at, None, None)
    old = listed_deletions(storage, before)
    if old.snapshots.max() > base:
        raise CommitConflict(
            "another commit deleted rows of a file that this transaction deletes from",
            hint="start the transaction again: it will then see the other change",
            snapshot=int(old.snapshots.max()),
        )
    positions = np.concatenate([old.positions, new])
    order = np.argsort(positions, kind="stable")
    all_tags = np.concatenate([old.snapshots, np.full(new.size, at, dtype=np.int64)])[order]
    written = write(file.path, positions[order], all_tags)
    first = SnapshotId(int(all_tags.min()))
    return Written(file.id, written, first, at, before)

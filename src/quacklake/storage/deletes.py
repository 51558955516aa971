"""The positions a delete file takes away from its data file, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from quacklake.format.files import SNAPSHOT_ID_FIELD, SNAPSHOT_ID_NAME, DeleteFile, DeleteFormat
from quacklake.kernel.errors import FileUnreadable
from quacklake.kernel.ids import SnapshotId
from quacklake.storage.failures import reading
from quacklake.storage.filesystem import Storage
from quacklake.storage.parquet import open_parquet
from quacklake.storage.puffin import positions_at, snapshots_in
from quacklake.storage.roaring import Positions
from quacklake.storage.schema import ParquetField
from quacklake.storage.source import check_size

_POSITION: Final = 1
"""Delete files have their columns in a fixed order: whose positions, the positions, tags."""


def deleted_positions(storage: Storage, delete_file: DeleteFile, at: SnapshotId) -> Positions:
    """The deleted positions at snapshot `at`, strictly increasing."""
    first, *others = (_positions_at(storage, each, at) for each in delete_file.each())
    for other in others:
        first = np.union1d(first, other)
    return first


def _positions_at(storage: Storage, delete_file: DeleteFile, at: SnapshotId) -> Positions:
    if delete_file.format is DeleteFormat.PUFFIN:
        return _checked(delete_file, _vector_at(delete_file, _bytes(storage, delete_file), at))
    positions, tags = _from_parquet(storage, delete_file)
    return _checked(delete_file, positions if tags is None else positions[tags <= at])


@dataclass(frozen=True, slots=True, eq=False)
class Deletions:
    """Positions, each once and in order, with the snapshot in which it was deleted."""

    positions: Positions
    snapshots: Positions

    @classmethod
    def first_of_each(cls, positions: Positions, snapshots: Positions) -> Deletions:
        """Each position once: a row that was deleted twice went the first time."""
        order = np.lexsort((snapshots, positions))
        unique, first = np.unique(positions[order], return_index=True)
        return cls(unique, snapshots[order][first])


def deletions(storage: Storage, delete_file: DeleteFile) -> Deletions:
    """Every deletion that a delete file, or one beside it, lists."""
    first, *others = (_listed(storage, each) for each in delete_file.each())
    if not others:
        return first
    return Deletions.first_of_each(
        np.concatenate([first.positions, *(other.positions for other in others)]),
        np.concatenate([first.snapshots, *(other.snapshots for other in others)]),
    )


def _listed(storage: Storage, delete_file: DeleteFile) -> Deletions:
    is_puffin = delete_file.format is DeleteFormat.PUFFIN
    positions, tags = (_from_puffin if is_puffin else _from_parquet)(storage, delete_file)
    begin = int(delete_file.begin_snapshot)
    # A file takes effect with its own snapshot, whatever its tags say of earlier ones.
    snapshots = np.full_like(positions, begin) if tags is None else np.maximum(tags, begin)
    return Deletions(_checked(delete_file, positions), snapshots)


def _checked(delete_file: DeleteFile, positions: Positions) -> Positions:
    # A position twice would be subtracted twice from row counts.
    if positions.size and (positions[0] < 0 or bool(np.any(np.diff(positions) <= 0))):
        raise _broken(delete_file, "does not list positions in increasing order")
    return positions


def _from_parquet(storage: Storage, delete_file: DeleteFile) -> tuple[Positions, Positions | None]:
    """The positions, and their tags if the file has any."""
    source = open_parquet(
        storage,
        delete_file.path,
        file_size=delete_file.file_size_bytes,
        encryption_key=delete_file.encryption_key,
    )
    try:
        fields = source.schema.fields
        if len(fields) <= _POSITION or not pa.types.is_integer(fields[_POSITION].type):
            raise _broken(delete_file, "has no column of positions")
        tag = _tag(fields)
        wanted = [fields[_POSITION]] if tag is None else [fields[_POSITION], tag]
        table = source.read(range(len(source.row_groups)), wanted)
    finally:
        source.close()
    positions = _integers(table.column(0), delete_file)
    return positions, None if tag is None else _integers(table.column(1), delete_file)


def _tag(fields: tuple[ParquetField, ...]) -> ParquetField | None:
    """The column that says which snapshot deleted each position."""
    for field in fields[_POSITION + 1 :]:
        if field.field_id == SNAPSHOT_ID_FIELD or field.name == SNAPSHOT_ID_NAME:
            return field
    return None


def _integers(column: pa.ChunkedArray, delete_file: DeleteFile) -> Positions:
    if column.null_count:
        raise _broken(delete_file, "lists NULL as a position")
    integers: Positions = column.cast(pa.int64()).to_numpy()
    return integers


def _from_puffin(storage: Storage, delete_file: DeleteFile) -> tuple[Positions, Positions]:
    """The positions of all vectors, each with the first snapshot whose vector has it."""
    data = _bytes(storage, delete_file)
    positions, tags = np.empty(0, np.int64), np.empty(0, np.int64)
    try:
        for snapshot in snapshots_in(data):
            new = np.setdiff1d(positions_at(data, snapshot), positions, assume_unique=True)
            positions = np.concatenate((positions, new))
            tags = np.concatenate((tags, np.full_like(new, snapshot)))
    except ValueError as problem:
        raise _invalid_vector(delete_file) from problem
    order = np.argsort(positions)
    return positions[order], tags[order]


def _vector_at(delete_file: DeleteFile, data: bytes, at: SnapshotId) -> Positions:
    try:
        return positions_at(data, at)
    except ValueError as problem:
        raise _invalid_vector(delete_file) from problem


def _bytes(storage: Storage, delete_file: DeleteFile) -> bytes:
    with reading(delete_file.path), storage.open_input(delete_file.path) as handle:
        check_size(delete_file.path, handle.size(), delete_file.file_size_bytes)
        return bytes(handle.read())


def _invalid_vector(delete_file: DeleteFile) -> FileUnreadable:
    return _broken(delete_file, "is not a valid deletion vector")


def _broken(delete_file: DeleteFile, what: str) -> FileUnreadable:
    return FileUnreadable(
        f"delete file '{delete_file.path}' {what}",
        hint="restore it from a backup; 'quacklake doctor' lists every damaged file",
        location=delete_file.path,
    )

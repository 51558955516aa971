"""What a commit does to the catalog's tables, as values.

Rows are positional, with every column of the table in the format's order. The meaning of a
commit is decided elsewhere; here is only what is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa

from quacklake.format.types import Column
from quacklake.kernel.ids import DataFileId, SnapshotId, TableId

Cell: TypeAlias = object
Match: TypeAlias = tuple[tuple[str, Cell | tuple[Cell, ...]], ...]
"""Columns and the value, or one of the values, they must have."""


@dataclass(frozen=True, slots=True)
class Insert:
    """New rows of `ducklake_<table>`, or of our own table of that full name."""

    table: str
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class End:
    """Live rows of `ducklake_<table>` that match stop being visible at a snapshot."""

    table: str
    where: Match
    at: SnapshotId


@dataclass(frozen=True, slots=True)
class Update:
    """Rows of `ducklake_<table>` that match get other values."""

    table: str
    where: Match
    values: tuple[tuple[str, Cell], ...]


@dataclass(frozen=True, slots=True)
class Delete:
    """Rows of `ducklake_<table>` that match are removed, history included."""

    table: str
    where: Match


@dataclass(frozen=True, slots=True)
class CreateOwn:
    """Our own tables are made where they are not there yet."""


@dataclass(frozen=True, slots=True)
class Swap:
    """One row of our own `table` gets other values, or the whole commit is a conflict.

    It is a conflict unless the row still matches; `values` must differ from any other writer's.
    """

    table: str
    where: Match
    values: tuple[tuple[str, Cell], ...]


@dataclass(frozen=True, slots=True)
class CreateInlined:
    """An empty inlined data table, for rows of `columns`, registered for its table."""

    table: TableId
    schema_version: int
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class InsertInlined:
    """Rows kept in the catalog: `row_id` first, then `columns` in the Arrow types of results."""

    table: TableId
    schema_version: int
    columns: tuple[Column, ...]
    rows: pa.Table
    begin: SnapshotId


@dataclass(frozen=True, slots=True)
class EndInlined:
    """Live rows of an inlined data table that stop being visible at a snapshot."""

    table: TableId
    schema_version: int
    row_ids: tuple[int, ...]
    at: SnapshotId


@dataclass(frozen=True, slots=True)
class InsertInlinedDeletes:
    """Positions of data files deleted by the catalog itself; the table is made if absent."""

    table: TableId
    positions: tuple[tuple[DataFileId, int], ...]
    begin: SnapshotId


@dataclass(frozen=True, slots=True)
class RemoveInlined:
    """Rows of an inlined data table begun at or before a snapshot go: files hold them."""

    table: TableId
    schema_version: int
    until: SnapshotId


@dataclass(frozen=True, slots=True)
class RemoveInlinedDeletes:
    """Inlined deletes of the given files, begun at or before a snapshot, are removed."""

    table: TableId
    files: tuple[DataFileId, ...]
    until: SnapshotId


@dataclass(frozen=True, slots=True)
class DropInlined:
    """An inlined data table is dropped and unregistered."""

    table: TableId
    schema_version: int


@dataclass(frozen=True, slots=True)
class DropInlinedDeletes:
    """The table of inlined deletes is dropped, if there is one."""

    table: TableId


Mutation: TypeAlias = (
    Insert
    | End
    | Update
    | Delete
    | CreateOwn
    | Swap
    | CreateInlined
    | InsertInlined
    | EndInlined
    | InsertInlinedDeletes
    | RemoveInlined
    | RemoveInlinedDeletes
    | DropInlined
    | DropInlinedDeletes
)

"""What a transaction has staged: the lake as it sees it, and the rows it adds and removes.

Everything is a value; staging returns a new draft. Objects made here have negative ids of
their own until the commit gives them real ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from quacklake.catalog.mutations import Mutation
from quacklake.format.files import DataFile, NameMapping
from quacklake.format.snapshot import Snapshot
from quacklake.format.table import Schema, Table, TableName, View
from quacklake.format.types import Column
from quacklake.kernel.ids import ColumnId, DataFileId, PartitionId, SchemaId, TableId
from quacklake.storage.writing.manifest import WrittenFile

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A data file this transaction wrote; with `carries_row_ids` its rows had ids before."""

    id: DataFileId
    written: WrittenFile
    partition: PartitionId | None = None
    carries_row_ids: bool = False
    mapping: NameMapping | None = None


@dataclass(frozen=True, slots=True)
class StagedRows:
    """Rows for the catalog itself: `row_id` first, NULL for new rows, then `columns`."""

    columns: tuple[Column, ...]
    rows: pa.Table


@dataclass(frozen=True, slots=True)
class FileDeletes:
    """More positions of a committed file to delete, beside those `already` inlined."""

    file: DataFile
    already: tuple[int, ...]
    positions: Positions


@dataclass(frozen=True, slots=True)
class TableDraft:
    """One table: as committed (`base`, None if made here) and as the transaction has it.

    `path` is its folder as stored, and whether that is relative to the schema's; it is known
    for tables made or renamed here. With `borrows_ids` the row ids that files carry are not the
    table's own but those of another one.
    """

    table: Table
    schema: SchemaId
    base: Table | None
    path: tuple[str, bool] | None = None
    dropped: bool = False
    files: tuple[StagedFile, ...] = ()
    borrows_ids: bool = False
    own_deletes: Mapping[DataFileId, Positions] = field(default_factory=dict)
    rows: tuple[StagedRows, ...] = ()
    deletes: Mapping[DataFileId, FileDeletes] = field(default_factory=dict)
    ended_rows: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    column_comments: Mapping[ColumnId, str | None] = field(default_factory=dict)
    tags: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def is_new(self) -> bool:
        """Whether the table was made in this transaction."""
        return self.base is None

    @property
    def changes_rows(self) -> bool:
        """Whether rows are added or removed."""
        return bool(self.files or self.rows or self.deletes or self.ended_rows)


@dataclass(frozen=True, slots=True)
class ViewDraft:
    """A view made, renamed, commented or dropped; `base` is None if made here."""

    id: int
    schema: SchemaId
    view: View
    base: View | None = None
    dropped: bool = False
    tags: Mapping[str, str | None] = field(default_factory=dict)


class Entry(Protocol):
    """Something for our own tables, written in the commit of the changes it is about.

    Asked once for each attempt to commit, after ids were given; an attempt that loses leaves
    nothing, and the next one asks again.
    """

    def mutations(self, catalog_id: Callable[[int], int], snapshot: int) -> Iterable[Mutation]:
        """What is written; `catalog_id` gives the real id of something made in the draft."""


@dataclass(frozen=True, slots=True)
class Draft:
    """Everything a transaction will commit, on top of the snapshot it began from.

    `entries` alone are nothing to commit.
    """

    base: Snapshot
    new_schemas: tuple[Schema, ...] = ()
    dropped_schemas: tuple[Schema, ...] = ()
    tables: Mapping[TableId, TableDraft] = field(default_factory=dict)
    views: Mapping[int, ViewDraft] = field(default_factory=dict)
    entries: tuple[Entry, ...] = ()
    last_local_id: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether a commit would change nothing."""
        tables = any(_says_something(table) for table in self.tables.values())
        views = any(
            view.base != view.view or view.dropped or view.tags for view in self.views.values()
        )
        return not (tables or views or self.new_schemas or self.dropped_schemas)

    def local_id(self) -> tuple[int, Draft]:
        """An id for something made here, and the draft that remembers it was given."""
        given = self.last_local_id - 1
        return given, replace(self, last_local_id=given)

    def with_table(self, draft: TableDraft) -> Draft:
        """The draft with `draft` in place of what it had staged for the table."""
        return replace(self, tables={**self.tables, draft.table.id: draft})

    def without_table(self, table: TableId) -> Draft:
        """The draft as if the table had never been made."""
        return replace(self, tables={k: v for k, v in self.tables.items() if k != table})

    def with_view(self, draft: ViewDraft) -> Draft:
        """The draft with `draft` in place of what it had staged for the view."""
        return replace(self, views={**self.views, draft.id: draft})

    def with_entry(self, entry: Entry) -> Draft:
        """The draft with one more entry for our own tables."""
        return replace(self, entries=(*self.entries, entry))

    def table_called(self, name: TableName) -> TableDraft | None:
        """The staged table that has this name now."""
        for draft in self.tables.values():
            if not draft.dropped and same_name(draft.table.name, name):
                return draft
        return None


def same_name(left: TableName, right: TableName) -> bool:
    """Whether two names mean the same entry: case does not matter."""
    return (left.schema.casefold(), left.table.casefold()) == (
        right.schema.casefold(),
        right.table.casefold(),
    )


def is_altered(draft: TableDraft) -> bool:
    """Whether the table's definition differs from the committed one, its name aside."""
    if draft.base is None or draft.dropped:
        return False
    changed = replace(draft.table, name=draft.base.name) != draft.base
    return changed or bool(draft.column_comments or draft.tags)


def is_renamed(draft: TableDraft) -> bool:
    """Whether the table has another name than the committed one."""
    return draft.base is not None and not draft.dropped and draft.table.name != draft.base.name


def _says_something(draft: TableDraft) -> bool:
    return (
        draft.is_new
        or draft.dropped
        or draft.changes_rows
        or is_altered(draft)
        or is_renamed(draft)
    )

"""What a draft does to the lake, in the words of the format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from quacklake.format.changes import Change, ChangeKind
from quacklake.format.types import Column, type_name
from quacklake.kernel.ids import ColumnId, DataFileId, SchemaId, TableId
from quacklake.transaction.columns import change_between, rows_of
from quacklake.transaction.conflicts import Footprint
from quacklake.transaction.deletion import Deletion, Inlined, Written
from quacklake.transaction.draft import Draft, TableDraft, is_altered, is_renamed

Kind = ChangeKind

CATALOG_CHANGES: Final = frozenset(
    {
        Kind.DROPPED_SCHEMA,
        Kind.DROPPED_TABLE,
        Kind.DROPPED_VIEW,
        Kind.CREATED_SCHEMA,
        Kind.CREATED_TABLE,
        Kind.CREATED_VIEW,
        Kind.ALTERED_TABLE,
        Kind.ALTERED_VIEW,
    }
)
"""Changes after which other sessions must load the catalog anew."""


def changes_of(draft: Draft, done: Mapping[TableId, Sequence[Deletion]]) -> tuple[Change, ...]:
    """The changes a commit writes down; ids of things made here are still local."""
    found = [Change(Kind.DROPPED_SCHEMA, id=int(s.id)) for s in draft.dropped_schemas]
    found += [Change(Kind.CREATED_SCHEMA, names=(s.name,)) for s in draft.new_schemas]
    for table in draft.tables.values():
        found += _table_changes(table, done.get(table.table.id, ()))
    for view in draft.views.values():
        names = (view.view.name.schema, view.view.name.table)
        if view.dropped:
            found.append(Change(Kind.DROPPED_VIEW, id=view.id))
        elif view.view != view.base:
            found.append(Change(Kind.CREATED_VIEW, names=names))
        if view.tags and not view.dropped:
            found.append(Change(Kind.ALTERED_VIEW, id=view.id))
    return tuple(found)


def _table_changes(draft: TableDraft, done: Sequence[Deletion]) -> Iterator[Change]:
    own = int(draft.table.id)
    names = (draft.table.name.schema, draft.table.name.table)
    if draft.dropped:
        yield Change(Kind.DROPPED_TABLE, id=own)
        return
    if draft.is_new or is_renamed(draft):
        yield Change(Kind.CREATED_TABLE, names=names)
    if draft.files:
        yield Change(Kind.INSERTED_INTO_TABLE, id=own)
    committed = [deletion for deletion in done if deletion.file >= 0]
    if any(not isinstance(deletion, Inlined) for deletion in committed):
        yield Change(Kind.DELETED_FROM_TABLE, id=own)
    if is_altered(draft):
        yield Change(Kind.ALTERED_TABLE, id=own)
    if draft.rows:
        yield Change(Kind.INLINED_INSERT, id=own)
    if draft.ended_rows or any(isinstance(deletion, Inlined) for deletion in committed):
        yield Change(Kind.INLINED_DELETE, id=own)


def guards_of(draft: Draft, done: Mapping[TableId, Sequence[Deletion]]) -> tuple[Change, ...]:
    """Words that make a DuckDB writer give way which is about to commit and would lose data.

    DuckDB overlooks an inlined delete when it compacts or writes a delete file, a delete file
    when it deletes in the catalog, and one that begins in the past, because it replaces another,
    when it writes a delete file; a row would be back, or be deleted twice. It does heed these
    words. They change nothing for readers.
    """
    found: list[Change] = []
    for identity, deletions in done.items():
        own = int(identity)
        committed = [deletion for deletion in deletions if deletion.file >= 0]
        if any(isinstance(deletion, Inlined) for deletion in committed):
            found += [Change(Kind.DELETED_FROM_TABLE, id=own), Change(Kind.INLINED_INSERT, id=own)]
        if any(not isinstance(deletion, Inlined) for deletion in committed):
            found.append(Change(Kind.INLINED_DELETE, id=own))
        if any(isinstance(deletion, Written) and deletion.replaced for deletion in committed):
            found.append(Change(Kind.INLINED_INSERT, id=own))
    said = changes_of(draft, done)
    return tuple(change for change in dict.fromkeys(found) if change not in said)


def needs_schema_row(draft: TableDraft) -> bool:
    """Whether the table's own schema history gains a version: not for comments or sort order."""
    if draft.base is None or is_renamed(draft):
        return True
    columns = change_between(draft.base.columns, draft.table.columns)
    return bool(columns.ended or columns.begun) or draft.base.partition != draft.table.partition


def needs_inlined_table(draft: TableDraft) -> bool:
    """Whether rows kept by the catalog need a table of another shape from now on."""
    if draft.base is None or is_renamed(draft) or draft.base.partition != draft.table.partition:
        return True
    return _shape(draft.base.columns) != _shape(draft.table.columns)


def is_retyped(draft: TableDraft) -> bool:
    """Whether a column that was there before has another type now."""
    if draft.base is None or draft.dropped:
        return False
    before = _types(draft.base.columns)
    return any(before.get(i, own) != own for i, own in _types(draft.table.columns).items())


def _types(columns: tuple[Column, ...]) -> dict[ColumnId, str]:
    return {row.column.id: type_name(row.column.type) for row in rows_of(columns)}


def _shape(columns: tuple[Column, ...]) -> list[tuple[int, str, str]]:
    return [(int(r.column.id), r.column.name, type_name(r.column.type)) for r in rows_of(columns)]


def footprint_of(
    draft: Draft,
    done: Mapping[TableId, Sequence[Deletion]],
    schemas: Mapping[str, SchemaId],
) -> Footprint:
    """What the conflict rules must know of a draft."""
    files: dict[TableId, frozenset[DataFileId]] = {
        identity: frozenset(table.deletes) for identity, table in draft.tables.items()
    }
    committed = tuple(c for c in changes_of(draft, done) if c.id is None or c.id >= 0)
    return Footprint(committed, files, schemas)

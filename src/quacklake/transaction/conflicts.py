"""Whether what others committed meanwhile takes away what a transaction relies on.

A pure function of both sides' changes. It is at least as strict as DuckDB's own rules, and
stricter where those lose data: inlined deletes count as deletes of their files, against
compaction and against each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from quacklake.format.changes import Change, ChangeKind
from quacklake.kernel.ids import DataFileId, SchemaId, SnapshotId, TableId

Kind = ChangeKind

_DROPS: Final = {
    Kind.DROPPED_TABLE: Kind.DROPPED_TABLE,
    Kind.DROPPED_VIEW: Kind.DROPPED_VIEW,
    Kind.DROPPED_SCALAR_MACRO: Kind.DROPPED_SCALAR_MACRO,
    Kind.DROPPED_TABLE_MACRO: Kind.DROPPED_TABLE_MACRO,
}
_INSERTS: Final = frozenset({Kind.INSERTED_INTO_TABLE, Kind.INLINED_INSERT})
_DELETES: Final = frozenset({Kind.DELETED_FROM_TABLE, Kind.INLINED_DELETE})
_COMPACTIONS: Final = frozenset({Kind.MERGE_ADJACENT, Kind.REWRITE_DELETE})
_GONE_OR_ALTERED: Final = frozenset({Kind.DROPPED_TABLE, Kind.ALTERED_TABLE})

SAME_TABLE: Final[Mapping[Kind, frozenset[Kind]]] = {
    Kind.INSERTED_INTO_TABLE: _GONE_OR_ALTERED | _DELETES,
    Kind.INLINED_INSERT: _GONE_OR_ALTERED | _DELETES,
    # A flush may write a delete file that begins in the past, so the touched files miss it.
    Kind.DELETED_FROM_TABLE: _GONE_OR_ALTERED | _INSERTS | _COMPACTIONS | {Kind.INLINE_FLUSH},
    Kind.INLINED_DELETE: _GONE_OR_ALTERED
    | _INSERTS
    | _COMPACTIONS
    | {Kind.INLINED_DELETE, Kind.INLINE_FLUSH},
    Kind.ALTERED_TABLE: _GONE_OR_ALTERED,
    Kind.MERGE_ADJACENT: _DELETES | _COMPACTIONS | {Kind.DROPPED_TABLE},
    Kind.REWRITE_DELETE: _DELETES | _COMPACTIONS | {Kind.DROPPED_TABLE},
    Kind.INLINE_FLUSH: frozenset({Kind.DROPPED_TABLE, Kind.INLINED_DELETE, Kind.INLINE_FLUSH}),
    Kind.ALTERED_VIEW: frozenset({Kind.ALTERED_VIEW, Kind.DROPPED_VIEW}),
    **{kind: frozenset({kind}) for kind in _DROPS},
}
"""What of theirs, on the same object, undoes each kind of ours."""

_CREATED_ENTRIES: Final = frozenset({Kind.CREATED_TABLE, Kind.CREATED_VIEW})
_CREATED_MACROS: Final = frozenset({Kind.CREATED_SCALAR_MACRO, Kind.CREATED_TABLE_MACRO})


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a transaction does, and what it relies on.

    `files` are the data files of each table from which it deletes or whose deletes it moves;
    `schemas` are the schemas its changes name, by their folded names.
    """

    changes: tuple[Change, ...]
    files: Mapping[TableId, frozenset[DataFileId]] = field(default_factory=dict)
    schemas: Mapping[str, SchemaId] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TheirCommit:
    """A snapshot committed since the transaction began."""

    snapshot: SnapshotId
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """The two changes that cannot both stand."""

    ours: Change
    theirs: Change
    snapshot: SnapshotId


def first_conflict(
    ours: Footprint,
    theirs: Iterable[TheirCommit],
    touched: Mapping[TableId, frozenset[DataFileId]],
) -> Conflict | None:
    """The first conflict, or None; `touched` are the files others deleted from meanwhile."""
    for commit in theirs:
        for their_change in commit.changes:
            for our_change in ours.changes:
                if _undone(our_change, their_change, ours, touched):
                    return Conflict(our_change, their_change, commit.snapshot)
    return None


def _undone(
    ours: Change,
    theirs: Change,
    footprint: Footprint,
    touched: Mapping[TableId, frozenset[DataFileId]],
) -> bool:
    if ours.names or theirs.names:
        return _names_clash(ours, theirs, footprint)
    if ours.kind is Kind.DROPPED_SCHEMA or theirs.kind is Kind.DROPPED_SCHEMA:
        return ours.kind is theirs.kind and ours.id == theirs.id
    if ours.id != theirs.id:
        return False
    if theirs.kind in SAME_TABLE.get(ours.kind, frozenset()):
        return True
    return theirs.kind in _DELETES and _same_file(ours, footprint, touched)


def _same_file(
    ours: Change, footprint: Footprint, touched: Mapping[TableId, frozenset[DataFileId]]
) -> bool:
    """Two deletes meet only inside a file; appends never look back."""
    if ours.kind not in _DELETES | {Kind.INLINE_FLUSH} or ours.id is None:
        return False
    table = TableId(ours.id)
    return bool(footprint.files.get(table, frozenset()) & touched.get(table, frozenset()))


def _names_clash(ours: Change, theirs: Change, footprint: Footprint) -> bool:
    if ours.kind is Kind.DROPPED_SCHEMA:
        return _schema_of(theirs, footprint) == ours.id
    if theirs.kind is Kind.DROPPED_SCHEMA:
        return _schema_of(ours, footprint) == theirs.id
    if _fold(ours) != _fold(theirs) or not ours.names:
        return False
    if ours.kind in _CREATED_ENTRIES:
        return theirs.kind in _CREATED_ENTRIES
    if ours.kind in _CREATED_MACROS:
        return theirs.kind is ours.kind
    return ours.kind is theirs.kind


def _schema_of(change: Change, footprint: Footprint) -> SchemaId | None:
    """The schema an entry is created in; None for a change that creates no entry."""
    *schema, _ = _fold(change) or ("",)
    return footprint.schemas.get(schema[0]) if schema else None


def _fold(change: Change) -> tuple[str, ...]:
    return tuple(name.casefold() for name in change.names)

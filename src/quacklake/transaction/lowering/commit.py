"""One commit as catalog rows: the snapshot, every mutation in order, and what it says it did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from quacklake.catalog.inspection import TableStats
from quacklake.catalog.mutations import CreateInlined, Insert, Mutation
from quacklake.format.changes import Change, render_changes
from quacklake.format.snapshot import Snapshot
from quacklake.kernel.ids import TableId
from quacklake.transaction.commit import Lowered
from quacklake.transaction.deletion import Deletion
from quacklake.transaction.draft import Draft
from quacklake.transaction.footprint import (
    CATALOG_CHANGES,
    changes_of,
    guards_of,
    is_retyped,
    needs_inlined_table,
    needs_schema_row,
)
from quacklake.transaction.lowering import objects, removals, rows
from quacklake.transaction.lowering.numbering import Numbering


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """What a user says about a commit."""

    author: str | None = None
    message: str | None = None
    extra_info: str | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What a commit must know of the catalog it meets, read after its id is claimed.

    `inlining` are the tables whose small inserts the catalog may keep, `inlined_versions` the
    newest inlined data table of each.
    """

    statistics: Mapping[TableId, TableStats | None]
    inlined_versions: Mapping[TableId, int | None]
    inlining: frozenset[TableId]
    data_path: str


def lowered(
    draft: Draft,
    head: Snapshot,
    known: Known,
    done: Mapping[TableId, Sequence[Deletion]],
    info: CommitInfo,
    now: datetime,
) -> Lowered:
    """The commit of `draft` on top of `head`."""
    numbers = Numbering(head)
    objects.give_ids(draft, numbers)
    places = {
        identity: rows.placed(table, known.statistics.get(identity))
        for identity, table in draft.tables.items()
        if not table.dropped
    }
    version = head.schema_version + 1
    fresh_inlined = frozenset(_fresh_inlined(draft, known))
    versions = {
        t: version if t in fresh_inlined else (known.inlined_versions.get(t) or 0)
        for t in draft.tables
    }
    mutations = (
        *objects.dropped(draft, numbers),
        *objects.new_schemas(draft, numbers),
        *objects.tables(draft, numbers),
        *objects.partitions(draft, numbers),
        *objects.views(draft, numbers),
        *objects.tags(draft, numbers),
        *objects.changed_columns(draft, numbers),
        *_inlined_tables(draft, numbers, fresh_inlined, version),
        *objects.sort_orders(draft, numbers),
        *rows.table_statistics(draft, numbers, places),
        *rows.data_files(draft, numbers, places),
        *rows.inlined_rows(draft, numbers, places, versions),
        *removals.removals(draft, numbers, done, known.data_path, now),
        *_schema_versions(draft, numbers, fresh_inlined, version),
        *(m for e in draft.entries for m in e.mutations(numbers.catalog_id, int(numbers.snapshot))),
    )
    if any(is_retyped(table) for table in draft.tables.values()):
        # DuckDB caches statistics by this number; with those of the old type it would go on to
        # write bounds that hide rows.
        numbers.new_file_id()
    changes = changes_of(draft, done)
    bumps = bool(fresh_inlined) or any(change.kind in CATALOG_CHANGES for change in changes)
    snapshot = Snapshot(
        numbers.snapshot,
        now,
        version if bumps else head.schema_version,
        numbers.next_catalog_id,
        numbers.next_file_id,
    )
    written = (*changes, *guards_of(draft, done))
    text = render_changes(_with_real_ids(written, numbers))
    said = (int(snapshot.id), text, info.author, info.message, info.extra_info)
    return Lowered(snapshot, (*mutations, Insert("snapshot_changes", (said,))), text)


def _fresh_inlined(draft: Draft, known: Known) -> Iterator[TableId]:
    """Tables that get a new inlined data table: their columns changed, or they had none."""
    for identity, table in draft.tables.items():
        if table.dropped or identity not in known.inlining:
            continue
        if needs_inlined_table(table) or (
            table.rows and known.inlined_versions.get(identity) is None
        ):
            yield identity


def _inlined_tables(
    draft: Draft, numbers: Numbering, fresh: frozenset[TableId], version: int
) -> Iterator[Mutation]:
    for identity in draft.tables:
        if identity in fresh:
            own = TableId(numbers.catalog_id(identity))
            yield CreateInlined(own, version, draft.tables[identity].table.columns)


def _schema_versions(
    draft: Draft, numbers: Numbering, fresh: frozenset[TableId], version: int
) -> Iterator[Mutation]:
    """Without these rows compaction fails and inlined rows cannot be read: never leave one out."""
    made = tuple(
        (int(numbers.snapshot), version, numbers.catalog_id(identity))
        for identity, table in draft.tables.items()
        if not table.dropped and (needs_schema_row(table) or identity in fresh)
    )
    if made:
        yield Insert("schema_versions", made)


def _with_real_ids(changes: tuple[Change, ...], numbers: Numbering) -> tuple[Change, ...]:
    return tuple(
        change if change.id is None else Change(change.kind, numbers.catalog_id(change.id))
        for change in changes
    )

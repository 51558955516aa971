"""A draft as something to commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from quacklake.catalog.writer import CatalogWriter
from quacklake.format.snapshot import Snapshot
from quacklake.kernel.ids import SchemaId, SnapshotId, TableId
from quacklake.storage.filesystem import Storage
from quacklake.storage.writing.deletes import write_delete_file
from quacklake.storage.writing.manifest import WrittenDelete
from quacklake.transaction.commit import Lowered
from quacklake.transaction.conflicts import Footprint
from quacklake.transaction.deletion import Deletion, Written, deletions
from quacklake.transaction.draft import Draft, Positions, TableDraft
from quacklake.transaction.footprint import footprint_of
from quacklake.transaction.lowering.commit import CommitInfo, Known, lowered


@dataclass(frozen=True, slots=True)
class Setting:
    """What a commit needs to know beside the draft: options, and names of schemas."""

    info: CommitInfo
    inlining_limits: Mapping[TableId, int]
    schemas: Mapping[str, SchemaId]
    data_path: str
    encrypted: bool


class DraftProposal:
    """The changes of one transaction."""

    def __init__(self, draft: Draft, setting: Setting, storage: Storage) -> None:
        self.base = draft.base.id
        self._draft = draft
        self._setting = setting
        self._storage = storage
        self._done: dict[TableId, tuple[Deletion, ...]] = {}
        self._written: list[str] = []

    def prepare(self, at: SnapshotId) -> None:
        """Write the delete files, tagged with the snapshot they will belong to."""
        limits = self._setting.inlining_limits
        for identity, table in self._draft.tables.items():
            if table.deletes or table.own_deletes:
                self._done[identity] = deletions(
                    table,
                    (self.base, at),
                    limit=limits.get(identity, 0),
                    storage=self._storage,
                    write=partial(self._write, table),
                )

    def _write(
        self, table: TableDraft, location: str, positions: Positions, tags: Positions | None
    ) -> WrittenDelete:
        made = write_delete_file(
            self._storage,
            table.table.location,
            location,
            positions,
            tags,
            encrypt=self._setting.encrypted,
        )
        self._written.append(made.location)
        return made

    def depends_on_id(self) -> bool:
        """Whether a delete file names the snapshot it was written for."""
        return any(
            isinstance(deletion, Written) and deletion.replaced is not None
            for done in self._done.values()
            for deletion in done
        )

    def footprint(self) -> Footprint:
        """What the draft does and relies on."""
        return footprint_of(self._draft, self._done, self._setting.schemas)

    def lowered(self, writer: CatalogWriter, head: Snapshot) -> Lowered:
        """The rows that put the draft on top of `head`."""
        known = self._known(writer)
        now = datetime.now(UTC)
        return lowered(self._draft, head, known, self._done, self._setting.info, now)

    def _known(self, writer: CatalogWriter) -> Known:
        """What must be asked: nothing of tables that gain no rows, or have no past."""
        tables = {t: d for t, d in self._draft.tables.items() if not d.dropped}
        committed = {t: d for t, d in tables.items() if not d.is_new}
        limits = self._setting.inlining_limits
        return Known(
            {t: writer.table_stats(d.table) for t, d in committed.items() if d.files or d.rows},
            {t: writer.newest_inlined_version(d.table) for t, d in committed.items() if d.rows},
            frozenset(t for t in tables if limits.get(t, 0) > 0),
            self._setting.data_path,
        )

    def discard(self) -> None:
        """Delete the delete files of an attempt that did not land."""
        while self._written:
            self._storage.discard(self._written.pop())
        self._done.clear()

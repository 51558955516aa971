"""The ids a commit hands out, counted on from the snapshot it follows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from quacklake.format.snapshot import Snapshot
from quacklake.kernel.ids import SnapshotId


@dataclass(slots=True)
class Numbering:
    """Counters of one commit attempt; a local id keeps the real one it was given first."""

    head: Snapshot
    catalog_ids: dict[int, int] = field(default_factory=dict)
    file_ids: dict[int, int] = field(default_factory=dict)
    next_catalog_id: int = 0
    next_file_id: int = 0

    def __post_init__(self) -> None:
        self.next_catalog_id = self.head.next_catalog_id
        self.next_file_id = self.head.next_file_id

    @property
    def snapshot(self) -> SnapshotId:
        """The id of the snapshot being made."""
        return SnapshotId(self.head.id + 1)

    def give_catalog_ids(self, locals_: Iterable[int]) -> None:
        """Real ids for things made here, in this order."""
        for local in locals_:
            self.catalog_ids[local] = self.next_catalog_id
            self.next_catalog_id += 1

    def catalog_id(self, maybe_local: int) -> int:
        """The real id of a schema, table, view, partition or sort specification."""
        return maybe_local if maybe_local >= 0 else self.catalog_ids[maybe_local]

    def new_file_id(self, local: int | None = None) -> int:
        """The next id of a data file, delete file or name mapping."""
        given = self.next_file_id
        self.next_file_id += 1
        if local is not None:
            self.file_ids[local] = given
        return given

    def file_id(self, maybe_local: int) -> int:
        """The real id of a data file."""
        return maybe_local if maybe_local >= 0 else self.file_ids[maybe_local]

"""What every handle of an open lake shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from quacklake.catalog.connection import Catalog
from quacklake.catalog.reader import CatalogReader
from quacklake.kernel.ids import ColumnId, DataFileId
from quacklake.scan.plan import Request, ScanPlan, plan_scan
from quacklake.storage.filesystem import Storage


class Session:
    """An open catalog and the storage its files lie in. Safe to share between threads.

    `bulk` says that large changes run on the cluster, and not in this process.
    """

    __slots__ = ("bulk", "catalog", "cluster", "storage")

    def __init__(
        self,
        catalog: Catalog,
        storage: Storage,
        cluster: object = None,
        *,
        bulk: bool = False,
    ) -> None:
        self.catalog = catalog
        self.storage = storage
        self.cluster = cluster
        self.bulk = bulk

    def plan(self, request: Request) -> ScanPlan:
        """The files and rows that answer a request now."""
        with self.reading() as reader:
            return plan_scan(reader, request)

    def complete_files(self, plan: ScanPlan, columns: Sequence[ColumnId]) -> frozenset[DataFileId]:
        """Files that have statistics of every column, and so hold it."""
        wanted = set(columns)
        found: dict[DataFileId, set[ColumnId]] = {}
        with self.reading() as reader:
            for stats in reader.file_stats(plan.table, plan.snapshot):
                if stats.column in wanted:
                    found.setdefault(stats.file, set()).add(stats.column)
        return frozenset(file for file, seen in found.items() if seen == wanted)

    @contextmanager
    def reading(self) -> Iterator[CatalogReader]:
        """One consistent view of the catalog."""
        with self.catalog.read() as reader:
            yield reader

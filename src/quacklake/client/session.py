"""What every handle of an open lake shares."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final, TypeVar

from quacklake.catalog.connection import Catalog
from quacklake.catalog.reader import CatalogReader
from quacklake.format.types import NameEver, TypeEver
from quacklake.kernel.errors import Busy
from quacklake.kernel.ids import ColumnId, DataFileId
from quacklake.scan.plan import Request, ScanPlan, plan_scan
from quacklake.storage.filesystem import Storage

T = TypeVar("T")

_ATTEMPTS: Final = 5
_PAUSE_SECONDS: Final = 0.05


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
        return self.asked(lambda reader: plan_scan(reader, request))

    def complete_files(self, plan: ScanPlan, columns: Sequence[ColumnId]) -> frozenset[DataFileId]:
        """Files that have statistics of every column, and so hold it."""
        wanted = set(columns)
        found: dict[DataFileId, set[ColumnId]] = {}
        with self.reading() as reader:
            for stats in reader.file_stats(plan.table, plan.snapshot):
                if stats.column in wanted:
                    found.setdefault(stats.file, set()).add(stats.column)
        return frozenset(file for file, seen in found.items() if seen == wanted)

    def types_ever(self, plan: ScanPlan) -> tuple[TypeEver, ...]:
        """The types that the columns of a plan's table have and had."""
        with self.reading() as reader:
            return reader.types_ever(plan.table)

    def names_ever(self, plan: ScanPlan) -> tuple[NameEver, ...]:
        """The names that the columns of a plan's table have and had."""
        with self.reading() as reader:
            return reader.names_ever(plan.table)

    def asked(self, question: Callable[[CatalogReader], T]) -> T:
        """The answer to a question in one view of the catalog, and in a newer one if need be."""
        for _ in range(_ATTEMPTS - 1):
            with suppress(Busy), self.reading() as reader:
                return question(reader)
            time.sleep(_PAUSE_SECONDS)
        with self.reading() as reader:
            return question(reader)

    @contextmanager
    def reading(self) -> Iterator[CatalogReader]:
        """One consistent view of the catalog."""
        with self.catalog.read() as reader:
            yield reader

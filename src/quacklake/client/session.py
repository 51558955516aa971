"""What every handle of an open lake shares."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from quacklake.catalog.connection import Catalog
from quacklake.catalog.reader import CatalogReader
from quacklake.scan.plan import Request, ScanPlan, plan_scan
from quacklake.storage.filesystem import Storage


class Session:
    """An open catalog and the storage its files lie in. Safe to share between threads."""

    __slots__ = ("catalog", "storage")

    def __init__(self, catalog: Catalog, storage: Storage) -> None:
        self.catalog = catalog
        self.storage = storage

    def plan(self, request: Request) -> ScanPlan:
        """The files and rows that answer a request now."""
        with self.reading() as reader:
            return plan_scan(reader, request)

    @contextmanager
    def reading(self) -> Iterator[CatalogReader]:
        """One consistent view of the catalog."""
        with self.catalog.read() as reader:
            yield reader

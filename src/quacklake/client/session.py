"""What every handle of an open lake shares."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from quacklake.catalog.connection import Catalog
from quacklake.catalog.reader import CatalogReader
from quacklake.storage.filesystem import Storage


class Session:
    """An open catalog and the storage its files lie in. Safe to share between threads."""

    __slots__ = ("catalog", "storage")

    def __init__(self, catalog: Catalog, storage: Storage) -> None:
        self.catalog = catalog
        self.storage = storage

    @contextmanager
    def reading(self) -> Iterator[CatalogReader]:
        """One consistent view of the catalog."""
        with self.catalog.read() as reader:
            yield reader

"""From an address to an open session: a catalog, and the storage its files lie in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from quacklake.catalog.connection import Catalog, open_catalog
from quacklake.catalog.location import CatalogLocation, parse_location
from quacklake.storage.filesystem import Storage
from quacklake.storage.options import StorageOptions


@dataclass(frozen=True, slots=True)
class Address:
    """Where a lake is and how it is reached; a value, so that other processes can open it."""

    url: str
    data_path: str | None = None
    metadata_schema: str | None = None
    read_only: bool = False
    create: bool = True
    encrypted: bool | None = None
    storage_options: Mapping[str, object] = field(default_factory=dict, repr=False)

    @property
    def location(self) -> CatalogLocation:
        """The catalog's place, checked."""
        return parse_location(self.url)

    def open(self) -> tuple[Catalog, Storage]:
        """The lake's catalog and storage; an empty lake is made if that is wanted."""
        storage = Storage(StorageOptions.parse(dict(self.storage_options)))
        opened = open_catalog(
            self.location,
            data_path=self.data_path,
            metadata_schema=self.metadata_schema,
            read_only=self.read_only,
            create=self.create,
            encrypted=self.encrypted,
        )
        return opened, storage

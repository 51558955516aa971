"""The metadata database of a lake."""

from quacklake.catalog.connection import Catalog, open_catalog
from quacklake.catalog.inspection import FileColumnStats, Option, TableColumnStats, TableStats
from quacklake.catalog.location import Backend, CatalogLocation, parse_location
from quacklake.catalog.reader import CatalogReader, InlinedRows

__all__ = [
    "Backend",
    "Catalog",
    "CatalogLocation",
    "CatalogReader",
    "FileColumnStats",
    "InlinedRows",
    "Option",
    "TableColumnStats",
    "TableStats",
    "open_catalog",
    "parse_location",
]

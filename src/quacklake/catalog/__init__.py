"""The metadata database of a lake."""

from quacklake.catalog.connection import Catalog, open_catalog
from quacklake.catalog.encode import inlinable, inlinable_rows
from quacklake.catalog.inspection import FileColumnStats, Option, TableStats
from quacklake.catalog.location import Backend, CatalogLocation, parse_location
from quacklake.catalog.reader import CatalogReader, InlinedRows
from quacklake.catalog.writer import CatalogWriter, Step, Steps

__all__ = [
    "Backend",
    "Catalog",
    "CatalogLocation",
    "CatalogReader",
    "CatalogWriter",
    "FileColumnStats",
    "InlinedRows",
    "Option",
    "Step",
    "Steps",
    "TableStats",
    "inlinable",
    "inlinable_rows",
    "open_catalog",
    "parse_location",
]

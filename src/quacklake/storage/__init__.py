"""Bytes at a location: object stores, Parquet files, delete files."""

from quacklake.storage.deletes import deleted_positions
from quacklake.storage.filesystem import Storage
from quacklake.storage.options import StorageOptions
from quacklake.storage.parquet import ParquetSource, RowGroup, open_parquet
from quacklake.storage.schema import FileSchema, ParquetField

__all__ = [
    "FileSchema",
    "ParquetField",
    "ParquetSource",
    "RowGroup",
    "Storage",
    "StorageOptions",
    "deleted_positions",
    "open_parquet",
]

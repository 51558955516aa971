"""Opening a Parquet file with the reader it needs."""

from __future__ import annotations

from quacklake.storage.arrow_source import ArrowSource
from quacklake.storage.duckdb_source import DuckDBSource
from quacklake.storage.encryption import arrow_can_decrypt, is_encrypted, key_bytes
from quacklake.storage.failures import reading
from quacklake.storage.filesystem import Storage
from quacklake.storage.schema import FileSchema, ParquetField
from quacklake.storage.source import ParquetSource, RowGroup, check_size

__all__ = ["FileSchema", "ParquetField", "ParquetSource", "RowGroup", "open_parquet"]


def open_parquet(
    storage: Storage,
    location: str,
    *,
    file_size: int | None = None,
    encryption_key: str | None = None,
) -> ParquetSource:
    """Open the file at `location`; size and key are what the catalog says of it."""
    handle = storage.open_input(location)
    with reading(location):
        check_size(location, handle.size(), file_size)
        if encryption_key is None or not is_encrypted(handle):
            return ArrowSource(storage, location, handle)
        key = key_bytes(encryption_key, location)
        if arrow_can_decrypt(handle, location):
            return ArrowSource(storage, location, handle, key)
        return DuckDBSource(storage, location, handle, key)

"""One Parquet file being written."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq

from quacklake.storage.failures import writing
from quacklake.storage.filesystem import Storage
from quacklake.storage.writing.encodings import Encodings
from quacklake.storage.writing.options import WriteOptions

_TRAILER: Final = 8
"""After the footer stand its length and the magic bytes, four each."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A complete file and its footer."""

    location: str
    size: int
    footer_size: int
    metadata: pq.FileMetaData
    encryption_key: str | None = field(default=None, repr=False)


class ParquetOutput:
    """A file that takes row groups until it is closed; `bounded` leaves get bounds, or all."""

    def __init__(
        self,
        storage: Storage,
        location: str,
        schema: pa.Schema,
        options: WriteOptions,
        *,
        encodings: Encodings | None = None,
        bounded: Sequence[str] | None = None,
    ) -> None:
        self.location = location
        self.row_count = 0
        properties = {
            "write_statistics": True if bounded is None else list(bounded),
            **_properties(options),
            **_encodings(encodings),
        }
        with writing(location):
            self._sink = storage.open_output(location)
            try:
                self._writer = pq.ParquetWriter(self._sink, schema, **properties)
            except BaseException:
                self._sink.close()
                storage.discard(location)
                raise

    def write(self, table: pa.Table) -> None:
        """Add `table` as one row group."""
        with writing(self.location):
            self._writer.write_table(table, row_group_size=max(table.num_rows, 1))
        self.row_count += table.num_rows

    def size(self) -> int:
        """The bytes written so far."""
        return int(self._sink.tell())

    def close(self) -> Finished:
        """Write the footer."""
        with writing(self.location):
            before = self._sink.tell()
            self._writer.close()
            size = self._sink.tell()
            self._sink.close()
        metadata = self._writer.writer.metadata
        return Finished(self.location, size, size - before - _TRAILER, metadata)

    def abandon(self) -> None:
        """Let go of the file, whatever state it is in."""
        for each in (self._writer, self._sink):
            try:
                each.close()
            except (OSError, pa.ArrowException):
                # The failure that led here is the one to tell.
                continue


def _properties(options: WriteOptions) -> dict[str, Any]:
    return {
        "compression": options.compression,
        "compression_level": options.compression_level,
        # The format's V2 is about pages; an older type system would lose unsigned and nanoseconds.
        "version": "2.6",
        "data_page_version": "2.0" if options.parquet_version == "V2" else "1.0",
        "store_schema": False,
        "store_decimal_as_integer": True,
    }


def _encodings(encodings: Encodings | None) -> dict[str, Any]:
    if encodings is None:
        return {}
    special = dict(encodings.special) or None
    return {"use_dictionary": list(encodings.dictionaries), "column_encoding": special}


def new_name(suffix: str = "") -> str:
    """A file name nobody else uses, in the order of time."""
    return f"ducklake-{_uuid7()}{suffix}.parquet"


def spark_folder() -> str:
    """A folder nobody else uses, in which Spark's own writer finishes files."""
    return f"ducklake-{_uuid7()}-spark"


def _uuid7() -> UUID:
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10), "big")
    value = (milliseconds << 80) | random
    value = (value & ~(0xF << 76)) | (0x7 << 76)
    return UUID(int=(value & ~(0x3 << 62)) | (0x2 << 62))


def directory_of(directory: str, folders: Sequence[str]) -> str:
    """`directory` with folders below it, ending in a slash."""
    start = directory if directory.endswith("/") else directory + "/"
    return start + "".join(f"{folder}/" for folder in folders)

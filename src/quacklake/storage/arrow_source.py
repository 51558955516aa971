"""A Parquet file read by Arrow; its variant columns, if asked for, by DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from quacklake.storage.duckdb_reader import DuckDBReader
from quacklake.storage.encryption import decryption_properties
from quacklake.storage.failures import reading
from quacklake.storage.filesystem import Storage
from quacklake.storage.schema import FileSchema, ParquetField, as_plain, file_schema
from quacklake.storage.source import row_groups_of

_FETCHED_WHOLE: Final = 1 << 20
"""Remote files up to this size are one request: a second one would take longer than the rest."""


class ArrowSource:
    """A file that Arrow's own reader can read."""

    def __init__(
        self, storage: Storage, location: str, handle: pa.NativeFile, key: bytes | None = None
    ) -> None:
        self.location = location
        self._storage = storage
        self._key = key
        self._remote = storage.local_path(location) is None
        self._whole: pa.Buffer | None = None
        self._variants: DuckDBReader | None = None
        with reading(location):
            if self._remote and handle.size() <= _FETCHED_WHOLE:
                self._whole = handle.read_buffer()
                handle = pa.BufferReader(self._whole)
            first = self._parquet_file(handle, None)
            self.metadata: pq.FileMetaData = first.metadata
            self.schema: FileSchema = file_schema(first.schema_arrow)
        self._idle: list[pq.ParquetFile] = [first]
        self.row_groups = row_groups_of(self.metadata)

    def read(self, row_groups: Sequence[int], columns: Sequence[ParquetField]) -> pa.Table:
        """See `ParquetSource.read`."""
        variants = {each.leaves: each for each in columns if each.variant}
        others = [each for each in columns if not each.variant]
        leaves = leaves_to_read(self.schema, others)
        table = self._read(row_groups, leaves)
        return self._merged(table, leaves, variants, row_groups) if variants else table

    def close(self) -> None:
        """See `ParquetSource.close`."""
        while self._idle:
            self._idle.pop().close(force=True)
        if self._variants is not None:
            self._variants.close()

    def _read(self, row_groups: Sequence[int], leaves: list[int]) -> pa.Table:
        file = self._borrow()
        with reading(self.location):
            table: pa.Table = file.reader.read_row_groups(
                list(row_groups), column_indices=leaves, use_threads=False
            )
        self._idle.append(file)
        return table if self.schema.is_plain else as_plain(table)

    def _merged(
        self,
        table: pa.Table,
        leaves: list[int],
        variants: dict[range, ParquetField],
        row_groups: Sequence[int],
    ) -> pa.Table:
        """`table` with the variants put where the file has them."""
        rest = iter(table.columns)
        names: list[str] = []
        columns: list[pa.ChunkedArray[Any]] = []
        for position, field in enumerate(self.schema.fields):
            if field.leaves in variants:
                columns.append(self._variant(variants[field.leaves], position, row_groups))
                names.append(field.name)
            elif not set(field.leaves).isdisjoint(leaves):
                columns.append(next(rest))
                names.append(field.name)
        return pa.table(columns, names=names)

    def _variant(
        self, field: ParquetField, position: int, row_groups: Sequence[int]
    ) -> pa.ChunkedArray[Any]:
        if self._variants is None:
            self._variants = DuckDBReader(self._storage, self.location, self._key)
        groups = [self.row_groups[index] for index in row_groups]
        return self._variants.read([(position, field)], groups).column(0)

    def _borrow(self) -> pq.ParquetFile:
        """A reader no other thread is using: Arrow's readers are not safe to share."""
        try:
            return self._idle.pop()
        except IndexError:
            with reading(self.location):
                return self._parquet_file(self._reopened(), self.metadata)

    def _reopened(self) -> pa.NativeFile:
        if self._whole is not None:
            return pa.BufferReader(self._whole)
        return self._storage.open_input(self.location)

    def _parquet_file(
        self, handle: pa.NativeFile, metadata: pq.FileMetaData | None
    ) -> pq.ParquetFile:
        return pq.ParquetFile(
            handle,
            metadata=metadata,
            # Coalescing requests pays over a network and costs on a disk.
            pre_buffer=self._remote and self._whole is None,
            coerce_int96_timestamp_unit="us",
            decryption_properties=None if self._key is None else decryption_properties(self._key),
            arrow_extensions_enabled=False,
        )


def leaves_to_read(schema: FileSchema, columns: Sequence[ParquetField]) -> list[int]:
    """The leaf columns that make up `columns`, maps completed."""
    wanted: set[int] = set()
    for column in columns:
        wanted.update(column.leaves)
    for field in schema.fields:
        if field.children:
            _complete_maps(field, wanted)
    return sorted(wanted)


def _complete_maps(field: ParquetField, wanted: set[int]) -> None:
    """Half a map is not a map to Arrow: a wanted entry brings its key, and a key its value."""
    if wanted.isdisjoint(field.leaves):
        return
    if pa.types.is_map(field.type):
        key, value = field.children
        wanted.update(key.leaves)
        if wanted.isdisjoint(value.leaves):
            wanted.update(value.leaves)
    for child in field.children:
        _complete_maps(child, wanted)

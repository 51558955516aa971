"""A Parquet file read by Arrow; its variant columns, if asked for, by DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.parquet.core import ParquetReader

from quacklake.storage.duckdb_reader import DuckDBReader
from quacklake.storage.encryption import decryption_properties
from quacklake.storage.failures import reading
from quacklake.storage.filesystem import Storage
from quacklake.storage.schema import FileSchema, ParquetField, as_plain, file_schema
from quacklake.storage.selection import Keep, selected
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
            first = self._reader(handle, None)
            self.metadata: pq.FileMetaData = first.metadata
            self.schema: FileSchema = file_schema(first.schema_arrow)
            self._encoded = columns_to_leave_encoded(self.schema, self.metadata)
            if self._encoded:
                first = self._reader(handle, self.metadata)
        self._idle: list[ParquetReader] = [first]
        self.row_groups = row_groups_of(self.metadata)

    def read(
        self,
        row_groups: Sequence[int],
        columns: Sequence[ParquetField],
        keep: Keep | None = None,
        *,
        alone: bool = False,
    ) -> pa.Table:
        """See `ParquetSource.read`."""
        variants = {each.leaves: each for each in columns if each.variant}
        others = [each for each in columns if not each.variant] if variants else columns
        leaves = leaves_to_read(self.schema, others)
        table = self._read(row_groups, leaves, alone=alone)
        if variants:
            table = self._merged(table, leaves, variants, row_groups)
        if keep is not None:
            table = selected(table, keep)
        return as_plain(table) if self._encoded or not self.schema.is_plain else table

    def close(self) -> None:
        """See `ParquetSource.close`."""
        while self._idle:
            self._idle.pop().close()
        if self._variants is not None:
            self._variants.close()

    def _read(self, row_groups: Sequence[int], leaves: list[int], *, alone: bool) -> pa.Table:
        reader = self._borrow()
        with reading(self.location):
            table: pa.Table = reader.read_row_groups(
                list(row_groups), column_indices=leaves, use_threads=alone
            )
        self._idle.append(reader)
        return table

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

    def _borrow(self) -> ParquetReader:
        """A reader no other thread is using: Arrow's readers are not safe to share."""
        try:
            return self._idle.pop()
        except IndexError:
            with reading(self.location):
                return self._reader(self._reopened(), self.metadata)

    def _reopened(self) -> pa.NativeFile:
        if self._whole is not None:
            return pa.BufferReader(self._whole)
        return self._storage.open_input(self.location)

    def _reader(self, handle: pa.NativeFile, metadata: pq.FileMetaData | None) -> ParquetReader:
        # What `pq.ParquetFile` wraps: the wrapping takes longer than opening a small file.
        reader = ParquetReader()
        reader.open(
            handle,
            use_memory_map=False,
            metadata=metadata,
            read_dictionary=None if metadata is None else self._encoded,
            # Coalescing requests pays over a network and costs on a disk.
            pre_buffer=self._remote and self._whole is None,
            coerce_int96_timestamp_unit="us",
            decryption_properties=None if self._key is None else decryption_properties(self._key),
            arrow_extensions_enabled=False,
        )
        return reader


def columns_to_leave_encoded(schema: FileSchema, metadata: pq.FileMetaData) -> list[str]:
    """Texts of few different values: Arrow decodes them faster itself than its Parquet reader."""
    if metadata.num_rows < _ROWS_WORTH_ENCODING:
        return []
    last = metadata.num_row_groups - 1
    sample = [metadata.row_group(index) for index in {0, last // 2, last}]
    return [
        field.name
        for field in schema.fields
        if field.type in _TEXTS
        and all(_is_encoded(group.column(field.leaves.start)) for group in sample)
    ]


def _is_encoded(chunk: pq.ColumnChunkMetaData) -> bool:
    # A value outside of the dictionary takes four bytes for its length alone.
    size = chunk.total_uncompressed_size
    return bool(chunk.has_dictionary_page) and size < _BYTES_IF_ENCODED * chunk.num_values


_ROWS_WORTH_ENCODING: Final = 20_000
_BYTES_IF_ENCODED: Final = 3
_TEXTS: Final = frozenset({pa.string(), pa.binary()})


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

"""A Parquet file that DuckDB encrypted: our own look at its footer, DuckDB's reads of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from quacklake.kernel.errors import Unsupported
from quacklake.storage.duckdb_reader import DuckDBReader
from quacklake.storage.encryption import footer_alone
from quacklake.storage.failures import reading
from quacklake.storage.filesystem import Storage
from quacklake.storage.schema import FileSchema, ParquetField, child_fields, file_schema
from quacklake.storage.selection import Keep, selected
from quacklake.storage.source import row_groups_of


class DuckDBSource:
    """An encrypted file that only DuckDB can decrypt."""

    def __init__(self, storage: Storage, location: str, handle: pa.NativeFile, key: bytes) -> None:
        self.location = location
        self._reader = DuckDBReader(storage, location, key)
        # DuckDB goes first: it is the one that proves key and footer right.
        types = self._reader.column_types
        with reading(location), handle:
            footer = pq.ParquetFile(
                pa.BufferReader(footer_alone(handle, key, location)),
                coerce_int96_timestamp_unit="us",
                arrow_extensions_enabled=False,
            )
        self.metadata: pq.FileMetaData = footer.metadata
        self.row_groups = row_groups_of(self.metadata)
        self.schema = self._as_returned(file_schema(footer.schema_arrow), types)

    def read(
        self,
        row_groups: Sequence[int],
        columns: Sequence[ParquetField],
        keep: Keep | None = None,
        *,
        alone: bool = False,
    ) -> pa.Table:
        """See `ParquetSource.read`; DuckDB takes the cores it likes."""
        del alone
        asked = {leaf: each for each in columns for leaf in each.leaves}
        found: list[tuple[int, ParquetField]] = []
        for position, field in enumerate(self.schema.fields):
            wanted = next((asked[leaf] for leaf in field.leaves if leaf in asked), None)
            if wanted is not None:
                found.append((position, wanted if wanted.variant else field))
        table = self._reader.read(found, [self.row_groups[index] for index in row_groups])
        return table if keep is None else selected(table, keep)

    def close(self) -> None:
        """See `ParquetSource.close`."""
        self._reader.close()

    def _as_returned(self, stored: FileSchema, types: tuple[str, ...]) -> FileSchema:
        """The fields of the footer with the types that DuckDB returns them in."""
        key = id(stored), types
        known = _SEEN.get(key)
        if known is None:
            if len(_SEEN) >= _REMEMBERED:
                _SEEN.clear()
            pairs = zip(stored.fields, self._reader.arrow_types(), strict=True)
            fields = (f if arrow is None else self._retyped(f, arrow) for f, arrow in pairs)
            # The stored schema is kept so that its id is not given to another.
            known = _SEEN[key] = stored, FileSchema(tuple(fields), is_plain=True)
        return known[1]

    def _retyped(self, field: ParquetField, arrow: pa.DataType) -> ParquetField:
        below = child_fields(arrow)
        if len(below) != len(field.children):
            raise Unsupported(
                f"column '{field.name}' of the encrypted file '{self.location}' cannot be read",
                hint="rewrite the table's files with DuckDB",
                location=self.location,
            )
        pairs = zip(field.children, below, strict=True)
        children = tuple(self._retyped(child, each.type) for child, each in pairs)
        return replace(field, type=arrow, children=children)


_REMEMBERED: Final = 256
_SEEN: Final[dict[tuple[int, tuple[str, ...]], tuple[FileSchema, FileSchema]]] = {}

"""Parquet through in-process DuckDB: for what Arrow's reader cannot read.

That is two things: files DuckDB encrypted, and variant columns, which come out as JSON text.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from typing import Final

import duckdb
import pyarrow as pa

from quacklake.format.sqltypes import quoted
from quacklake.kernel.errors import FileUnreadable, Unsupported
from quacklake.storage.failures import denied, missing, not_parquet
from quacklake.storage.filesystem import Storage
from quacklake.storage.schema import ParquetField, as_plain, plain_type
from quacklake.storage.source import RowGroup
from quacklake.storage.spool import LocalCopy

_BATCH_ROWS: Final = 122_880
_VARIANT: Final = "VARIANT"
_SCAN: Final = "read_parquet($path, hive_partitioning = false{options})"
_WITH_KEY: Final = ", encryption_config = {footer_key_value: $key}"
_AS_VARIANT: Final = ", schema = MAP {$id: {name: 'c', type: 'VARIANT', default_value: NULL}}"
_IN_RANGE: Final = "file_row_number >= $first AND file_row_number < $end"


class DuckDBReader:
    """Reads rows of one file; safe to share between threads."""

    def __init__(self, storage: Storage, location: str, key: bytes | None = None) -> None:
        self._location = location
        self._key = key
        self._copy = LocalCopy(storage, location)

    @cached_property
    def column_types(self) -> tuple[str, ...]:
        """The SQL type of every top-level column."""
        described = self._fetch(f"DESCRIBE FROM {self._scan()}")
        return tuple(described.column("column_type").to_pylist())

    def arrow_types(self) -> list[pa.DataType | None]:
        """The Arrow type of every top-level column; variants have none until read as JSON."""
        shown = [i for i, each in enumerate(self.column_types) if each != _VARIANT]
        found: list[pa.DataType | None] = [None] * len(self.column_types)
        if shown:
            table = self._select([_name(i) for i in shown], 0, 0)
            for i, field in zip(shown, table.schema, strict=True):
                found[i] = plain_type(field.type)
        return found

    def read(
        self, columns: Sequence[tuple[int, ParquetField]], groups: Sequence[RowGroup]
    ) -> pa.Table:
        """Top-level `columns`, each with its position in the file, of the rows of `groups`."""
        if not columns:
            count = sum(group.row_count for group in groups)
            return pa.table({"": pa.nulls(count)}).select([])
        parts = [self._range(columns, first, end) for first, end in _ranges(groups)]
        if not parts:
            parts = [self._range(columns, 0, 0)]
        names = [field.name for _, field in columns]
        return as_plain(pa.concat_tables(parts).rename_columns(names))

    def close(self) -> None:
        """Remove the temporary copy, if there is one."""
        self._copy.close()

    def _range(self, columns: Sequence[tuple[int, ParquetField]], first: int, end: int) -> pa.Table:
        found: dict[int, pa.ChunkedArray] = {}
        shown: dict[int, str] = {}
        for position, field in columns:
            if self._needs_telling(position, field):
                found[position] = self._told_variant(field, first, end)
            else:
                shown[position] = _name(position) + ("::JSON" if field.variant else "")
        if shown:
            table = self._select(list(shown.values()), first, end)
            found.update(zip(shown, table.columns, strict=True))
        return pa.table({_name(position): found[position] for position, _ in columns})

    def _needs_telling(self, position: int, field: ParquetField) -> bool:
        """Whether the file does not say itself that the field is a variant."""
        return field.variant and self.column_types[position] != _VARIANT

    def _told_variant(self, field: ParquetField, first: int, end: int) -> pa.ChunkedArray:
        if field.field_id is None:
            raise Unsupported(
                f"column '{field.name}' of '{self._location}' is not marked as a variant",
                hint="rewrite the file with a writer that marks variants",
                location=self._location,
            )
        query = f"SELECT c::JSON FROM {self._scan(_AS_VARIANT)} WHERE {_IN_RANGE}"
        return self._fetch(query, first=first, end=end, id=field.field_id).column(0)

    def _select(self, expressions: list[str], first: int, end: int) -> pa.Table:
        # Names are given by position, because a file may use a name twice.
        names = ", ".join(_name(i) for i in range(len(self.column_types)))
        query = (
            f"SELECT {', '.join(expressions)} FROM {self._scan()} AS t({names}) WHERE {_IN_RANGE}"
        )
        return self._fetch(query, first=first, end=end)

    def _scan(self, options: str = "") -> str:
        return _SCAN.format(options=options + (_WITH_KEY if self._key is not None else ""))

    def _fetch(self, query: str, **values: object) -> pa.Table:
        # A path is a glob to DuckDB; a key is bound, so that no message can quote it.
        values["path"] = glob.escape(self._copy.path())
        if self._key is not None:
            values["key"] = self._key
        with _reading(self._location), _instance(os.getpid()).cursor() as connection:
            return connection.execute(query, values).to_arrow_reader(_BATCH_ROWS).read_all()


def _name(position: int) -> str:
    return quoted(f"c{position}")


def _ranges(groups: Sequence[RowGroup]) -> list[tuple[int, int]]:
    """The positions `groups` cover, adjoining ones joined."""
    ranges: list[tuple[int, int]] = []
    for group in groups:
        end = group.first_row + group.row_count
        if ranges and ranges[-1][1] == group.first_row:
            ranges[-1] = (ranges[-1][0], end)
        else:
            ranges.append((group.first_row, end))
    return ranges


@lru_cache(maxsize=1)
def _instance(process: int) -> duckdb.DuckDBPyConnection:
    """One engine per process; a forked child must not use its parent's."""
    del process
    return duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "preserve_insertion_order": "true",
        },
    )


@contextmanager
def _reading(location: str) -> Iterator[None]:
    """Turn DuckDB's errors into ours."""
    try:
        yield
    except (duckdb.Error, OSError) as problem:
        text = str(problem)
        if "AES tag" in text or "encrypted" in text or "decrypt" in text.lower():
            raise FileUnreadable(
                f"file '{location}' cannot be decrypted with the catalog's key",
                hint="the file or the catalog was replaced: restore both from one backup",
                location=location,
            ) from problem
        if "No files found" in text or "No such file" in text:
            raise missing(location) from problem
        if "Permission denied" in text:
            raise denied(location) from problem
        raise not_parquet(location) from problem

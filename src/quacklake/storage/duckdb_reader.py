"""Parquet through in-process DuckDB: for what Arrow's reader cannot read, or reads slower.

It cannot read files DuckDB encrypted, and variant columns, which come out as JSON text. It is
slower where few rows of a file are wanted.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

import duckdb
import pyarrow as pa

from quacklake.format.sqltypes import literal, quoted
from quacklake.kernel.errors import Unsupported
from quacklake.storage.failures import denied, missing, not_parquet, undecipherable
from quacklake.storage.filesystem import Storage
from quacklake.storage.schema import ParquetField, as_plain, plain_type
from quacklake.storage.source import RowGroup
from quacklake.storage.spool import LocalCopy

_BATCH_ROWS: Final = 122_880
POSITION: Final = "file_row_number"
"""What DuckDB calls the place of a row in its file."""
_VARIANT: Final = "VARIANT"
_WITH_KEY: Final = ", encryption_config = {footer_key_value: $key}"


@dataclass(frozen=True, slots=True)
class Spoken:
    """The names a condition uses: for the rows, and for columns at positions of the file."""

    alias: str
    names: tuple[tuple[int, str], ...]


class DuckDBReader:
    """Reads rows of one file; safe to share between threads."""

    def __init__(
        self, storage: Storage, location: str, key: bytes | None = None, *, width: int | None = None
    ) -> None:
        """A file of `width` top-level columns; without, DuckDB is asked how many there are."""
        self._location = location
        self._key = key
        self._width = width
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
            table = self._select([column_name(i) for i in shown], 0, 0)
            for i, field in zip(shown, table.schema, strict=True):
                found[i] = plain_type(field.type)
        return found

    def types_at(self, positions: Sequence[int]) -> list[pa.DataType]:
        """The Arrow types of top-level columns, none of them a variant."""
        found = self._select([column_name(position) for position in positions], 0, 0)
        return [plain_type(field.type) for field in found.schema]

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

    def seek(
        self,
        columns: Sequence[int],
        groups: Sequence[RowGroup],
        condition: str,
        spoken: Spoken | None = None,
    ) -> pa.Table:
        """Of the rows of `groups` that satisfy `condition`: where they lie, then their columns."""
        names = [POSITION, *(column_name(position) for position in columns)]
        if spoken is None:
            parts = [self._select(names, first, end, condition) for first, end in _ranges(groups)]
        else:
            also = [f"{column_name(i)} AS {quoted(name)}" for i, name in spoken.names]
            inner = f"SELECT {', '.join((*names, *also))} FROM {self._named_scan()}"
            wanted = f"AS {quoted(spoken.alias)} WHERE (\n{condition}\n)"
            parts = [
                self._fetch(
                    f"SELECT {', '.join(names)} FROM ({inner} WHERE {_within(first, end)}) {wanted}"
                )
                for first, end in _ranges(groups)
            ]
        return as_plain(pa.concat_tables(parts))

    def close(self) -> None:
        """Remove the temporary copy, if there is one."""
        self._copy.close()

    def _range(self, columns: Sequence[tuple[int, ParquetField]], first: int, end: int) -> pa.Table:
        expressions = [self._expression(position, field) for position, field in columns]
        return self._select(expressions, first, end)

    def _expression(self, position: int, field: ParquetField) -> str:
        if not field.variant:
            return column_name(position)
        if self.column_types[position] != _VARIANT:
            raise Unsupported(
                f"column '{field.name}' of '{self._location}' is not marked as a variant",
                hint="rewrite the file with a writer that marks variants, such as DuckDB",
                location=self._location,
            )
        # NULL cast to JSON is the word null.
        return (
            f"CASE WHEN {column_name(position)} IS NOT NULL THEN {column_name(position)}::JSON END"
        )

    def _select(
        self, expressions: list[str], first: int, end: int, condition: str = "true"
    ) -> pa.Table:
        return self._fetch(
            f"SELECT {', '.join(expressions)} FROM {self._named_scan()}"
            f" WHERE {_within(first, end)} AND ({condition})"
        )

    def _named_scan(self) -> str:
        # Names are given by position, because a file may use a name twice.
        width = len(self.column_types) if self._width is None else self._width
        return f"{self._scan()} AS t({', '.join(column_name(i) for i in range(width))})"

    def _scan(self) -> str:
        # A path is a glob to DuckDB, and hive folders are columns unless it is told not to.
        path = literal(glob.escape(self._copy.path()))
        key = _WITH_KEY if self._key is not None else ""
        return f"read_parquet({path}, hive_partitioning = false{key})"

    def _fetch(self, query: str) -> pa.Table:
        # The key is bound, so that no message can quote it. Only the key: the first binding in
        # a process imports pandas where it is installed, which takes a second.
        values = {} if self._key is None else {"key": self._key}
        reading = _reading(self._location, self._copy.path())
        with reading, _instance(os.getpid()).cursor() as connection:
            return connection.execute(query, values).to_arrow_reader(_BATCH_ROWS).read_all()


def column_name(position: int) -> str:
    """What a condition calls the column at a position of the file."""
    return quoted(f"c{position}")


def _within(first: int, end: int) -> str:
    return f"{POSITION} >= {first} AND {POSITION} < {end}"


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


@cache
def _instance(process: int) -> duckdb.DuckDBPyConnection:
    """One engine per process; a forked child must neither use nor close its parent's."""
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
def _reading(location: str, path: str) -> Iterator[None]:
    """Turn DuckDB's errors into ours; they have no classes, only words."""
    try:
        yield
    except (duckdb.Error, OSError) as problem:
        words = str(problem).replace(path, "")
        if any(sign in words for sign in ("AES tag", "encrypted", "crypto")):
            raise undecipherable(location) from problem
        if "No files found" in words or "No such file" in words:
            raise missing(location) from problem
        if "Permission denied" in words:
            raise denied(location) from problem
        raise not_parquet(location) from problem

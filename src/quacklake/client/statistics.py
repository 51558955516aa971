"""The size of a table and the range of its columns, from the catalog alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.catalog.inspection import FileColumnStats
from quacklake.catalog.reader import CatalogReader
from quacklake.client.inspection import ColumnStats, TableStats
from quacklake.format import casting
from quacklake.format.snapshot import Latest
from quacklake.format.table import TableName
from quacklake.format.types import Column, Decimal, Kind, Scalar
from quacklake.kernel.errors import CorruptLake

_UNORDERED = {Kind.BLOB, Kind.JSON, Kind.VARIANT, Kind.GEOMETRY, Kind.INTERVAL, Kind.TIMETZ}


def table_stats(reader: CatalogReader, name: TableName) -> TableStats:
    """Exact counts at the newest snapshot, and ranges that every row of the files lies in."""
    at = reader.snapshot(Latest())
    table = reader.table(name, at)
    files = reader.files(table, at)
    in_catalog = sum(rows.rows.num_rows for rows in reader.inlined_rows(table, at))
    by_catalog = sum(len(positions) for positions in reader.inlined_deletes(table, at).values())
    deleted = by_catalog + sum(f.delete_file.delete_count for f in files if f.delete_file)
    in_files = sum(file.record_count for file in files)
    by_column: dict[int, list[FileColumnStats]] = {}
    for stats in reader.file_stats(table, at):
        by_column.setdefault(stats.column, []).append(stats)
    columns = tuple(
        _column_stats(column, by_column.get(column.id, ()), files=len(files))
        for column in table.columns
        if not column.children()
    )
    return TableStats(
        rows=in_files - deleted + in_catalog,
        files=len(files),
        file_rows=in_files,
        inlined_rows=in_catalog,
        deleted_rows=deleted,
        size_bytes=sum(file.file_size_bytes for file in files),
        columns=columns,
    )


def _column_stats(column: Column, found: Sequence[FileColumnStats], *, files: int) -> ColumnStats:
    complete = len(found) == files and files > 0
    low = _extreme(column, (s.min for s in found), found, smallest=True) if complete else None
    high = _extreme(column, (s.max for s in found), found, smallest=False) if complete else None
    nulls = [s.null_count for s in found]
    sizes = [s.size_bytes for s in found]
    return ColumnStats(
        column.name,
        low,
        high,
        _total(nulls) if complete else None,
        _total(sizes) if complete else None,
    )


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _extreme(
    column: Column, texts: Iterable[str | None], found: Sequence[FileColumnStats], *, smallest: bool
) -> str | None:
    """The smallest or greatest of the texts, ordered as values of the column's type."""
    known = []
    for text, stats in zip(texts, found, strict=True):
        if text is not None:
            known.append(text)
        elif stats.value_count != 0:
            return None
    if not known or not _is_ordered(column):
        return None
    try:
        values = casting.cast(pa.array(known), column.type)
    except CorruptLake:
        return None
    order = pc.array_sort_indices(values, order="ascending" if smallest else "descending")
    first: int = order[0].as_py()
    return known[first]


def _is_ordered(column: Column) -> bool:
    match column.type:
        case Scalar(kind):
            return kind not in _UNORDERED
        case Decimal():
            return True
        case _:
            return False

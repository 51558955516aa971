"""Rows added: data files with their statistics, and rows the catalog keeps itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from quacklake.catalog.inspection import TableStats
from quacklake.catalog.mutations import Insert, InsertInlined, Mutation, Update
from quacklake.format.files import MappedField, NameMapping
from quacklake.format.statistics import TableColumnStatistics
from quacklake.format.types import Column
from quacklake.kernel.ids import TableId
from quacklake.transaction.draft import Draft, TableDraft
from quacklake.transaction.lowering.filerows import NewDataFile, inserted
from quacklake.transaction.lowering.numbering import Numbering
from quacklake.transaction.lowering.totals import Totals


@dataclass(frozen=True, slots=True)
class Placed:
    """Where the new rows of a table begin to be numbered, and its totals afterwards."""

    totals: Totals
    file_starts: Mapping[int, int | None]
    row_starts: tuple[int, ...]


def placed(draft: TableDraft, before: TableStats | None) -> Placed:
    """Row ids for everything the table gains: files in order, then the catalog's own rows."""
    totals = Totals.of(before, draft.table.columns)
    starts: dict[int, int | None] = {}
    for file in draft.files:
        # Files that DuckDB merges lose their row ids where each begins at the end of another.
        # Of those that were borrowed the catalog says nothing, as after a rewrite: they stay.
        numbered = not (draft.borrows_ids and file.carries_row_ids)
        starts[file.id] = totals.next_row_id if numbered else None
        totals = totals.with_file(file.written, numbered=numbered)
    row_starts = []
    for rows in draft.rows:
        row_starts.append(totals.next_row_id)
        totals = totals.with_rows(rows)
    return Placed(totals, starts, tuple(row_starts))


def data_files(
    draft: Draft, numbers: Numbering, places: Mapping[TableId, Placed]
) -> Iterator[Mutation]:
    """All new data files, with their statistics and partition values, in few inserts."""
    files: list[NewDataFile] = []
    mappings = _mapping_ids(draft, numbers)
    for (table_id, tree), mapping in mappings.items():
        own = numbers.catalog_id(table_id)
        yield Insert("column_mapping", ((mapping, own, "map_by_name"),))
        yield Insert("name_mapping", tuple(_mapping_rows(mapping, tree)))
    for table in draft.tables.values():
        own = numbers.catalog_id(table.table.id)
        files += [
            NewDataFile(
                numbers.new_file_id(file.id),
                own,
                table.table.location,
                file.written,
                int(numbers.snapshot),
                places[table.table.id].file_starts[file.id],
                None if file.partition is None else numbers.catalog_id(file.partition),
                None if file.mapping is None else mappings[table.table.id, file.mapping],
            )
            for file in table.files
        ]
    yield from inserted(files)


def _mapping_ids(draft: Draft, numbers: Numbering) -> dict[tuple[TableId, NameMapping], int]:
    """An id for each way to find columns by name; files that are read alike share one."""
    found: dict[tuple[TableId, NameMapping], int] = {}
    for table in draft.tables.values():
        for file in table.files:
            if file.mapping is not None and (table.table.id, file.mapping) not in found:
                found[table.table.id, file.mapping] = numbers.new_file_id()
    return found


def _mapping_rows(mapping: int, tree: NameMapping) -> Iterator[tuple[object, ...]]:
    count = 0

    def below(fields: tuple[MappedField, ...], parent: int | None) -> Iterator[tuple[object, ...]]:
        nonlocal count
        for field in fields:
            own, count = count, count + 1
            yield mapping, own, field.source_name, int(field.target), parent, field.is_partition
            yield from below(field.children, own)

    return below(tree.fields, None)


def table_statistics(
    draft: Draft, numbers: Numbering, places: Mapping[TableId, Placed]
) -> Iterator[Mutation]:
    """The totals of tables that gain rows; rows exist for all columns from the first insert on."""
    for table in draft.tables.values():
        if not (table.files or table.rows):
            continue
        own = numbers.catalog_id(table.table.id)
        totals = places[table.table.id].totals
        counts = totals.record_count, totals.next_row_id, totals.file_size_bytes
        if totals.is_first:
            yield Insert("table_stats", ((own, *counts),))
            rows = tuple((own, int(c), *_bound_cells(totals.bounds[c])) for c in totals.bounds)
            if rows:
                yield Insert("table_column_stats", rows)
            continue
        names = ("record_count", "next_row_id", "file_size_bytes")
        yield Update("table_stats", (("table_id", own),), tuple(zip(names, counts, strict=True)))
        for column in totals.changed:
            where = (("table_id", own), ("column_id", int(column)))
            names_ = ("contains_null", "contains_nan", "min_value", "max_value", "extra_stats")
            values = tuple(zip(names_, _bound_cells(totals.bounds[column]), strict=True))
            yield Update("table_column_stats", where, values)


def _bound_cells(stats: TableColumnStatistics) -> tuple[object, ...]:
    return stats.contains_null, stats.contains_nan, stats.min, stats.max, stats.extra


def inlined_rows(
    draft: Draft,
    numbers: Numbering,
    places: Mapping[TableId, Placed],
    versions: Mapping[TableId, int],
) -> Iterator[Mutation]:
    """Rows for the newest inlined data table of each table."""
    for table in draft.tables.values():
        if not table.rows:
            continue
        # DuckDB caches statistics by this number: rows in the catalog must raise it too.
        numbers.next_file_id += 1
        own = TableId(numbers.catalog_id(table.table.id))
        starts = places[table.table.id].row_starts
        for staged, start in zip(table.rows, starts, strict=True):
            rows = staged.rows.set_column(0, "row_id", _numbered(staged.rows, start))
            columns = _columns_now(staged.columns, table.table.columns)
            yield InsertInlined(own, versions[table.table.id], columns, rows, numbers.snapshot)


def _columns_now(staged: tuple[Column, ...], now: tuple[Column, ...]) -> tuple[Column, ...]:
    return staged if len(staged) != len(now) else now


def _numbered(rows: pa.Table, start: int) -> pa.Array:
    """The row ids given, and new ones from `start` where there are none."""
    ids = rows.column("row_id")
    missing = np.asarray(ids.is_null())
    fresh = start + np.cumsum(missing) - 1
    known = np.asarray(ids.fill_null(0))
    return pa.array(np.where(missing, fresh, known).astype(np.int64))

"""The totals of a table: they bound every row of every snapshot, so they only ever widen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import pyarrow.compute as pc

from quacklake.catalog.inspection import TableStats
from quacklake.format.measuring import statistics_of
from quacklake.format.statistics import ColumnStatistics, TableColumnStatistics, widened
from quacklake.format.types import Column
from quacklake.kernel.ids import ColumnId
from quacklake.storage.writing.manifest import WrittenFile
from quacklake.transaction.draft import StagedRows

_PASSING: Final = 10**18
"""From here on DuckDB numbers the rows of a transaction that is not committed yet."""


@dataclass(frozen=True, slots=True)
class Totals:
    """What `ducklake_table_stats` and `ducklake_table_column_stats` say of one table."""

    record_count: int
    next_row_id: int
    file_size_bytes: int
    columns: Mapping[ColumnId, Column]
    bounds: Mapping[ColumnId, TableColumnStatistics]
    is_first: bool
    changed: frozenset[ColumnId] = frozenset()

    @classmethod
    def of(cls, before: TableStats | None, columns: tuple[Column, ...]) -> Totals:
        """The totals before the commit; nothing is known of an empty table."""
        leaves = {leaf.id: leaf for column in columns for leaf in column.leaves()}
        if before is None:
            return cls(0, 0, 0, leaves, {}, is_first=True)
        bounds = {stats.column: stats for stats in before.columns}
        counts = before.record_count, before.next_row_id, before.file_size_bytes
        return cls(*counts, leaves, bounds, is_first=False)

    def with_file(self, written: WrittenFile, *, numbered: bool = True) -> Totals:
        """The totals after a file; a numbered one consumes row ids even if it carries its own."""
        grown = self._with_statistics(written.statistics)
        consumed = written.record_count if numbered else 0
        return replace(
            grown,
            record_count=self.record_count + written.record_count,
            next_row_id=_beyond(written.last_row_id, self.next_row_id + consumed),
            file_size_bytes=self.file_size_bytes + written.file_size_bytes,
        )

    def with_rows(self, staged: StagedRows) -> Totals:
        """The totals after rows kept in the catalog; those without row ids get new ones."""
        grown = self._with_statistics(statistics_of_rows(staged))
        given = staged.rows.column("row_id")
        return replace(
            grown,
            record_count=self.record_count + staged.rows.num_rows,
            next_row_id=_beyond(pc.max(given).as_py(), self.next_row_id + given.null_count),
        )

    def _with_statistics(self, statistics: tuple[ColumnStatistics, ...]) -> Totals:
        bounds, changed = dict(self.bounds), set(self.changed)
        for stats in statistics:
            known = self.bounds.get(stats.column)
            column = self.columns.get(stats.column)
            # A column added after the first insert has no row, and never gets one.
            if column is None or (known is None and not self.is_first):
                continue
            merged = widened(known, stats, column.type)
            if merged != known:
                bounds[stats.column] = merged
                changed.add(stats.column)
        return replace(self, bounds=bounds, changed=frozenset(changed))


def _beyond(given: int | None, counted: int) -> int:
    """The next row id: above all that were counted, and above those that rows brought along."""
    # DuckDB may leave ids in a lake that only a transaction should have; nothing follows them.
    return counted if given is None or given >= _PASSING else max(counted, given + 1)


def statistics_of_rows(staged: StagedRows) -> tuple[ColumnStatistics, ...]:
    """What rows for the catalog say about each leaf column."""
    return statistics_of(staged.columns, staged.rows.select(staged.rows.column_names[1:]))

"""Row groups without wanted rows, found by the statistics in a file's footer.

Law: a group is left out only if the statistics prove that no row of it satisfies the
predicate. Missing or odd statistics prove nothing. Footers are silent about NaN, which
DuckDB sorts above everything: nothing is proved against `>` or `<>` on floats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from quacklake.format.predicate import (
    ANYTHING,
    AllOf,
    AnyOf,
    Compare,
    Comparison,
    Constant,
    IsNotNull,
    IsNull,
    OneOf,
    Predicate,
)
from quacklake.format.types import FLOATS, Column, Kind, Scalar
from quacklake.kernel.ids import ColumnId
from quacklake.storage.bounds import Comparable, Decoding, comparable, decoding
from quacklake.storage.schema import ParquetField
from quacklake.storage.source import ParquetSource


def surviving_row_groups(
    source: ParquetSource, predicate: Predicate, field_for: Mapping[ColumnId, ParquetField]
) -> list[int]:
    """The row groups that may hold a row satisfying `predicate`."""
    if predicate == ANYTHING:
        return [group.index for group in source.row_groups]
    footer = _Footer(source.metadata, field_for)
    return [
        group.index for group in source.row_groups if _may_hold(predicate, footer.of(group.index))
    ]


@dataclass(frozen=True, slots=True)
class _Known:
    """What statistics say of a column in one row group."""

    row_count: int
    null_count: int | None
    low: Comparable | None = None
    high: Comparable | None = None


_Statistics = Callable[[Column], _Known | None]


class _Footer:
    """Statistics by column, decodings worked out once for all row groups."""

    def __init__(
        self, metadata: pq.FileMetaData, field_for: Mapping[ColumnId, ParquetField]
    ) -> None:
        self._metadata = metadata
        self._field_for = field_for
        self._decodings: dict[ColumnId, Decoding | None] = {}

    def of(self, index: int) -> _Statistics:
        group = self._metadata.row_group(index)

        def known(column: Column) -> _Known | None:
            leaf = self._leaf(column)
            if leaf is None:
                return None
            statistics = group.column(leaf).statistics
            return _known(statistics, group.num_rows, self._decoding(column, leaf))

        return known

    def _leaf(self, column: Column) -> int | None:
        """The one leaf with one value per row that holds the column, if there is one."""
        field = self._field_for.get(column.id)
        if field is None or field.children or field.variant or len(field.leaves) != 1:
            return None
        leaf = field.leaves.start
        return leaf if self._metadata.schema.column(leaf).max_repetition_level == 0 else None

    def _decoding(self, column: Column, leaf: int) -> Decoding | None:
        if column.id not in self._decodings:
            field = self._field_for[column.id]
            stored = self._metadata.schema.column(leaf)
            fits = _same_clock(column, field.type)
            self._decodings[column.id] = decoding(column.type, stored) if fits else None
        return self._decodings[column.id]


def _same_clock(column: Column, stored: pa.DataType) -> bool:
    """Local and UTC time compare only after a conversion that statistics have not seen."""
    if not pa.types.is_timestamp(stored):
        return True
    return (stored.tz is not None) == (column.type == Scalar(Kind.TIMESTAMPTZ))


def _known(
    statistics: pq.Statistics | None, row_count: int, decoding: Decoding | None
) -> _Known | None:
    if statistics is None:
        return None
    null_count = statistics.null_count if statistics.has_null_count else None
    if decoding is None or not statistics.has_min_max:
        return _Known(row_count, null_count)
    low, high = decoding.value(statistics.min_raw), decoding.value(statistics.max_raw)
    if low is None or high is None or low > high:  # type: ignore[operator]  # one decoding, one type
        return _Known(row_count, null_count)
    if decoding.slack and isinstance(low, int) and isinstance(high, int):
        low, high = low - decoding.slack, high + decoding.slack
    return _Known(row_count, null_count, low, high)


def _may_hold(predicate: Predicate, known: _Statistics) -> bool:
    match predicate:
        case AllOf(parts):
            return all(_may_hold(part, known) for part in parts)
        case AnyOf(parts):
            return any(_may_hold(part, known) for part in parts)
        case IsNull(column):
            seen = known(column)
            return seen is None or seen.null_count != 0
        case IsNotNull(column):
            seen = known(column)
            return seen is None or seen.null_count != seen.row_count
        case Compare(column, op, value):
            return _may_compare(column, op, (value,), known(column))
        case OneOf(column, values):
            return _may_compare(column, Comparison.EQ, values, known(column))


def _may_compare(
    column: Column, op: Comparison, values: tuple[Constant, ...], seen: _Known | None
) -> bool:
    """Whether the column may stand in `op` to one of `values` in some row."""
    if seen is None:
        return True
    if seen.null_count == seen.row_count:
        return False
    if seen.low is None or seen.high is None:
        return True
    if op in _TRUE_OF_NAN and isinstance(column.type, Scalar) and column.type.kind in FLOATS:
        return True
    for value in values:
        constant = comparable(value, column.type)
        if constant is None or _MAY[op](seen.low, seen.high, constant):
            return True
    return False


_TRUE_OF_NAN: Final = frozenset({Comparison.NE, Comparison.GT, Comparison.GE})
_MAY: Final[dict[Comparison, Callable[..., bool]]] = {
    Comparison.EQ: lambda low, high, value: low <= value <= high,
    Comparison.NE: lambda low, high, value: not low == high == value,
    Comparison.LT: lambda low, _, value: low < value,
    Comparison.LE: lambda low, _, value: low <= value,
    Comparison.GT: lambda _, high, value: high > value,
    Comparison.GE: lambda _, high, value: high >= value,
}

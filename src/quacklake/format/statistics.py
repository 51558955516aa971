"""What the catalog knows about the values of a column, in one file and in a whole table.

Law: bounds are never too narrow, and those of a table only ever widen. Unknown is None.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from quacklake.format.extent import joined_extents
from quacklake.format.types import FLOATS, LakeType, Scalar
from quacklake.format.valuetext import order_of
from quacklake.kernel.ids import ColumnId

_LONGEST: Final = 256
"""Bounds of text and blobs are cut to this many bytes."""


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """A leaf column of one file; `value_count` leaves NULLs out, bounds leave NaN out."""

    column: ColumnId
    size_bytes: int | None
    value_count: int | None
    null_count: int | None
    min: str | None
    max: str | None
    contains_nan: bool | None
    extra: str | None = None


@dataclass(frozen=True, slots=True)
class TableColumnStatistics:
    """A leaf column of a table, over every row of every snapshot."""

    column: ColumnId
    contains_null: bool | None
    contains_nan: bool | None
    min: str | None
    max: str | None
    extra: str | None = None


def smaller(left: str, right: str, lake_type: LakeType) -> str | None:
    """The smaller of two texts in the order of their type; None if it cannot be told."""
    first, second = order_of(left, lake_type), order_of(right, lake_type)
    if first is None or second is None:
        return None
    return left if first <= second else right  # type: ignore[operator]  # one type, one order


def greater(left: str, right: str, lake_type: LakeType) -> str | None:
    """The greater of two texts in the order of their type; None if it cannot be told."""
    first, second = order_of(left, lake_type), order_of(right, lake_type)
    if first is None or second is None:
        return None
    return left if first >= second else right  # type: ignore[operator]  # one type, one order


def merged(
    left: ColumnStatistics | None, right: ColumnStatistics, lake_type: LakeType
) -> ColumnStatistics:
    """The statistics of the rows of both; a side without values leaves the bounds alone."""
    if left is None:
        return right
    both = replace(
        right,
        size_bytes=_sum(left.size_bytes, right.size_bytes),
        value_count=_sum(left.value_count, right.value_count),
        null_count=_sum(left.null_count, right.null_count),
        contains_nan=_either(left.contains_nan, right.contains_nan),
        extra=joined_extents(left.extra, right.extra),
    )
    if right.value_count == 0:
        return replace(both, min=left.min, max=left.max)
    if left.value_count == 0:
        return both
    low, high = _bounds((left.min, left.max), (right.min, right.max), lake_type)
    return replace(both, min=low, max=high)


def widened(
    table: TableColumnStatistics | None,
    added: ColumnStatistics,
    lake_type: LakeType,
    *,
    had_values: bool = True,
) -> TableColumnStatistics:
    """The statistics of a table after a file or batch is added; None for the table's first.

    A table without bounds may hold values nobody knows the bounds of, so it gets none, unless
    the caller knows better: without `had_values`, all its rows had NULL.
    """
    has_null = None if added.null_count is None else added.null_count > 0
    if table is None:
        return TableColumnStatistics(
            added.column, has_null, added.contains_nan, added.min, added.max, added.extra
        )
    low, high = table.min, table.max
    if not had_values:
        low, high = added.min, added.max
    elif added.value_count != 0:
        low, high = _bounds((low, high), (added.min, added.max), lake_type)
    return TableColumnStatistics(
        added.column,
        contains_null=_either(table.contains_null, has_null),
        contains_nan=_either(table.contains_nan, added.contains_nan),
        min=low,
        max=high,
        extra=joined_extents(table.extra, added.extra),
    )


def cut_min(value: bytes, *, is_text: bool) -> bytes:
    """A lower bound of at most 256 bytes; text is cut between characters."""
    if len(value) <= _LONGEST:
        return value
    end = _LONGEST
    while is_text and end > 0 and value[end] & 0xC0 == 0x80:  # noqa: PLR2004  # inside a character
        end -= 1
    return value[:end]


def cut_max(value: bytes, *, is_text: bool) -> bytes | None:
    """An upper bound of at most 256 bytes: the last byte that can is raised by one, if one can."""
    if len(value) <= _LONGEST:
        return value
    # Only an ASCII byte can be raised without leaving UTF-8.
    ceiling = 0x7F if is_text else 0xFF
    for end in range(_LONGEST, 0, -1):
        if value[end - 1] < ceiling:
            return value[: end - 1] + bytes([value[end - 1] + 1])
    return None


def has_nan_statistic(lake_type: LakeType) -> bool:
    """Whether the type can hold NaN, so that its statistics say whether it does."""
    return isinstance(lake_type, Scalar) and lake_type.kind in FLOATS


def _bounds(
    left: tuple[str | None, str | None], right: tuple[str | None, str | None], lake_type: LakeType
) -> tuple[str | None, str | None]:
    low = high = None
    if left[0] is not None and right[0] is not None:
        low = smaller(left[0], right[0], lake_type)
    if left[1] is not None and right[1] is not None:
        high = greater(left[1], right[1], lake_type)
    return low, high


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


def _either(left: bool | None, right: bool | None) -> bool | None:  # noqa: FBT001 - facts
    """Whether one of them is so: yes is certain, no needs both."""
    if left or right:
        return True
    return None if left is None or right is None else False

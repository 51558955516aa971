"""What a writer hands back about a finished file: all that a commit says about it."""

from __future__ import annotations

from dataclasses import dataclass, field

from quacklake.format.statistics import ColumnStatistics


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A data file; `partition_values` has one text per key of the specification it was split by.

    `encryption_key` is the base64 text for the catalog, `last_row_id` the greatest of the row
    ids in the file, if it has any.
    """

    location: str
    record_count: int
    file_size_bytes: int
    footer_size: int
    statistics: tuple[ColumnStatistics, ...]
    partition_values: tuple[str | None, ...] = ()
    encryption_key: str | None = field(default=None, repr=False)
    last_row_id: int | None = None


@dataclass(frozen=True, slots=True)
class WrittenDelete:
    """A delete file, listing `delete_count` positions of one data file."""

    location: str
    delete_count: int
    file_size_bytes: int
    footer_size: int
    encryption_key: str | None = field(default=None, repr=False)

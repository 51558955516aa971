"""What an open Parquet file offers, whichever reader is behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from quacklake.kernel.errors import FileUnreadable
from quacklake.storage.schema import FileSchema, ParquetField
from quacklake.storage.selection import Keep


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Consecutive rows of a file; `first_row` is the position of the first."""

    index: int
    first_row: int
    row_count: int


class ParquetSource(Protocol):
    """An open file. Any number of threads may read from it at the same time.

    Reads return rows in file order, top-level columns in the file's order and under the file's
    names, and of nested columns at least what was asked for. After `close` a read opens the
    file again, without reading its footer twice.
    """

    @property
    def location(self) -> str:
        """Where the file is."""
        ...

    @property
    def schema(self) -> FileSchema:
        """The columns as reads return them; shared by files that look alike."""
        ...

    @property
    def row_groups(self) -> tuple[RowGroup, ...]:
        """The row groups in file order."""
        ...

    @property
    def metadata(self) -> pq.FileMetaData:
        """The footer."""
        ...

    def read(
        self,
        row_groups: Sequence[int],
        columns: Sequence[ParquetField],
        keep: Keep | None = None,
        *,
        alone: bool = False,
    ) -> pa.Table:
        """The rows of `row_groups`; without columns a table that only counts them.

        `keep` says of each row whether it is wanted. `alone` tells that no other thread is
        reading, so that the columns may be shared out among all cores.
        """
        ...

    def close(self) -> None:
        """Give file handles and temporary copies back."""
        ...


def row_groups_of(metadata: pq.FileMetaData) -> tuple[RowGroup, ...]:
    """The row groups a footer lists, with the position of their first rows."""
    groups: list[RowGroup] = []
    first = 0
    for index in range(metadata.num_row_groups):
        count = metadata.row_group(index).num_rows
        groups.append(RowGroup(index, first, count))
        first += count
    return tuple(groups)


def check_size(location: str, found: int, expected: int | None) -> None:
    """A file of another size is another file, or half of one."""
    if expected is not None and found != expected:
        raise FileUnreadable(
            f"file '{location}' has {found} bytes where the catalog says {expected}",
            hint="it was truncated or replaced outside the lake: restore it from a backup",
            location=location,
            expected=expected,
            found=found,
        )

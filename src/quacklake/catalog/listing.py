"""The data files of a table: rows of the catalog until somebody looks at one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, Final, overload

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.catalog.assemble import DELETES_PLACE, MAPPING_PLACE, data_file_of
from quacklake.format.files import DataFile
from quacklake.kernel.ids import MappingId

_AT_A_TIME: Final = 1024


class ColumnarRows(Sequence[Sequence[Any]]):
    """Rows that stay in Arrow's columns until they are looked at."""

    __slots__ = ("_table",)

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __len__(self) -> int:
        return int(self._table.num_rows)

    @overload
    def __getitem__(self, place: int) -> Sequence[Any]: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Sequence[Any]]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, int):
            row = range(len(self))[place]
            return tuple(column[row].as_py() for column in self._table.columns)
        first, end, step = place.indices(len(self))
        if step != 1:
            return list(self)[place]
        return ColumnarRows(self._table.slice(first, max(0, end - first)))

    def __iter__(self) -> Iterator[Sequence[Any]]:
        for first in range(0, len(self), _AT_A_TIME):
            part = self._table.slice(first, _AT_A_TIME)
            yield from zip(*(column.to_pylist() for column in part.columns), strict=True)

    def different(self, place: int) -> set[Any]:
        """The values of one column."""
        return set(self._table.column(place).unique().to_pylist())

    def repeats(self, place: int) -> bool:
        """Whether two neighbours have the same value in one column."""
        values = self._table.column(place)
        return bool(pc.any(pc.equal(values.slice(1), values.slice(0, max(0, len(self) - 1)))))


def folded(rows: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
    """A row for each data file, of rows that are one for each delete file of it."""
    if isinstance(rows, ColumnarRows):
        repeats = rows.repeats(0)
    else:
        repeats = any(before[0] == after[0] for before, after in pairwise(rows))
    if not repeats:
        return rows
    files = (tuple(group) for _, group in groupby(rows, key=itemgetter(0)))
    return [
        (*first, *(cell for other in others for cell in other[DELETES_PLACE:]))
        for first, *others in files
    ]


class FileListing(Sequence[DataFile]):
    """Data files in the order of their ids.

    A table may have very many, and a scan that starts with one of them should not wait for
    values of all: each is made anew when it is asked for.
    """

    __slots__ = ("_folder", "_rows")

    def __init__(self, rows: Sequence[Sequence[Any]], folder: str) -> None:
        self._rows = rows
        self._folder = folder

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> DataFile: ...
    @overload
    def __getitem__(self, place: slice) -> FileListing: ...
    def __getitem__(self, place: int | slice) -> DataFile | FileListing:
        if isinstance(place, slice):
            return FileListing(self._rows[place], self._folder)
        return data_file_of(self._rows[place], self._folder)

    def __iter__(self) -> Iterator[DataFile]:
        folder = self._folder
        return (data_file_of(row, folder) for row in self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} data files in {self._folder}>"

    def mapping_ids(self) -> frozenset[MappingId]:
        """The name mappings that some of the files need."""
        if isinstance(self._rows, ColumnarRows):
            found = self._rows.different(MAPPING_PLACE)
        else:
            found = {row[MAPPING_PLACE] for row in self._rows}
        return frozenset(found - {None})

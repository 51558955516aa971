"""Rows of one partition flowing into files: row groups of a size, files of a size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import pyarrow as pa

from quacklake.format.files import ROW_ID_FIELD
from quacklake.format.statistics import ColumnStatistics
from quacklake.format.types import Column
from quacklake.storage.filesystem import Storage
from quacklake.storage.writing.encodings import encodings_of
from quacklake.storage.writing.footers import Watch, leaves_with_nan, sight_of
from quacklake.storage.writing.manifest import WrittenFile
from quacklake.storage.writing.options import WriteOptions
from quacklake.storage.writing.output import ParquetOutput, directory_of, new_name
from quacklake.storage.writing.physical import layout_of
from quacklake.storage.writing.sealed import SealedOutput

_GROUP_BYTES: Final = 256 * 1024 * 1024
"""A row group of wide rows ends here, so that memory stays bounded whatever the rows are."""

_SMALL_BATCH: Final = 4096
"""Batches of fewer rows cost more to handle one by one than to put together."""

Output: TypeAlias = ParquetOutput | SealedOutput


class Destination:
    """Where the files of one write go, and all of them: `discard` leaves none behind."""

    def __init__(
        self,
        storage: Storage,
        directory: str,
        columns: tuple[Column, ...],
        internal: tuple[Column, ...],
        options: WriteOptions,
        *,
        encrypt: bool,
    ) -> None:
        self.storage = storage
        self.directory = directory
        self.columns = columns
        self.options = options
        self.encrypt = encrypt
        self.layout = layout_of(columns + internal)
        self.written: list[WrittenFile] = []
        self._open: dict[str, Output] = {}

    def begin(
        self,
        folders: Sequence[str],
        without_bounds: frozenset[int],
        first_rows: Sequence[pa.RecordBatch],
    ) -> Output:
        """A new file in `folders` below the directory, for rows like the first ones."""
        location = directory_of(self.directory, folders) + new_name()
        output = self._opened(location, without_bounds, first_rows)
        self._open[location] = output
        return output

    def _opened(
        self,
        location: str,
        without_bounds: frozenset[int],
        first_rows: Sequence[pa.RecordBatch],
    ) -> Output:
        layout = self.layout
        if self.encrypt:
            return SealedOutput(self.storage, location, layout.columns, layout.schema, self.options)
        paths = layout.leaf_paths()
        modern = self.options.parquet_version == "V2"
        return ParquetOutput(
            self.storage,
            location,
            layout.schema,
            self.options,
            encodings=encodings_of(layout.columns, paths, first_rows, modern=modern),
            bounded=[path for leaf, path in enumerate(paths) if leaf not in without_bounds],
        )

    @property
    def open_files(self) -> int:
        """How many files are being written."""
        return len(self._open)

    def end(self, output: Output, watch: Watch, values: tuple[str | None, ...]) -> None:
        """Finish a file and note what is in it."""
        done = output.close()
        statistics = watch.statistics(done.metadata)
        file = WrittenFile(
            output.location,
            output.row_count,
            done.size,
            done.footer_size,
            statistics[: self._leaf_count()],
            values,
            done.encryption_key,
            _last_row_id(statistics),
        )
        self.written.append(file)
        del self._open[output.location]

    def _leaf_count(self) -> int:
        return sum(1 for column in self.columns for _ in column.leaves())

    def finish(self) -> tuple[WrittenFile, ...]:
        """The files, once they are there to stay."""
        self.storage.make_durable((file.location for file in self.written), self.directory)
        return tuple(self.written)

    def discard(self) -> None:
        """Remove everything that was begun."""
        for output in self._open.values():
            output.abandon()
        for location in (*self._open, *(file.location for file in self.written)):
            self.storage.discard(location)


class RowStream:
    """Takes batches of one partition in order; holds less than one row group of them."""

    def __init__(
        self,
        destination: Destination,
        folders: Sequence[str] = (),
        values: tuple[str | None, ...] = (),
    ) -> None:
        self._destination = destination
        self._folders = folders
        self._values = values
        self._held: list[pa.RecordBatch] = []
        self._output: Output | None = None
        self._watch: Watch | None = None
        self._seen_nan: frozenset[int] = frozenset()
        self.held_rows = 0
        self.held_bytes = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Take rows, writing every row group they complete."""
        options = self._destination.options
        limit = options.row_group_size_bytes or _GROUP_BYTES
        while batch.num_rows:
            fitting = min(
                options.row_group_size - self.held_rows,
                _rows_within(batch, limit - self.held_bytes),
            )
            # A row wider than a whole row group is one.
            fitting = fitting or int(not self._held)
            part = batch.slice(0, fitting)
            batch = batch.slice(fitting)
            if fitting:
                self._held.append(part)
                self.held_rows += fitting
                self.held_bytes += part.nbytes
            if batch.num_rows or self.held_rows == options.row_group_size:
                self._write_group()

    @property
    def is_open(self) -> bool:
        """Whether a file is being written."""
        return self._output is not None

    def take_held(self) -> list[pa.RecordBatch]:
        """The rows not yet written, no longer held here."""
        taken, self._held, self.held_rows, self.held_bytes = self._held, [], 0, 0
        return taken

    def settle(self) -> None:
        """Hold rows in memory of their own, not as slices of what they came in."""
        if self._held:
            self._held = [owned(self._held)]

    def flush(self) -> None:
        """Write what is held as a row group, however short."""
        if self.held_rows:
            self._write_group()

    def finish(self) -> None:
        """Write what is held and end the file."""
        self.flush()
        self._end_file()

    def _end_file(self) -> None:
        if self._output is not None and self._watch is not None:
            self._destination.end(self._output, self._watch, self._values)
        self._output = self._watch = None

    def _write_group(self) -> None:
        layout = self._destination.layout
        if self.held_rows < len(self._held) * _SMALL_BATCH:
            self._held = [pa.concat_batches(self._held)]
        sight = sight_of(layout.columns, self._held)
        self._seen_nan |= leaves_with_nan(sight)
        if self._watch is not None and self._seen_nan > self._watch.without_bounds:
            # What a file says about bounds is settled when it begins.
            self._end_file()
        if self._output is None or self._watch is None:
            self._output = self._destination.begin(self._folders, self._seen_nan, self._held)
            self._watch = Watch(layout.columns, self._seen_nan)
        self._watch.see(sight)
        self._output.write(layout.table(self._held))
        self._held, self.held_rows, self.held_bytes = [], 0, 0
        if self._output.size() >= self._destination.options.target_file_size:
            self._end_file()


def _last_row_id(statistics: Sequence[ColumnStatistics]) -> int | None:
    found = (each.max for each in statistics if each.column == ROW_ID_FIELD)
    return next((int(greatest) for greatest in found if greatest is not None), None)


def owned(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    """`batches` as one, in memory of its own."""
    # Concatenating a single slice would keep it a slice.
    return pa.concat_batches([*batches, batches[0].slice(0, 0)])


def _rows_within(batch: pa.RecordBatch, room: int) -> int:
    """How many rows of `batch` fit into `room` bytes, going by their average."""
    size = int(batch.nbytes)
    if size <= room:
        return int(batch.num_rows)
    return max(0, room) * int(batch.num_rows) // size

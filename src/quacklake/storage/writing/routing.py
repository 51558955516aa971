"""Rows of many partitions on their way to files, in bounded memory.

Rows wait until their partition has a row group. When too many wait, the partitions with most of
them write early; the rest is put on disk, and every partition still ends up in one file.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa

from quacklake.storage.failures import writing
from quacklake.storage.writing.partitions import Key, Values, folder_names, folders, split
from quacklake.storage.writing.stream import Destination, RowStream, owned

_WINDOW_ROWS: Final = 1 << 20
_WAITING_BYTES: Final = 256 * 1024 * 1024
_OPEN_FILES: Final = 32
_WORTH_WRITING: Final = 1024 * 1024
"""Fewer bytes than this make no row group before the end."""


@dataclass(slots=True)
class _Partition:
    """One partition: `spilled` says in which runs, and where there, earlier rows are."""

    stream: RowStream
    waiting: list[pa.RecordBatch] = field(default_factory=list)
    rows: int = 0
    size: int = 0
    spilled: list[tuple[int, int]] = field(default_factory=list)

    def take_waiting(self) -> list[pa.RecordBatch]:
        taken, self.waiting, self.rows, self.size = self.waiting, [], 0, 0
        return taken


class Router:
    """Sends every row to the files of its partition, with at most `memory` bytes waiting."""

    def __init__(
        self, destination: Destination, keys: tuple[Key, ...], *, memory: int = _WAITING_BYTES
    ) -> None:
        self._destination = destination
        self._keys = keys
        hive = destination.options.hive_folders(encrypted=destination.encrypt)
        self._names = folder_names(keys) if hive else None
        self._partitions: dict[Values, _Partition] = {}
        self._runs = Runs()
        self._memory = memory
        self._pinned = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Take rows of any partitions."""
        row_size = batch.nbytes / max(batch.num_rows, 1)
        step = min(_WINDOW_ROWS, max(1, int(self._memory / 4 / max(row_size, 1))))
        for start in range(0, batch.num_rows, step):
            window = batch.slice(start, step)
            # Waiting rows are slices, and a slice keeps all of its window in memory.
            self._pinned += int(window.num_rows * row_size)
            for values, part in split(window, self._keys):
                self._hold(self._partition(values), part, int(part.num_rows * row_size))
            if self._pinned > self._memory:
                self._relieve()

    def finish(self) -> None:
        """Write everything that waits, partition by partition."""
        for values in sorted(self._partitions, key=_in_order):
            partition = self._partitions.pop(values)
            for run, at in partition.spilled:
                partition.stream.add(self._runs.read(run, at))
            for batch in partition.take_waiting():
                partition.stream.add(batch)
            partition.stream.finish()

    def close(self) -> None:
        """Remove what was put on disk for the time being."""
        self._runs.close()

    def _partition(self, values: Values) -> _Partition:
        found = self._partitions.get(values)
        if found is None:
            below = folders(self._names, values) if self._names is not None else ()
            found = _Partition(RowStream(self._destination, below, values))
            self._partitions[values] = found
        return found

    def _hold(self, partition: _Partition, part: pa.RecordBatch, size: int) -> None:
        partition.waiting.append(part)
        partition.rows += part.num_rows
        partition.size += size
        if partition.rows >= self._destination.options.row_group_size:
            self._write(partition)

    def _write(self, partition: _Partition) -> bool:
        """Write whole row groups, if order and the number of open files allow it."""
        may_open = self._destination.open_files < _OPEN_FILES
        if partition.spilled or not (partition.stream.is_open or may_open):
            return False
        for batch in partition.take_waiting():
            partition.stream.add(batch)
        return True

    def _relieve(self) -> None:
        """Have at most half of the memory in use by rows that wait."""
        waiting = sorted(self._partitions.values(), key=lambda each: -_held(each))
        total = sum(map(_held, waiting))
        for partition in waiting:
            size = _held(partition)
            if total <= self._memory // 2 or size < _WORTH_WRITING:
                break
            if self._write(partition):
                partition.stream.flush()
                total -= size
        if total > self._memory // 2:
            self._spill()
            total = 0
        for partition in self._partitions.values():
            _settle(partition)
        self._pinned = total

    def _spill(self) -> None:
        held = [each for each in self._partitions.values() if _held(each)]
        parts = [[*each.stream.take_held(), *each.take_waiting()] for each in held]
        run = self._runs.write(parts)
        for at, partition in enumerate(held):
            partition.spilled.append((run, at))


def _held(partition: _Partition) -> int:
    return partition.size + partition.stream.held_bytes


def _settle(partition: _Partition) -> None:
    """Copy waiting rows out of the windows they are slices of."""
    partition.stream.settle()
    if partition.waiting:
        partition.waiting = [owned(partition.waiting)]


def _in_order(values: Values) -> tuple[tuple[bool, str], ...]:
    return tuple((value is None, value or "") for value in values)


class Runs:
    """Rows put on disk, one file for each time memory ran short."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._readers: list[pa.ipc.RecordBatchFileReader] = []

    def write(self, parts: list[list[pa.RecordBatch]]) -> int:
        """Keep one batch for each of `parts`; return the number of the run."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="quacklake-")
        path = f"{self._folder.name}/{len(self._readers)}"
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        with (
            writing(path),
            pa.OSFile(path, "wb") as sink,
            pa.ipc.new_file(sink, parts[0][0].schema, options=options) as writer,
        ):
            for batches in parts:
                writer.write_batch(pa.concat_batches(batches))
        self._readers.append(pa.ipc.open_file(pa.memory_map(path)))
        return len(self._readers) - 1

    def read(self, run: int, at: int) -> pa.RecordBatch:
        """One batch of a run."""
        return self._readers[run].get_batch(at)

    def close(self) -> None:
        """Remove all of it."""
        self._readers.clear()
        if self._folder is not None:
            self._folder.cleanup()

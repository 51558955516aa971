"""What executors tell the driver about the rows they wrote.

A task answers with one row per thing it has to say: the files it wrote, rows too few for a
file, places of rows that are to go, or the error that ended it. An attempt that fails or is
beaten by its twin says nothing, so its files are orphans that clean-up finds.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import pyarrow as pa

from quacklake.kernel.errors import QuacklakeError
from quacklake.maintenance.moving import Moved
from quacklake.storage.filesystem import Storage
from quacklake.storage.writing.manifest import WrittenFile

SCHEMA: Final = "kind string, payload binary"
_ARROW: Final = pa.schema([("kind", pa.string()), ("payload", pa.binary())])


class Word(StrEnum):
    """What a row of a manifest says."""

    FILE = "file"
    FILE_WITH_IDS = "file with ids"
    ROWS = "rows"
    ROWS_WITH_IDS = "rows with ids"
    PLACES = "places"
    COUNT = "count"
    MOVED = "moved"
    ERROR = "error"


@dataclass(slots=True)
class Manifest:
    """Everything the tasks of one job said."""

    files: list[WrittenFile] = field(default_factory=list)
    files_with_ids: list[WrittenFile] = field(default_factory=list)
    rows: list[pa.RecordBatch] = field(default_factory=list)
    rows_with_ids: list[pa.RecordBatch] = field(default_factory=list)
    places: list[pa.Table] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    moved: list[tuple[int, tuple[Moved, ...]]] = field(default_factory=list)
    errors: list[QuacklakeError] = field(default_factory=list)

    def hear(self, word: str, payload: bytes) -> None:
        """Take in one row."""
        said: Any = pickle.loads(payload)  # noqa: S301 - our own executors pickled it
        match Word(word):
            case Word.FILE:
                self.files.append(said)
            case Word.FILE_WITH_IDS:
                self.files_with_ids.append(said)
            case Word.ROWS:
                self.rows.append(said)
            case Word.ROWS_WITH_IDS:
                self.rows_with_ids.append(said)
            case Word.PLACES:
                self.places.append(said)
            case Word.COUNT:
                for name, count in said.items():
                    self.counts[name] = self.counts.get(name, 0) + count
            case Word.MOVED:
                self.moved.append(said)
            case Word.ERROR:
                self.errors.append(said)

    def checked(self, storage: Storage) -> Manifest:
        """Itself, unless a task failed: then what the others wrote is removed."""
        if self.errors:
            moved = (each.written for _, files in self.moved for each in files)
            for file in (*self.files, *self.files_with_ids, *moved):
                storage.discard(file.location)
            raise self.errors[0]
        return self


def said(word: Word, thing: object) -> pa.RecordBatch:
    """One row of a manifest."""
    return pa.RecordBatch.from_pylist(
        [{"kind": word.value, "payload": pickle.dumps(thing)}], schema=_ARROW
    )


def telling(work: Callable[[], Iterator[pa.RecordBatch]]) -> Iterator[pa.RecordBatch]:
    """What `work` says; an error of ours is told, not raised, so that the driver can raise it."""
    spoken: list[pa.RecordBatch] = []
    try:
        spoken.extend(work())
    except QuacklakeError as error:
        error.__cause__ = error.__context__ = None
        spoken = [said(Word.ERROR, error), *_files_of(spoken)]
    yield from spoken


def told(work: Callable[[], Iterator[pa.RecordBatch]]) -> pa.Table:
    """What `work` says, at once: Spark wants a table of a share."""
    return pa.Table.from_batches(telling(work), _ARROW)


def _files_of(spoken: Sequence[pa.RecordBatch]) -> list[pa.RecordBatch]:
    files = (Word.FILE.value, Word.FILE_WITH_IDS.value, Word.MOVED.value)
    return [batch for batch in spoken if batch.column(0)[0].as_py() in files]

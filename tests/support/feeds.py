"""Change feeds as small tables of text, and storage that remembers which files it opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath

import pyarrow as pa

from quacklake.catalog import open_catalog
from quacklake.client.changes import Changes, change_request
from quacklake.client.references import table_name
from quacklake.client.session import Session
from quacklake.storage.filesystem import Storage
from tests.support.lakes import Place


class RememberingStorage(Storage):
    """Storage that notes the name of every file it opens."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    def open_input(self, location: str) -> pa.NativeFile:
        """The file, after its name is noted."""
        self.opened.append(PurePosixPath(location).name)
        return super().open_input(location)


class Feed:
    """The changes of one table of an open lake."""

    def __init__(self, session: Session, storage: RememberingStorage, table: str) -> None:
        self._session = session
        self._table = table_name(table)
        self.storage = storage

    def changes(
        self,
        since: int | str | None = None,
        until: int | str | None = None,
        columns: list[str] | None = None,
    ) -> Changes:
        """What a user gets from `table.changes`."""
        return Changes(self._session, change_request(self._table, since, until, columns))

    def told(self, since: int | str | None = None, until: int | str | None = None) -> list[str]:
        """The changes as text, `snapshot row kind | values`, in order."""
        return rows_of(self.changes(since, until).to_arrow())

    def summed(self, since: int | str | None = None, until: int | str | None = None) -> list[str]:
        """The weighted changes as text, `values | weight`, in order."""
        table = self.changes(since, until).weighted().to_arrow()
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        return sorted(f"{_words(row[:-1])} | {row[-1]:+}" for row in rows)


def rows_of(changes: pa.Table) -> list[str]:
    """A feed as text; the two sides of an update stand together."""
    rows = list(zip(*(column.to_pylist() for column in changes.columns), strict=True))
    rows.sort(key=lambda row: (row[0], row[1], row[2] == "update_postimage", _words(row[3:])))
    return [f"{_words(row[:3])} | {_words(row[3:])}" for row in rows]


def _words(values: tuple[object, ...]) -> str:
    return " ".join("-" if value is None else str(value) for value in values)


@contextmanager
def feed_of(place: Place, table: str = "t") -> Iterator[Feed]:
    """The feed of a table at `place`."""
    with open_catalog(place.location, read_only=True) as catalog:
        storage = RememberingStorage()
        yield Feed(Session(catalog, storage), storage, table)

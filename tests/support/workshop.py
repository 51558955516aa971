"""Lakes made by the real extension on a catalog of some kind, with the extension's answers."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb
import pyarrow as pa

from quacklake.format.sqltypes import literal
from tests.support.histories import History
from tests.support.oracle import Answer, disagreements, judge
from tests.support.postgres import PostgresServer
from tests.support.teller import Tale, Teller, TellerDied, Told

CATALOGS: Final = ("duckdb", "sqlite", "postgres")
"""The catalogs the extension can write."""


@dataclass(frozen=True, slots=True)
class MadeLake:
    """A lake nobody holds: `url` opens it, `told` says what is in it."""

    url: str
    told: Told
    folder: Path
    referee: duckdb.DuckDBPyConnection

    def disagreements(
        self, answer: Answer, ours: pa.Table, *, where: str = "true"
    ) -> tuple[str, ...]:
        """How `ours` differs from an answer of the extension."""
        return disagreements(self.referee, answer, ours, where=where)


class Workshop:
    """Makes lakes on one kind of catalog, each in a folder and a database of its own."""

    def __init__(self, kind: str, folder: Path, server: PostgresServer | None = None) -> None:
        self.kind = kind
        self._folder = folder
        self._server = server
        self._teller = Teller()
        self._numbers = itertools.count(1)

    @property
    def text_inlined(self) -> bool:
        """Whether the catalog keeps nested inlined values as text."""
        return self.kind != "duckdb"

    @contextmanager
    def lake(self, history: History, *, changes: bool = False) -> Iterator[MadeLake]:
        """The lake of `history`, gone afterwards; `TellerDied` if the extension dies of it.

        With `changes` the extension also says what happened between any two snapshots.
        """
        folder = self._folder / str(next(self._numbers))
        folder.mkdir(parents=True)
        try:
            with self._catalog(folder) as (uri, url):
                yield self._made(folder, history, uri, url, changes=changes)
        finally:
            shutil.rmtree(folder)

    def _made(
        self, folder: Path, history: History, uri: str, url: str, *, changes: bool
    ) -> MadeLake:
        answers = folder / "answers.duckdb"
        data, files = f"{folder}/data/", folder / "files"
        tale = Tale(history, f"ducklake:{uri}", data, files, answers, asks_changes=changes)
        try:
            told = self._teller.tell(tale)
        except TellerDied:
            self._teller.close()
            self._teller = Teller()
            raise
        referee = judge()
        referee.execute(f"ATTACH {literal(str(answers))} AS answers (READ_ONLY)")
        return MadeLake(url, told, folder, referee)

    @contextmanager
    def _catalog(self, folder: Path) -> Iterator[tuple[str, str]]:
        """A new catalog, as the extension and as we spell it."""
        if self._server is None:
            path = folder / f"catalog.{self.kind}"
            prefix = "sqlite:" if self.kind == "sqlite" else ""
            yield f"{prefix}{path}", f"{self.kind}:///{path}"
            return
        database = self._server.database()
        try:
            yield f"postgres:{self._server.words(database)}", self._server.url(database)
        finally:
            self._server.execute(f"DROP DATABASE {database} WITH (FORCE)")

    def close(self) -> None:
        """End the extension's process."""
        self._teller.close()

"""Lakes made by the real extension on a catalog of some kind, with the extension's answers."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import duckdb
import pyarrow as pa

from quacklake.format.sqltypes import literal
from tests.support.histories import History
from tests.support.mariadb import MariaDBServer
from tests.support.oracle import Answer, disagreements, judge
from tests.support.postgres import PostgresServer
from tests.support.teller import Tale, Teller, TellerDied, Told
from tests.support.transplant import transplant

CATALOGS: Final = ("duckdb", "sqlite", "postgres")
"""The catalogs the extension can write."""


@dataclass(frozen=True, slots=True)
class MadeLake:
    """A lake nobody holds: `url` opens it, `told` says what is in it."""

    url: str
    data_path: str
    told: Told
    referee: duckdb.DuckDBPyConnection

    def disagreements(
        self, answer: Answer, ours: pa.Table, *, where: str = "true", nan_is_null: bool = False
    ) -> tuple[str, ...]:
        """How `ours` differs from an answer of the extension."""
        return disagreements(self.referee, answer, ours, where=where, nan_is_null=nan_is_null)


class Workshop:
    """Makes lakes on one kind of catalog, each in a folder and a database of its own."""

    def __init__(
        self,
        kind: str,
        folder: Path,
        *,
        postgres: PostgresServer | None = None,
        mariadb: MariaDBServer | None = None,
    ) -> None:
        self.kind = kind
        self._folder = folder
        self._postgres = postgres
        self._mariadb = mariadb
        self._teller = Teller()
        self._numbers = itertools.count(1)
        self._asks_changes = False

    @property
    def text_inlined(self) -> bool:
        """Whether the catalog keeps nested inlined values as text."""
        return self.kind != "duckdb"

    @contextmanager
    def lake(self, history: History, *, changes: bool = False) -> Iterator[MadeLake]:
        """The lake of `history`, gone afterwards; `TellerDied` if the extension dies of it.

        With `changes` the extension is also asked what happened between any two snapshots.
        """
        self._asks_changes = changes
        folder = self._folder / str(next(self._numbers))
        folder.mkdir(parents=True)
        try:
            if self._postgres is not None:
                with self._in_postgres(self._postgres, folder, history) as made:
                    yield made
            elif self._mariadb is not None:
                with self._in_mariadb(self._mariadb, folder, history) as made:
                    yield made
            else:
                with self._in_file(self.kind, folder, history) as made:
                    yield made
        finally:
            shutil.rmtree(folder)

    @contextmanager
    def _in_file(self, kind: str, folder: Path, history: History) -> Iterator[MadeLake]:
        path = folder / f"catalog.{kind}"
        prefix = "sqlite:" if kind == "sqlite" else ""
        with self._made(folder, history, f"{prefix}{path}", f"{kind}:///{path}") as made:
            yield made

    @contextmanager
    def _in_postgres(
        self, server: PostgresServer, folder: Path, history: History
    ) -> Iterator[MadeLake]:
        database = server.database()
        uri = f"postgres:{server.words(database)}"
        try:
            with self._made(folder, history, uri, server.url(database)) as made:
                yield made
        finally:
            server.forget(database)

    @contextmanager
    def _in_mariadb(
        self, server: MariaDBServer, folder: Path, history: History
    ) -> Iterator[MadeLake]:
        database = server.database()
        try:
            with self._in_file("sqlite", folder, replace(history, inlined_rows=0)) as made:
                transplant(folder / "catalog.sqlite", server, database, made.data_path)
                yield replace(made, url=server.url(database))
        finally:
            server.forget(database)

    @contextmanager
    def _made(self, folder: Path, history: History, uri: str, url: str) -> Iterator[MadeLake]:
        answers, data_path = folder / "answers.duckdb", f"{folder}/data/"
        tale = Tale(
            history, f"ducklake:{uri}", data_path, folder / "files", answers, self._asks_changes
        )
        try:
            told = self._teller.tell(tale)
        except TellerDied:
            self._teller.close()
            self._teller = Teller()
            raise
        with judge() as referee:
            referee.execute(f"ATTACH {literal(str(answers))} AS answers (READ_ONLY)")
            yield MadeLake(url, data_path, told, referee)

    def close(self) -> None:
        """End the extension's process."""
        self._teller.close()

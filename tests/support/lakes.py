"""Fresh places for lakes on each kind of catalog, and lakes written there by the referee."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import Connection, create_engine, delete, insert, text

from quacklake.catalog import Backend, CatalogLocation, open_catalog, parse_location
from quacklake.catalog.backends.sqlite import micros_of
from quacklake.catalog.statements.scope import Scope
from tests.support.mariadb import MariaDBServer
from tests.support.postgres import PostgresServer
from tests.support.referee import Referee

ALL: Final = tuple(Backend)
_INSTANTS: Final = frozenset({"snapshot_time", "schedule_start"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a lake is or will be; `target` is how the referee names it after `ducklake:`."""

    backend: Backend
    url: str
    target: str
    data_path: str

    @property
    def location(self) -> CatalogLocation:
        """The place as the catalog layer names it."""
        return parse_location(self.url)

    def referee(self, **options: str) -> Referee:
        """The referee, holding the lake until it is closed."""
        return Referee(self.target, self.data_path, **options)


class Lakes:
    """Makes places of one kind of catalog under a folder."""

    def __init__(
        self,
        backend: Backend,
        folder: Path,
        *,
        postgres: PostgresServer | None = None,
        mariadb: MariaDBServer | None = None,
    ) -> None:
        self.backend = backend
        self._folder = folder
        self._postgres = postgres
        self._mariadb = mariadb
        self._count = 0
        self._forgotten: list[Callable[[], None]] = []

    def close(self) -> None:
        """Drop the databases, which may be in memory."""
        while self._forgotten:
            self._forgotten.pop()()

    def place(self) -> Place:
        """A place where no lake is yet."""
        self._count += 1
        folder = self._folder / f"lake{self._count}"
        folder.mkdir()
        data = f"{folder}/data/"
        match self.backend:
            case Backend.DUCKDB:
                file = folder / "catalog.ducklake"
                return Place(self.backend, f"duckdb:///{file}", str(file), data)
            case Backend.SQLITE:
                file = folder / "catalog.sqlite"
                return Place(self.backend, f"sqlite:///{file}", f"sqlite:{file}", data)
            case Backend.POSTGRES:
                assert self._postgres is not None
                name = self._postgres.database()
                self._forgotten.append(partial(self._postgres.forget, name))
                target = f"postgres:{self._postgres.words(name)}"
                return Place(self.backend, self._postgres.url(name), target, data)
            case Backend.MYSQL:
                assert self._mariadb is not None
                name = self._mariadb.database()
                self._forgotten.append(partial(self._mariadb.forget, name))
                target = f"mysql:{self._mariadb.words(name)}"
                return Place(self.backend, self._mariadb.url(name), target, data)

    def written(self, *statements: str, **options: str) -> Place:
        """A lake on which the referee ran `statements`.

        The extension cannot do that on MySQL, so there it is a copy of one on SQLite.
        """
        place = self.place()
        if self.backend is not Backend.MYSQL:
            _write(place, statements, options)
            return place
        original = Lakes(Backend.SQLITE, Path(place.data_path).parent).place()
        original = Place(original.backend, original.url, original.target, place.data_path)
        _write(original, statements, options)
        copy_to_mysql(original, place)
        return place


def lakes_on(backend: Backend, request: pytest.FixtureRequest, folder: Path) -> Lakes:
    """Places on one kind of catalog; a server starts only for the catalogs that need it."""
    match backend:
        case Backend.POSTGRES:
            made = Lakes(backend, folder, postgres=request.getfixturevalue("postgres"))
        case Backend.MYSQL:
            made = Lakes(backend, folder, mariadb=request.getfixturevalue("mariadb"))
        case _:
            made = Lakes(backend, folder)
    request.addfinalizer(made.close)
    return made


def _write(place: Place, statements: Sequence[str], options: dict[str, str]) -> None:
    with place.referee(**options) as referee:
        for statement in statements:
            referee.execute(statement)


def copy_to_mysql(original: Place, copy: Place) -> None:
    """Make the catalog at `copy` hold what a SQLite catalog holds, row by row."""
    open_catalog(copy.location, data_path=copy.data_path).close()
    source = sqlite3.connect(original.location.path or "")
    source.row_factory = sqlite3.Row
    engine = create_engine(copy.location.url)
    try:
        with engine.begin() as target:
            for table in Scope(Backend.MYSQL, None).tables.values():
                target.execute(delete(table))
                rows = [_portable(row) for row in source.execute(f'SELECT * FROM "{table.name}"')]
                if rows:
                    target.execute(insert(table), rows)
            _copy_inlined(source, target)
    finally:
        engine.dispose()
        source.close()


def _portable(row: sqlite3.Row) -> dict[str, Any]:
    values = dict(row)
    for name in _INSTANTS & set(values):
        micros = micros_of(values[name])
        assert micros is not None
        values[name] = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    return values


def _copy_inlined(source: sqlite3.Connection, target: Connection) -> None:
    names = "SELECT name FROM sqlite_master WHERE name GLOB 'ducklake_inlined_[d]*_[0-9]*'"
    for (name,) in source.execute(names).fetchall():
        columns = [row["name"] for row in source.execute(f'PRAGMA table_info("{name}")')]
        rows = [tuple(row) for row in source.execute(f'SELECT * FROM "{name}"')]
        defined = ", ".join(
            f"`{column}` {_mysql_type([row[i] for row in rows])}"
            for i, column in enumerate(columns)
        )
        target.execute(text(f"CREATE TABLE `{name}` ({defined})"))
        marks = ", ".join(f":p{i}" for i in range(len(columns)))
        for row in rows:
            cells = {f"p{i}": cell for i, cell in enumerate(row)}
            target.execute(text(f"INSERT INTO `{name}` VALUES ({marks})"), cells)


def _mysql_type(cells: list[Any]) -> str:
    if any(isinstance(cell, str) for cell in cells):
        return "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
    return "LONGBLOB" if any(isinstance(cell, bytes) for cell in cells) else "BIGINT"

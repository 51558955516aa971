"""A MariaDB or MySQL server for the tests of one process, from the programs of the machine."""

from __future__ import annotations

import itertools
import os
import shutil
import socket
from typing import Any

import pymysql

from tests.support.servers import SERVER_USER, Server, free_port, runs_as_root


def mariadb_program() -> str | None:
    """The server's program, or None where it is not installed."""
    places = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
    return shutil.which("mariadbd", path=places)


class MariaDBServer:
    """A running server; every test takes a database of its own."""

    def __init__(self) -> None:
        program, installer = mariadb_program(), shutil.which("mariadb-install-db")
        if program is None or installer is None:
            raise RuntimeError("MariaDB is not installed")
        self._server = Server("ql-my")
        self.socket = self._server.folder / "s"
        self.port = free_port()
        self._numbers = itertools.count(1)
        data = self._server.folder / "data"
        who = [f"--user={SERVER_USER}"] if runs_as_root() else []
        try:
            self._server.run(
                [installer, "--no-defaults", f"--datadir={data}", "--skip-test-db",
                 "--auth-root-authentication-method=normal", *who]
            )  # fmt: skip
            self._server.start(
                [program, "--no-defaults", f"--datadir={data}", f"--socket={self.socket}",
                 f"--port={self.port}", "--bind-address=127.0.0.1", "--skip-log-bin",
                 "--innodb-flush-log-at-trx-commit=0", "--innodb-flush-method=nosync",
                 "--sync-frm=0", "--innodb-doublewrite=0", "--innodb-buffer-pool-size=32M",
                 f"--pid-file={self._server.folder}/pid", *who],
                self._answers,
            )  # fmt: skip
        except BaseException:
            self._server.stop()
            raise

    def database(self) -> str:
        """A fresh, empty database: its name."""
        name = f"lake{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return name

    def forget(self, database: str) -> None:
        """Drop a database."""
        self.execute(f"DROP DATABASE IF EXISTS {database}")

    def url(self, database: str) -> str:
        """The address of a database in our spelling."""
        return f"mysql://root@127.0.0.1:{self.port}/{database}"

    def words(self, database: str) -> str:
        """The address of a database in the words of DuckDB's MySQL scanner."""
        return f"host=127.0.0.1 port={self.port} user=root database={database}"

    def execute(self, sql: str, database: str | None = None) -> Any:
        """Run one statement and return its rows."""
        with (
            pymysql.connect(
                unix_socket=str(self.socket), user="root", database=database, autocommit=True
            ) as connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(sql)
            return cursor.fetchall()

    def stop(self) -> None:
        """Stop the server and forget its files."""
        self._server.stop()

    def _answers(self) -> bool:
        # The driver leaves the socket of a refused connection open, so it is not asked.
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.socket)) == 0

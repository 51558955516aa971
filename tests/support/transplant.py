"""A catalog moved to MySQL, which the DuckLake extension cannot write."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pymysql

import quacklake as ql
from tests.support.mariadb import MariaDBServer

_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00")


def transplant(source: Path, server: MariaDBServer, database: str, data_path: str) -> None:
    """Copy every row of the SQLite catalog `source` into a new catalog in `database`."""
    ql.connect(server.url(database), data_path=data_path).close()
    with (
        closing(sqlite3.connect(source)) as lake,
        closing(pymysql.connect(unix_socket=str(server.socket), user="root")) as target,
        target.cursor() as cursor,
    ):
        cursor.execute(f"USE {database}")
        for (table,) in lake.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
            rows = [tuple(map(_moved, row)) for row in lake.execute(f"SELECT * FROM {table}")]
            cursor.execute(f"DELETE FROM {table}")
            for row in rows:
                # The order of columns is part of the format.
                marks = ", ".join(["%s"] * len(row))
                cursor.execute(f"INSERT INTO {table} VALUES ({marks})", row)
        target.commit()


def _moved(value: object) -> object:
    """A value as MySQL takes it: an instant without its zone, which is always UTC."""
    is_instant = isinstance(value, str) and _INSTANT.fullmatch(value)
    return value.removesuffix("+00") if isinstance(value, str) and is_instant else value

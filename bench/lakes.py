"""The lakes that are measured, written by DuckDB's own extension.

Data paths are relative to the current folder, because one contender drops the last folder of
absolute ones.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import duckdb
import duckdb_extensions

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.support.postgres import PostgresServer

LINES_PER_SCALE = 6_000_000
"""Rows of TPC-H lineitem at scale factor 1, about."""


@contextmanager
def folder_of_its_own() -> Iterator[None]:
    """A temporary folder as the current one."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="quacklake-bench-") as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


@dataclass(frozen=True, slots=True)
class LakeAddress:
    """One catalog, as each contender spells its address."""

    kind: str
    url: str
    target: str
    path: str

    @property
    def is_exclusive(self) -> bool:
        """Whether only one holder at a time may have the catalog open."""
        return self.kind == "DuckDB"


def in_sqlite(name: str) -> LakeAddress:
    """A catalog in a SQLite file of the current folder."""
    path = Path(f"{name}.sqlite").absolute()
    return LakeAddress("SQLite", f"sqlite:///{path}", f"sqlite:{path}", str(path))


def in_duckdb(name: str) -> LakeAddress:
    """A catalog in a DuckDB file of the current folder."""
    path = Path(f"{name}.duckdb").absolute()
    return LakeAddress("DuckDB", f"duckdb:///{path}", str(path), str(path))


def in_postgres(server: PostgresServer, *, like: str = "template0") -> LakeAddress:
    """A catalog in a database of its own, reached over TCP, as not everybody knows sockets."""
    database, password = server.database(like=like), "duck"
    server.execute(f"ALTER USER postgres PASSWORD '{password}'")
    url = f"postgresql://postgres:{password}@127.0.0.1:{server.port}/{database}"
    words = f"dbname={database} host=127.0.0.1 port={server.port} user=postgres"
    return LakeAddress("PostgreSQL", url, f"postgres:{words} password={password}", url)


@cache
def duckdb_with_extensions() -> duckdb.DuckDBPyConnection:
    """The one DuckDB of this process; loading extensions is not part of any measurement."""
    connection = duckdb.connect()
    for extension in ("ducklake", "sqlite_scanner", "postgres_scanner", "tpch"):
        duckdb_extensions.import_extension(extension, con=connection)
        connection.load_extension(extension)
    return connection


@contextmanager
def attached(
    lake: LakeAddress, *options: str, name: str = "lake"
) -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB with the lake attached under a name."""
    connection = duckdb_with_extensions()
    words = f" ({', '.join(options)})" if options else ""
    connection.execute(f"ATTACH 'ducklake:{lake.target}' AS {name}{words}")
    try:
        yield connection
    finally:
        connection.execute(f"DETACH {name}")


def make_tables(lake: LakeAddress, *, scale: float, files: int, inlined: int) -> None:
    """lineitem; the same with every 100th row deleted; a table of many files; rows inlined."""
    with attached(lake, f"DATA_PATH '{lake.kind}_files/'") as connection:
        connection.execute(f"CALL dbgen(sf = {scale})")
        connection.execute("CREATE TABLE lake.lineitem AS FROM lineitem")
        connection.execute("CREATE TABLE lake.deleted AS FROM lineitem")
        connection.execute(
            "DELETE FROM lake.deleted WHERE hash(l_orderkey, l_linenumber) % 100 = 0"
        )
        connection.execute(
            "CREATE TABLE lake.many (key BIGINT, part INT, name TEXT, amount DOUBLE)"
        )
        # One insert that makes many files; queries ask for the key, not for the partition.
        connection.execute("ALTER TABLE lake.many SET PARTITIONED BY (part)")
        connection.execute(
            "INSERT INTO lake.many SELECT i, i // 1000, 'name ' || i, i / 2 "
            f"FROM range({files} * 1000) AS r(i)"
        )
        connection.execute(f"CALL lake.set_option('data_inlining_row_limit', {inlined})")
        connection.execute("CREATE TABLE lake.inlined (key BIGINT, name TEXT, amount DOUBLE)")
        connection.execute(
            f"INSERT INTO lake.inlined SELECT i, 'name ' || i, i / 2 FROM range({inlined}) AS r(i)"
        )


def make_listed(lake: LakeAddress, *, files: int) -> None:
    """A table of which the catalog lists `files` files; only the first one is on disk."""
    with attached(lake, f"DATA_PATH '{lake.kind}_files/'") as connection:
        connection.execute("CREATE TABLE lake.listed (key BIGINT, name TEXT, amount DOUBLE)")
        connection.execute("CALL lake.set_option('data_inlining_row_limit', 0)")
        connection.execute(
            "INSERT INTO lake.listed SELECT i, 'name ' || i, i / 2 FROM range(1000) AS r(i)"
        )
    with catalog_tables(lake) as connection:
        for table, changed in _GROWTH.items():
            connection.execute(
                f"INSERT INTO meta.{table} SELECT rows.* REPLACE ({changed}) "
                f"FROM meta.{table} AS rows, range(1, {files}) AS r(i)"
            )
        connection.execute(f"UPDATE meta.ducklake_snapshot SET next_file_id = {files + 10}")


_GROWTH = {
    "ducklake_data_file": (
        "data_file_id + i AS data_file_id, row_id_start + i * 1000 AS row_id_start, "
        "replace(path, '.parquet', '-' || i || '.parquet') AS path"
    ),
    "ducklake_file_column_stats": (
        "data_file_id + i AS data_file_id, CASE WHEN column_id = 1 THEN (i * 1000)::VARCHAR "
        "ELSE min_value END AS min_value, CASE WHEN column_id = 1 "
        "THEN (i * 1000 + 999)::VARCHAR ELSE max_value END AS max_value"
    ),
}


@contextmanager
def catalog_tables(lake: LakeAddress) -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB with the catalog's own tables attached as `meta`."""
    connection = duckdb_with_extensions()
    kind, _, address = lake.target.rpartition(":")
    words = f" (TYPE {kind})" if kind else ""
    connection.execute(f"ATTACH '{address}' AS meta{words}")
    try:
        yield connection
    finally:
        connection.execute("DETACH meta")

"""Commits while other processes hold the lock, and commits of processes that are killed."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from quacklake.catalog import open_catalog, parse_location
from quacklake.catalog.backends import duckdb as duckdb_backend
from quacklake.catalog.backends import mysql as mysql_backend
from quacklake.catalog.backends import sqlite as sqlite_backend
from quacklake.catalog.mutations import CreateInlined, DropInlined, Insert
from quacklake.format.types import Column, Kind, Scalar
from quacklake.kernel.errors import Busy, RivalCommit
from quacklake.kernel.ids import ColumnId, TableId
from tests.support.commits import commit, head_of, rows_in

ROOT = Path(__file__).parents[2]
MARK = Insert("tag", ((7, 1, None, "k", "v"),))
HOLDER = """
    import sqlite3, sys
    connection = sqlite3.connect(sys.argv[1], isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO ducklake_tag VALUES (1, 1, NULL, 'theirs', 'v')")
    print("held", flush=True)
    sys.stdin.readline()
    connection.execute("COMMIT")
"""
VICTIM = """
    import os, signal, sys
    from quacklake.catalog import open_catalog, parse_location
    from quacklake.catalog.mutations import CreateInlined, Insert
    from quacklake.format.types import Column, Kind, Scalar
    from tests.support.commits import commit

    def die(step):
        if step == sys.argv[2]:
            os.kill(os.getpid(), signal.SIGKILL)

    catalog = open_catalog(parse_location(sys.argv[1]))
    commit(
        catalog,
        Insert("tag", tuple((i, 1, None, "k", "v" * 1000) for i in range(200))),
        CreateInlined(1, 1, (Column(1, "a", Scalar(Kind.INT32)),)),
        steps=die,
    )
"""


def process(code, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
    )


@pytest.fixture
def place(tmp_path):
    location = parse_location(f"sqlite:///{tmp_path}/catalog.sqlite")
    open_catalog(location, data_path=str(tmp_path / "data/")).close()
    return location


@pytest.fixture
def holder(place):
    """A process with the write lock of the file, until it is told to commit."""
    with process(HOLDER, place.path) as running:
        assert running.stdout.readline() == "held\n"
        yield running


def test_a_writer_waits_for_another_process(place, holder):
    with open_catalog(place) as catalog:
        threading.Timer(0.5, lambda: holder.communicate("commit\n")).start()

        commit(catalog, MARK)

        assert {row[3] for row in rows_in(catalog, "tag")} == {"theirs", "k"}


def test_a_writer_does_not_wait_for_ever(place, holder, monkeypatch):
    monkeypatch.setattr(sqlite_backend, "BUSY_SECONDS", 0.2)
    with open_catalog(place) as catalog:
        with pytest.raises(Busy):
            commit(catalog, MARK)

        holder.communicate("commit\n")
        assert commit(catalog, MARK).id == 1


def test_a_reader_that_stays_too_long_makes_a_commit_fail_and_leave_nothing(place, monkeypatch):
    monkeypatch.setattr(sqlite_backend, "BUSY_SECONDS", 0.2)
    with open_catalog(place) as catalog:
        with closing(sqlite3.connect(place.path)) as reader:
            unfinished = reader.execute("SELECT * FROM ducklake_metadata")
            unfinished.fetchone()

            with pytest.raises(Busy):
                commit(catalog, MARK)
            unfinished.close()

        assert rows_in(catalog, "tag") == []
        assert commit(catalog, MARK).id == 1


def test_a_rival_in_the_same_duckdb_makes_the_commit_itself_fail(tmp_path):
    file = tmp_path / "catalog.ducklake"
    location = parse_location(f"duckdb:///{file}")
    taken = "INSERT INTO ducklake_snapshot VALUES (1, now(), 0, 1, 0)"

    def take(step):
        if step == "before commit":
            with duckdb.connect(str(file)) as rival:
                rival.execute(taken)

    with open_catalog(location, data_path=str(tmp_path / "data/")) as catalog:
        with pytest.raises(RivalCommit):
            commit(catalog, MARK, steps=take)

        assert rows_in(catalog, "tag") == []
        assert commit(catalog, MARK).id == 2


def test_a_thread_waits_for_its_turn_at_a_duckdb_file_but_not_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(duckdb_backend, "TURN_SECONDS", 0.1)
    location = parse_location(f"duckdb:///{tmp_path}/catalog.ducklake")
    with open_catalog(location, data_path=str(tmp_path / "data/")) as catalog:
        with catalog.write(), pytest.raises(Busy):
            commit(catalog, MARK)

        assert commit(catalog, MARK).id == 1


def test_a_table_that_mysql_cannot_drop_yet_does_not_undo_the_commit(
    mariadb, tmp_path, monkeypatch
):
    monkeypatch.setattr(mysql_backend, "LOCK_SECONDS", 1)
    name = mariadb.database()
    location = parse_location(mariadb.url(name))
    made = CreateInlined(TableId(1), 1, (Column(ColumnId(1), "a", Scalar(Kind.INT32)),))
    with open_catalog(location, data_path=str(tmp_path / "data/")) as catalog:
        commit(catalog, made)
        with catalog.read() as reader:
            reader._connection.exec_driver_sql("SELECT * FROM ducklake_inlined_data_1_1")

            commit(catalog, DropInlined(TableId(1), 1))

        assert rows_in(catalog, "inlined_data_tables") == []
        assert len(mariadb.execute("SHOW TABLES LIKE 'ducklake_inlined_data_1%'", name)) == 1
        commit(catalog, made)
        assert len(rows_in(catalog, "inlined_data_tables")) == 1


@pytest.fixture(params=["sqlite", "postgres", "mariadb"])
def anywhere(request, place, tmp_path):
    """A lake where several processes may write."""
    if request.param == "sqlite":
        return str(place.url.set(drivername="sqlite"))
    server = request.getfixturevalue(request.param)
    url = server.url(server.database())
    open_catalog(parse_location(url), data_path=str(tmp_path / "data/")).close()
    return url


@pytest.mark.slow
@pytest.mark.parametrize("step", ["claimed", "applied", "before commit", "after commit"])
def test_a_killed_writer_leaves_all_or_nothing(anywhere, step):
    with process(VICTIM, anywhere, step) as victim:
        assert victim.wait() == -signal.SIGKILL
    landed = step == "after commit"

    with open_catalog(parse_location(anywhere)) as catalog:
        assert head_of(catalog).id == (1 if landed else 0)
        assert len(rows_in(catalog, "tag")) == (200 if landed else 0)
        assert len(rows_in(catalog, "inlined_data_tables")) == (1 if landed else 0)
        assert commit(catalog, MARK).id == (2 if landed else 1)

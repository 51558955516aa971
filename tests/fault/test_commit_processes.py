"""Commits while other processes hold the lock, and commits of processes that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from quacklake.catalog import open_catalog, parse_location
from quacklake.catalog.backends import sqlite as sqlite_backend
from quacklake.catalog.mutations import Insert
from quacklake.kernel.errors import Busy
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

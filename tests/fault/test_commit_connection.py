"""Commits whose connection breaks, or whose process dies, at each step.

Either the commit is there whole, or nothing of it; the error says which, or that nobody knows;
and the next commit works.
"""

from __future__ import annotations

import threading
import time

import psycopg
import pytest

from quacklake.catalog import open_catalog, parse_location
from quacklake.catalog.backends import postgres as postgres_backend
from quacklake.catalog.mutations import Insert
from quacklake.kernel.errors import Busy, CommitUnknown
from quacklake.kernel.ids import SnapshotId
from tests.support.commits import commit, head_of, rows_in
from tests.support.wire import Wire

MARK = Insert("tag", ((7, 1, None, "k", "v"),))


class Server:
    """A database behind a wire, and the means to end its sessions."""

    def __init__(self, wire, url, direct, end_sessions):
        self.wire = wire
        self.url = url
        self.direct = direct
        self.end_sessions = end_sessions


@pytest.fixture(params=["postgres", "mariadb"])
def server(request, tmp_path):
    database_server = request.getfixturevalue(request.param)
    name = database_server.database()
    if request.param == "postgres":
        socket = f"{database_server.socket_folder}/.s.PGSQL.{database_server.port}"
        scheme, user = "postgresql", "postgres"
        end = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            f" WHERE datname = '{name}' AND application_name = 'quacklake'"
        )

        def end_sessions():
            database_server.execute(end)

    else:
        socket, scheme, user = str(database_server.socket), "mysql", "root"

        def end_sessions():
            listed = "SELECT id FROM information_schema.processlist WHERE db = "
            for (session,) in database_server.execute(f"{listed}'{name}'"):
                database_server.execute(f"KILL {session}")

    with Wire(socket) as wire:
        suffix = "?sslmode=disable" if scheme == "postgresql" else ""
        url = f"{scheme}://{user}@127.0.0.1:{wire.port}/{name}{suffix}"
        direct = open_catalog(
            parse_location(database_server.url(name)), data_path=str(tmp_path / "data/")
        )
        with direct:
            yield Server(wire, url, direct, end_sessions)


@pytest.fixture
def catalog(server):
    with open_catalog(parse_location(server.url)) as opened:
        yield opened


def at(step, action):
    """Steps that do something at one of them."""

    def told(name):
        if name == step:
            action()

    return told


@pytest.mark.parametrize("way", ["cut", "end_sessions"])
@pytest.mark.parametrize("step", ["begun", "claimed"])
def test_a_connection_lost_before_the_commit_leaves_nothing(server, catalog, step, way):
    action = server.wire.cut if way == "cut" else server.end_sessions

    with pytest.raises(Busy):
        commit(catalog, MARK, steps=at(step, action))

    assert head_of(server.direct).id == 0
    assert rows_in(server.direct, "tag") == []
    assert commit(catalog, MARK).id == 1


@pytest.mark.parametrize("way", ["cut", "end_sessions"])
@pytest.mark.parametrize("step", ["applied", "before commit"])
def test_a_commit_that_does_not_arrive_is_unknown_until_it_is_looked_up(server, catalog, step, way):
    action = server.wire.cut if way == "cut" else server.end_sessions

    with pytest.raises(CommitUnknown) as unknown:
        commit(catalog, MARK, steps=at(step, action))

    assert unknown.value.facts["snapshot"] == 1
    assert catalog.lookup(SnapshotId(1)) is None
    assert rows_in(server.direct, "tag") == []
    assert commit(catalog, MARK).id == 1


def test_a_commit_whose_answer_is_lost_is_found_when_it_is_looked_up(server, catalog):
    with pytest.raises(CommitUnknown):
        commit(
            catalog,
            MARK,
            changes="altered_table:7",
            steps=at("before commit", server.wire.lose_answers),
        )

    found = catalog.lookup(SnapshotId(1))
    assert found is not None
    assert found.changes == "altered_table:7"
    assert rows_in(server.direct, "tag") == [(7, 1, None, "k", "v")]
    assert commit(catalog, MARK).id == 2


def test_whatever_interrupts_after_the_commit_makes_it_unknown(server, catalog):
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(CommitUnknown):
        commit(catalog, MARK, steps=at("after commit", interrupt))

    assert catalog.lookup(SnapshotId(1)) is not None


def test_a_lookup_waits_for_a_commit_that_is_still_under_way(server, catalog):
    ready = threading.Event()

    def linger():
        ready.set()
        time.sleep(0.7)

    rival = threading.Thread(
        target=commit, args=(server.direct, MARK), kwargs={"steps": at("before commit", linger)}
    )
    rival.start()
    ready.wait()

    found = catalog.lookup(SnapshotId(1))

    rival.join()
    assert found is not None
    assert found.snapshot == head_of(server.direct)


def test_a_rival_that_keeps_the_snapshot_for_too_long_means_busy(postgres, tmp_path, monkeypatch):
    monkeypatch.setattr(postgres_backend, "LOCK_SECONDS", 1)
    name = postgres.database()
    location = parse_location(postgres.url(name))
    with open_catalog(location, data_path=str(tmp_path / "data/")) as catalog:
        with psycopg.connect(postgres.words(name)) as rival:
            rival.execute("INSERT INTO ducklake_snapshot VALUES (1, now(), 0, 1, 0)")

            with pytest.raises(Busy):
                commit(catalog, MARK)
            rival.rollback()

        assert commit(catalog, MARK).id == 1

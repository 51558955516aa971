"""Bad input on the command line: one sentence, a hint, an exit code, and nothing changed."""

import os
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.commandline import Program
from tests.support.referee import Referee


@pytest.fixture
def quacklake(capsys):
    return Program(capsys)


def made(folder):
    """A lake with a table of two files, its first snapshots expired."""
    with Referee(f"sqlite:{folder}/m.sqlite", f"{folder}/data/") as referee:
        referee.execute("CREATE TABLE t AS SELECT i AS a, 'x' || i AS b FROM range(100) AS r(i)")
        referee.execute("INSERT INTO t SELECT i, 'y' || i FROM range(100, 200) AS r(i)")
        referee.execute("CREATE TABLE u AS SELECT 1 AS a")
        referee.execute("CALL ducklake_expire_snapshots('lake', versions => [0, 1])")
    return folder


@pytest.fixture
def folder(tmp_path):
    """A lake that a test may damage."""
    return made(tmp_path)


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The URL of a lake that stays as it is."""
    return f"sqlite:///{made(tmp_path_factory.mktemp('sound'))}/m.sqlite"


@pytest.fixture
def url(folder):
    return f"sqlite:///{folder}/m.sqlite"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("head", "{url}", "nowhere"), "no table 'main.nowhere' at snapshot 3"),
        (("head", "{url}", "a.b.c"), "'a.b.c' is not a table name"),
        (("head", "{url}", "t", "--columns", "zz"), "no column 'zz' in table 'main.t'"),
        (("head", "{url}", "t", "--snapshot", "77"), "no snapshot 77"),
        (("head", "{url}", "t", "--snapshot", "1"), "snapshot 1 has expired"),
        (("head", "{url}", "t", "--timestamp", "1999-01-01"), "has expired"),
        (("head", "{url}", "t", "--timestamp", "soon"), "'soon' is not a timestamp"),
        (("head", "{url}", "t", "--filter", "a >"), "the filter is not valid SQL"),
        (("head", "{url}", "t", "--filter", "zz > 1"), "no column 'zz'"),
        (("head", "{url}", "t", "-n", "few"), "invalid value for '-n' / '--rows'"),
        (("describe", "{url}", "nowhere"), "no table 'main.nowhere'"),
        (("describe", "{url}"), "the name of a table is missing"),
        (("tables", "{url}", "--snapshot", "1"), "snapshot 1 has expired"),
        (("tables", "{url}", "more", "words"), "there are 3 arguments"),
        (("tables", "{url}", "--nope"), "no such option: --nope"),
        (("sql", "{url}", "SELEC 1"), "the query is not valid SQL"),
        (("sql", "{url}", "FROM nowhere"), "no table 'main.nowhere'"),
        (("sql", "{url}", "SELECT zz FROM t"), 'Referenced column "zz" not found'),
        (("sql", "{url}", "FROM t AT (VERSION => 1)"), "snapshot 1 has expired"),
        (("sql", "{url}", "COPY t TO 'x.csv'"), "this way of writing is not available"),
        (("sql", "{url}", "SELECT 1; SELECT 2"), "there are several statements"),
        (("sql", "{url}", "--file", "/nowhere.sql"), "cannot be read"),
        (("dance",), "no such command 'dance'"),
        (("tables", "no-scheme"), "the catalog address has no scheme"),
        (("tables", "oracle://me@host/db"), "no catalog backend is called 'oracle'"),
        (("tables",), "the URL of a lake is missing"),
    ],
)
def test_a_wrong_request_is_one_sentence_and_code_2(
    quacklake, sound, arguments, problem, monkeypatch
):
    monkeypatch.delenv("QUACKLAKE_URL", raising=False)

    outcome = quacklake(*(word.format(url=sound) for word in arguments))

    assert problem in outcome.error
    assert (outcome.code, outcome.out) == (2, "")


def test_what_is_no_lake_is_refused_and_left_alone(quacklake, tmp_path):
    text, empty, other = (tmp_path / name for name in ("text.db", "empty.db", "other.db"))
    text.write_text("not a database, but quite a long text that is none " * 30)
    empty.touch()
    with closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE mine (a INT)")

    for path in (text, empty, other):
        before = path.read_bytes()
        for scheme in ("sqlite", "duckdb"):
            outcome = quacklake("tables", f"{scheme}:///{path}")
            assert outcome.code == 2, (path, scheme)
            assert "is not a DuckLake" in outcome.error or "not a" in outcome.error
        assert path.read_bytes() == before


def test_a_file_that_does_not_exist_is_not_made(quacklake, tmp_path):
    for scheme in ("sqlite", "duckdb"):
        outcome = quacklake("tables", f"{scheme}:///{tmp_path}/none.db")

        assert outcome.error
        assert outcome.code != 0
    assert list(tmp_path.iterdir()) == []


def test_another_format_version_is_named(quacklake, folder, url):
    with closing(sqlite3.connect(folder / "m.sqlite")) as database:
        database.execute("UPDATE ducklake_metadata SET value = '2.7' WHERE key = 'version'")
        database.commit()

    outcome = quacklake("tables", url)

    assert "format version '2.7'" in outcome.error
    assert outcome.code == 2


@pytest.mark.parametrize("command", [("head", "t", "-n", "999"), ("sql", "SELECT sum(a) FROM t")])
def test_a_missing_data_file_is_named(quacklake, folder, url, command):
    lost = min((folder / "data").rglob("*.parquet"))
    lost.unlink()

    outcome = quacklake(command[0], url, *command[1:])

    assert f"'{lost}' does not exist" in outcome.error
    assert outcome.code == 1


@pytest.mark.parametrize("command", [("head", "t", "-n", "999"), ("sql", "SELECT sum(a) FROM t")])
def test_a_truncated_data_file_is_named(quacklake, folder, url, command):
    broken = min((folder / "data").rglob("*.parquet"))
    broken.write_bytes(broken.read_bytes()[:-100])

    outcome = quacklake(command[0], url, *command[1:])

    assert str(broken) in outcome.error
    assert outcome.code == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not stop the superuser")
def test_a_file_without_permission_is_named(quacklake, folder, url):
    closed = min((folder / "data").rglob("*.parquet"))
    closed.chmod(0)

    outcome = quacklake("head", url, "t")

    assert f"access to '{closed}' is denied" in outcome.error
    assert outcome.code == 1


def unused_port():
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
def test_a_database_that_is_down_is_unavailable_and_its_password_stays_hidden(quacklake, scheme):
    outcome = quacklake("tables", f"{scheme}://me:hush@127.0.0.1:{unused_port()}/db")

    assert outcome.code == 1
    assert outcome.error
    assert "hush" not in outcome.err


def test_a_wrong_password_is_no_access_and_stays_hidden(quacklake, postgres):
    outcome = quacklake("tables", f"postgresql://postgres:hush@127.0.0.1:{postgres.port}/postgres")

    assert outcome.code == 1
    assert outcome.error
    assert "hush" not in outcome.err


def test_a_role_without_rights_is_no_access(quacklake, postgres):
    name = postgres.database()
    quacklake("init", postgres.url(name), "--data-path", "/nowhere/")
    postgres.execute(f"CREATE ROLE stranger_{name} LOGIN")

    outcome = quacklake("tables", postgres.url(name).replace("//postgres@", f"//stranger_{name}@"))

    assert outcome.code == 1
    assert outcome.error


def test_an_unknown_failure_points_to_debug(quacklake, url, monkeypatch):
    def explode(*_args, **_options):
        raise RuntimeError("a bug")

    monkeypatch.setattr("quacklake.client.lake.Lake.tables", explode)

    outcome = quacklake("tables", url)

    assert outcome.error == "something unexpected happened (RuntimeError)"
    assert "QUACKLAKE_DEBUG=1" in outcome.err
    monkeypatch.setenv("QUACKLAKE_DEBUG", "1")
    with pytest.raises(RuntimeError, match="a bug"):
        quacklake("tables", url)


def test_reading_changes_nothing(quacklake, folder, url):
    def contents():
        return {p: p.read_bytes() for p in Path(folder).rglob("*") if p.is_file()}

    before = contents()
    for command in (("tables",), ("snapshots",), ("doctor",)):
        assert quacklake(command[0], url).code == 0
    quacklake("head", url, "t")
    quacklake("sql", url, "SELECT count(*) FROM t, u")

    assert contents() == before

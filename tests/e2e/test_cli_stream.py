"""`quacklake stream`, as text and as JSON."""

from __future__ import annotations

import io
import sqlite3
from contextlib import closing

import pytest

import quacklake as ql
from tests.support.commandline import Program

DAILY = "SELECT day, sum(amount) AS total FROM orders GROUP BY day"
COMMANDS = (
    "create", "list", "refresh", "explain", "verify", "history",
    "lineage", "alter", "rewind", "drop", "validate",
)  # fmt: skip


@pytest.fixture
def quacklake(capsys):
    return Program(capsys)


def made(folder):
    """The URL of a lake with orders, and a stream table of them."""
    url = f"sqlite:///{folder}/m.sqlite"
    with ql.connect(url, data_path=f"{folder}/data/", engine="local") as lake:
        lake.sql("CREATE TABLE orders (id BIGINT, day VARCHAR, amount BIGINT)")
        lake.sql("INSERT INTO orders VALUES (1, 'mon', 10), (2, 'mon', 5), (3, 'tue', 7)")
        lake.sql(f"CREATE STREAM TABLE daily AS {DAILY}")
    return url


@pytest.fixture
def url(tmp_path):
    """A lake that a test may change."""
    return made(tmp_path)


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A lake that stays as it is."""
    return made(tmp_path_factory.mktemp("sound"))


def test_create_fills_a_table_and_reports(quacklake, url):
    made = quacklake(
        "stream", "create", url, "ids", "SELECT id FROM orders",
        "--engine", "local", "--schedule", "1m", "--json",
    )  # fmt: skip

    (report,) = made.document
    assert (made.code, report["name"], report["rows_out"]) == (0, "main.ids", 3)
    assert quacklake("sql", url, "FROM ids ORDER BY id", "--json").lines[0] == {"id": 1}


def test_create_reads_its_query_from_a_file_or_the_input(quacklake, url, tmp_path, monkeypatch):
    (tmp_path / "q.sql").write_text("SELECT id FROM orders -- all\n;\n")
    monkeypatch.setattr("sys.stdin", io.StringIO("SELECT day FROM orders"))

    file = quacklake(
        "stream", "create", url, "a", "--file", f"{tmp_path}/q.sql", "--engine", "local"
    )
    given = quacklake("stream", "create", url, "b", "-", "--engine", "local")

    assert (file.code, given.code) == (0, 0)
    shown = {
        each["name"]: each["query"] for each in quacklake("stream", "list", url, "--json").document
    }
    assert shown["main.a"] == "SELECT id FROM orders -- all"
    assert shown["main.b"] == "SELECT day FROM orders"


def test_create_replaces_or_leaves_what_is_there(quacklake, url):
    kept = quacklake(
        "stream", "create", url, "daily", "SELECT 1 AS a FROM orders", "--if-not-exists"
    )
    same = quacklake("stream", "create", url, "daily", DAILY, "--replace", "--engine", "local")
    other = quacklake(
        "stream", "create", url, "daily", "SELECT day FROM orders", "--replace", "--engine", "local"
    )

    assert "no-change" in kept.out
    assert "the query is the same" in same.out
    assert "replaced" in other.out


def test_list_shows_settings_progress_and_query(quacklake, sound):
    shown = quacklake("stream", "list", sound)

    assert (shown.code, shown.err) == (0, "")
    header, line = (each.split() for each in shown.out.splitlines())
    assert header == ["name", "schedule", "mode", "policy", "engine", "snapshot", "query"]
    assert line[:5] == ["main.daily", "auto", "fallback", "local", "2"]
    assert shown.out.rstrip().endswith(DAILY)
    (document,) = quacklake("stream", "list", sound, "--json").document
    assert document["frontier"]["ducklake:main.orders"]["snapshot_id"] == 2


def test_refresh_tells_mode_reason_and_what_was_read(quacklake, url):
    quacklake("sql", url, "INSERT INTO orders VALUES (4, 'wed', 1)")

    shown = quacklake("stream", "refresh", url, "daily")
    again = quacklake("stream", "refresh", url, "--json")

    header, line = (each.split() for each in shown.out.splitlines())
    assert " ".join(header).startswith("name mode rows in rows out rows read read files ms")
    assert line[:4] == ["main.daily", "incremental", "1", "1"]
    assert shown.out.rstrip().endswith("rows changed")
    (report,) = again.document
    assert (report["mode"], report["reason"]) == ("no-change", "no source changed")


def test_refresh_takes_many_names_and_a_mode(quacklake, url):
    quacklake("stream", "create", url, "ids", "SELECT id FROM orders", "--engine", "local")

    done = quacklake("stream", "refresh", url, "ids", "daily", "--mode", "full", "--json").document

    assert {each["name"] for each in done} == {"main.ids", "main.daily"}
    assert {each["mode"] for each in done} == {"full"}
    assert len({each["snapshot_id"] for each in done}) == 1


def test_the_url_may_come_from_the_environment(quacklake, url, monkeypatch):
    monkeypatch.setenv("QUACKLAKE_URL", url)

    assert quacklake("stream", "list").code == 0
    assert quacklake("stream", "refresh").code == 0
    assert quacklake("stream", "refresh", "daily").code == 0
    assert quacklake("stream", "explain", "daily").code == 0


def test_explain_shows_the_operators_and_the_change(quacklake, sound):
    shown = quacklake("stream", "explain", sound, "daily")
    document = quacklake("stream", "explain", sound, "daily", "--json").document

    assert "[keyed]" in shown.out
    assert "the next refresh: nothing, no source changed" in shown.out
    assert document["identity"] == "by key: day"
    assert document["delta_sql"].startswith(("WITH", "SELECT"))


def test_verify_fails_where_rows_are_not_those_of_the_query(quacklake, url, tmp_path):
    fine = quacklake("stream", "verify", url)
    with closing(sqlite3.connect(tmp_path / "m.sqlite")) as catalog, catalog:
        (table,) = catalog.execute(
            "SELECT table_id FROM ducklake_table WHERE table_name = 'daily'"
        ).fetchone()
        (inlined,) = catalog.execute(
            "SELECT table_name FROM ducklake_inlined_data_tables WHERE table_id = ?", (table,)
        ).fetchone()
        catalog.execute(f'UPDATE "{inlined}" SET total = 99 WHERE total = 7')

    spoiled = quacklake("stream", "verify", url, "daily")
    document = quacklake("stream", "verify", url, "--json")

    assert (fine.code, fine.out) == (0, "main.daily: 2 rows, all as the query has them\n")
    assert (spoiled.code, spoiled.err) == (1, "")
    said, header, *lines = spoiled.out.splitlines()
    assert said.startswith("main.daily: 2 rows, 2 ")
    assert header.split() == ["day", "total", "__weight"]
    assert sorted(line.split() for line in lines) == [["tue", "7", "1"], ["tue", "99", "-1"]]
    assert document.code == 1
    (found,) = document.document
    assert {(each["total"], each["__weight"]) for each in found["differences"]} == {
        (7, 1),
        (99, -1),
    }


def test_history_lists_refreshes_newest_first(quacklake, url):
    quacklake("sql", url, "INSERT INTO orders VALUES (4, 'wed', 1)")
    quacklake("stream", "refresh", url)

    shown = quacklake("stream", "history", url, "daily")
    (newest,) = quacklake("stream", "history", url, "daily", "-n", "1", "--json").document

    assert [line.split()[2] for line in shown.out.splitlines()[1:]] == ["incremental", "full"]
    assert (newest["mode"], newest["rows_in"]) == ("incremental", 1)
    assert newest["frontier"]["ducklake:main.orders"]["snapshot_id"] == 4


def test_lineage_names_the_columns_behind_a_column(quacklake, sound):
    shown = quacklake("stream", "lineage", sound, "daily")
    document = quacklake("stream", "lineage", sound, "daily", "--json").document

    assert shown.out.splitlines()[2].split() == ["total", "main.orders.amount"]
    assert document == {"day": ["main.orders.day"], "total": ["main.orders.amount"]}


def test_alter_changes_settings(quacklake, url):
    done = quacklake("stream", "alter", url, "daily", "--schedule", "5m", "--mode", "full")
    (after,) = quacklake("stream", "list", url, "--json").document
    undone = quacklake("stream", "alter", url, "daily", "--no-schedule")
    (later,) = quacklake("stream", "list", url, "--json").document

    assert (done.code, undone.code) == (0, 0)
    assert (after["schedule"], after["mode"]) == ("5m", "full")
    assert (later["schedule"], later["mode"]) == (None, "full")


def test_rewind_goes_back_and_refresh_goes_on(quacklake, url):
    quacklake("sql", url, "INSERT INTO orders VALUES (4, 'wed', 1)")
    quacklake("stream", "refresh", url)

    back = quacklake("stream", "rewind", url, "daily", "--snapshot", "2", "--json")
    (then,) = quacklake("sql", url, "SELECT count(*) AS n FROM daily", "--json").lines
    quacklake("stream", "refresh", url)
    (now,) = quacklake("sql", url, "SELECT count(*) AS n FROM daily", "--json").lines

    assert (back.code, back.document[0]["reason"]) == (0, "rewound to 2")
    assert (then["n"], now["n"]) == (2, 3)


def test_drop_names_what_went(quacklake, url):
    quacklake("stream", "create", url, "best", "SELECT day FROM daily", "--engine", "local")

    refused = quacklake("stream", "drop", url, "daily")
    done = quacklake("stream", "drop", url, "daily", "--cascade")
    absent = quacklake("stream", "drop", url, "daily", "--if-exists")

    assert (refused.code, refused.error) == (2, "stream table 'main.best' reads 'main.daily'")
    assert done.out.splitlines() == ["dropped main.daily", "dropped main.best"]
    assert (absent.code, absent.out) == (0, "")


def test_validate_answers_with_its_exit_code(quacklake, sound):
    good = quacklake("stream", "validate", sound, DAILY)
    bad = quacklake("stream", "validate", sound, "SELECT rand() AS r FROM orders", "--json")

    assert (good.code, good.out.splitlines()[0]) == (0, "incremental: every operator has a rule")
    assert bad.code == 1
    assert bad.document["incremental"] is False


def test_statements_run_through_the_sql_command(quacklake, url):
    made = quacklake(
        "sql", url, "CREATE STREAM TABLE ids AS SELECT id FROM orders", "--engine", "local"
    )
    shown = quacklake("sql", url, "SHOW STREAM TABLES", "--json")
    explained = quacklake("sql", url, "EXPLAIN STREAM TABLE ids")

    assert (made.code, explained.code) == (0, 0)
    assert [each["name"] for each in shown.lines] == ["main.daily", "main.ids"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("create", "{url}", "a"), "the query is missing"),
        (("create", "{url}", "a", "SELECT id FROM nowhere"), "no table 'main.nowhere'"),
        (("create", "{url}", "a", "SELECT rand() AS r FROM orders"), "the function rand"),
        (("create", "{url}", "a", "SELECT (id FROM"), "the query is not valid SQL"),
        (("create", "{url}", "a", " "), "the query is missing"),
        (("create", "{url}", "daily", "SELECT id FROM orders"), "'main.daily' exists already"),
        (("create", "{url}", "a", "SELECT 1", "--schedule", "often"), "'often' is not a schedule"),
        (("create", "{url}", "a", "SELECT 1", "--mode", "fast"), "mode 'fast' is not one of"),
        (("create", "{url}", "a", "SELECT 1", "--engine", "fire"), "no engine is called 'fire'"),
        (("create", "{url}", "a", "--file", "/nowhere.sql"), "cannot be read as text"),
        (("refresh", "{url}", "orders"), "no stream table 'main.orders'"),
        (("refresh", "{url}", "daily", "--mode", "fast"), "mode 'fast' is not one of"),
        (("refresh",), "the URL of a lake is missing"),
        (("refresh", "daily"), "the URL of a lake is missing"),
        (("explain", "{url}"), "the name of a stream table is missing"),
        (("explain", "{url}", "orders"), "no stream table 'main.orders'"),
        (("verify", "{url}", "orders"), "no stream table 'main.orders'"),
        (("history", "{url}", "orders"), "no stream table 'main.orders'"),
        (("lineage", "{url}", "orders"), "no stream table 'main.orders'"),
        (("alter", "{url}", "daily"), "nothing is to be changed"),
        (("alter", "{url}", "daily", "--schedule", "1m", "--no-schedule"), "exclude each other"),
        (("alter", "{url}", "daily", "--mode", "fast"), "mode 'fast' is not one of"),
        (("rewind", "{url}", "daily"), "--snapshot is missing"),
        (("rewind", "{url}", "daily", "--snapshot", "77"), "no snapshot 77"),
        (("drop", "{url}", "orders"), "no stream table 'main.orders'"),
        (("validate", "{url}", "SELECT id FROM nowhere"), "no table 'main.nowhere'"),
        (("dance", "{url}"), "no such command 'dance'"),
    ],
)
def test_a_wrong_request_is_one_sentence_and_code_2(
    quacklake, sound, arguments, problem, monkeypatch
):
    monkeypatch.delenv("QUACKLAKE_URL", raising=False)

    outcome = quacklake("stream", *(word.format(url=sound) for word in arguments))

    assert problem in outcome.error
    assert (outcome.code, outcome.out) == (2, "")


def test_every_command_teaches_by_example(quacklake):
    overview = quacklake("stream")

    assert overview.code == 0
    for command in COMMANDS:
        told = quacklake("stream", command, "--help")
        assert command in overview.out
        assert told.code == 0
        assert f"quacklake stream {command} sqlite:///shop.sqlite" in told.out

"""The commands that show a lake, as text and as JSON."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.commandline import Program
from tests.support.referee import Referee

STORY = (
    "CREATE TABLE orders (id BIGINT NOT NULL, day DATE, note VARCHAR, extra STRUCT(a INT, b BLOB))",
    "ALTER TABLE orders SET PARTITIONED BY (month(day))",
    """INSERT INTO orders SELECT i, DATE '2026-01-01' + i::INTEGER, 'no. ' || i, NULL
       FROM range(50) AS r(i)""",
    "COMMENT ON TABLE orders IS 'what was sold'",
    "INSERT INTO orders VALUES (50, 'infinity', NULL, {'a': 1, 'b': '\\x00z'})",
    "DELETE FROM orders WHERE id < 5",
    "CREATE SCHEMA s",
    "CREATE TABLE s.odd AS SELECT 'nan'::DOUBLE AS x, 1.50::DECIMAL(9, 2) AS d, '日本' AS w",
    "CREATE VIEW recent AS SELECT * FROM orders WHERE id > 40",
)
TABLE_KEYS = {"kind", "schema", "name", "columns", "partitioned_by", "comment"}


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    with Referee(f"sqlite:{folder}/m.sqlite", f"{folder}/data/") as referee:
        for statement in STORY:
            referee.execute(statement)
    return f"sqlite:///{folder}/m.sqlite"


@pytest.fixture
def quacklake(capsys):
    return Program(capsys)


def test_init_makes_a_lake_that_the_extension_attaches(quacklake, tmp_path):
    made = quacklake("init", f"sqlite:///{tmp_path}/new.sqlite", "--data-path", f"{tmp_path}/d")

    assert (made.code, made.err) == (0, "")
    assert "snapshot 0" in made.out
    with Referee(f"sqlite:{tmp_path}/new.sqlite") as referee:
        referee.execute("CREATE TABLE t AS SELECT 1 AS a")
    again = quacklake("init", f"sqlite:///{tmp_path}/new.sqlite", "--json")
    assert again.document["snapshot"] == 1
    assert again.document["data_path"] == f"{tmp_path}/d/"


def test_tables_lists_tables_and_views(quacklake, url):
    listed = quacklake("tables", url)

    assert listed.code == 0
    assert [line.split()[:3] for line in listed.out.splitlines()[1:]] == [
        ["main", "orders", "table"],
        ["main", "recent", "view"],
        ["s", "odd", "table"],
    ]
    assert "what was sold" in listed.out


def test_tables_of_a_schema_at_a_snapshot_as_json(quacklake, url):
    everything = quacklake("tables", url, "--json").document
    before = quacklake("tables", url, "--schema", "main", "--snapshot", "1", "--json").document

    assert {table["name"]: table["kind"] for table in everything} == {
        "orders": "table",
        "odd": "table",
        "recent": "view",
    }
    assert set(everything[0]) == TABLE_KEYS
    assert [table["name"] for table in before] == ["orders"]
    assert before[0]["partitioned_by"] == []


def test_describe_shows_columns_partitions_and_sizes(quacklake, url):
    shown = quacklake("describe", url, "orders")

    assert shown.out.startswith("main.orders\nwhat was sold\n46 rows: ")
    assert "partitioned by month(day)" in shown.out
    assert "BIGINT" in shown.out
    assert "not null" in shown.out


def test_describe_as_json(quacklake, url):
    found = quacklake("describe", url, "main.orders", "--json").document

    assert (found["name"], found["comment"], found["rows"]) == ("orders", "what was sold", 46)
    assert found["partitioned_by"] == ["month(day)"]
    assert [column["name"] for column in found["columns"]] == ["id", "day", "note", "extra"]
    assert found["columns"][3]["type"] == 'STRUCT("a" INTEGER, "b" BLOB)'
    assert {"files", "file_rows", "inlined_rows", "deleted_rows", "size_bytes"} <= set(found)


def test_snapshots_tells_what_commits_did(quacklake, url):
    text = quacklake("snapshots", url)
    newest = quacklake("snapshots", url, "-n", "2", "--json").document

    assert len(text.out.splitlines()) == 1 + 10
    assert [each["id"] for each in newest] == [8, 9]
    assert newest[1]["changes"] == 'created_view:"main"."recent"'


def test_head_shows_rows_as_duckdb_writes_values(quacklake, url):
    shown = quacklake("head", url, "orders", "--filter", "id >= 49", "-n", "5")

    assert shown.out.splitlines() == [
        "id  day         note    extra",
        "49  2026-02-19  no. 49  NULL",
        "50  infinity    NULL    {'a': 1, 'b': \\x00z}",
    ]


def test_head_prints_one_json_object_per_row(quacklake, url):
    rows = quacklake("head", url, "orders", "--filter", "id >= 49", "--json").lines

    assert rows == [
        {"id": 49, "day": "2026-02-19", "note": "no. 49", "extra": None},
        {"id": 50, "day": "infinity", "note": None, "extra": {"a": 1, "b": "\\x00z"}},
    ]


def test_head_takes_columns_a_number_and_a_snapshot(quacklake, url):
    rows = quacklake(
        "head", url, "orders", "-n", "2", "--columns", "rowid, id", "--snapshot", "3", "--json"
    )
    none = quacklake("head", url, "orders", "-n", "0", "--json")

    assert rows.lines == [{"rowid": 0, "id": 0}, {"rowid": 1, "id": 1}]
    assert (none.code, none.out) == (0, "")


def test_head_travels_by_time(quacklake, url):
    (third,) = (each for each in quacklake("snapshots", url, "--json").document if each["id"] == 3)

    rows = quacklake("head", url, "orders", "-n", "99", "--timestamp", third["time"], "--json")

    assert len(rows.lines) == 50


def test_numbers_that_json_lacks_are_texts(quacklake, url):
    (row,) = quacklake("head", url, "s.odd", "--json").lines

    assert row == {"x": "NaN", "d": 1.5, "w": "日本"}


def test_sql_answers_as_text_and_as_json(quacklake, url):
    query = "SELECT count(*) AS n, max(id) AS id, max(id) AS id FROM orders"

    assert quacklake("sql", url, query).out == " n  id  id\n46  50  50\n"
    assert quacklake("sql", url, query, "--json").lines == [{"n": 46, "id": 50, "id_1": 50}]


def test_sql_shows_the_first_rows_and_says_so(quacklake, url):
    some = quacklake("sql", url, "FROM range(300)")
    few = quacklake("sql", url, "FROM range(300)", "-n", "3")
    everything = quacklake("sql", url, "FROM range(300)", "--limit", "0")
    lines = quacklake("sql", url, "FROM range(300)", "--json")

    assert (len(some.out.splitlines()), len(few.out.splitlines())) == (101, 4)
    assert "the first 100 rows" in some.err
    assert (len(everything.out.splitlines()), everything.err) == (301, "")
    assert len(lines.lines) == 300


def test_sql_reads_the_query_from_a_file_or_standard_input(quacklake, url, tmp_path, monkeypatch):
    (tmp_path / "q.sql").write_text("SELECT 1 AS a -- one\n;\n")

    assert quacklake("sql", url, "--file", str(tmp_path / "q.sql")).out == "a\n1\n"
    with (tmp_path / "q.sql").open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert quacklake("sql", url, "-").out == "a\n1\n"


def test_the_url_may_come_from_the_environment(quacklake, url, monkeypatch):
    monkeypatch.setenv("QUACKLAKE_URL", url)

    assert quacklake("tables", "--json").document == quacklake("tables", url, "--json").document
    assert quacklake("head", "orders", "-n", "1", "--json").code == 0
    assert quacklake("sql", "SELECT 1 AS a").out == "a\n1\n"


def test_the_help_is_a_tour(quacklake):
    tour = quacklake("--help")
    alone = quacklake()

    for command in ["init", "tables", "describe", "snapshots", "head", "sql", "doctor", "demo"]:
        assert f"quacklake {command}" in tour.out
        assert "For example" in quacklake(command, "--help").out
    assert (tour.code, alone.code) == (0, 0)
    assert alone.out.strip() == tour.out.strip()


def test_the_version_is_printed(quacklake):
    assert quacklake("--version").out.startswith("quacklake 0.")


def run_program(*arguments, **options):
    command = [sys.executable, "-c", "import sys; from quacklake.cli import main; sys.exit(main())"]
    return subprocess.Popen(
        [*command, *arguments],
        env={**os.environ, "PYTHONPATH": "src"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_help_loads_nothing_heavy():
    heavy = "pyarrow duckdb sqlalchemy sqlglot pandas polars numpy"
    code = (
        "import sys; from quacklake.cli import main; main(['--help']); "
        f"print([m for m in {heavy.split()} if m in sys.modules], file=sys.stderr)"
    )

    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": "src"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stderr.strip() == "[]"


def test_a_reader_that_leaves_early_is_no_error(url):
    with run_program("sql", url, "FROM range(3_000_000)", "--json") as running:
        assert running.stdout is not None
        first = running.stdout.readline()
        running.stdout.close()
        assert running.stderr is not None
        complaints = running.stderr.read()

    assert first == '{"range":0}\n'
    assert complaints == ""


def test_an_interrupt_ends_it_quietly(url):
    query = "SELECT count(*) FROM range(100_000_000_000) AS a(i) WHERE i % 7 = 3"
    with run_program("sql", url, query, preexec_fn=heed_interrupts) as running:
        wait_until_busy(running.pid)
        running.send_signal(signal.SIGINT)
        try:
            out, err = running.communicate(timeout=60)
        finally:
            running.kill()

    assert (running.returncode, out, err) == (130, "", "")


def wait_until_busy(pid: int) -> None:
    """Wait for more work than starting takes, however slow the machine is."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        spent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        if sum(map(int, spent)) > 8 * os.sysconf("SC_CLK_TCK"):
            return
        time.sleep(0.1)


def heed_interrupts():
    """A suite that runs in the background of a script hands down that interrupts are ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_shell_completion_can_be_shown():
    with run_program("--show-completion", "bash") as running:
        out, _ = running.communicate(timeout=60)

    assert "_QUACKLAKE_COMPLETE" in out.upper()

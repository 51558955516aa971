"""`quacklake doctor` finds what is wrong with a lake, and nothing in a sound one."""

import re
import sqlite3
from contextlib import closing

import pytest

from tests.support.commandline import Program
from tests.support.referee import Referee

STORY = (
    "CREATE TABLE t (a INTEGER, b VARCHAR)",
    "INSERT INTO t SELECT i, 'x' || i FROM range(100) AS r(i)",
    "INSERT INTO t SELECT i, 'y' || i FROM range(100, 200) AS r(i)",
    "DELETE FROM t WHERE a < 30",
    "DELETE FROM t WHERE a = 150",
    "UPDATE t SET b = 'z' WHERE a BETWEEN 180 AND 199",
    "INSERT INTO t VALUES (200, 'inlined')",
    "CREATE TABLE p (d DATE, x INTEGER)",
    "ALTER TABLE p SET PARTITIONED BY (d)",
    "INSERT INTO p SELECT DATE '2026-01-01' + (i % 3)::INTEGER, i FROM range(90) AS r(i)",
    "CREATE VIEW v AS SELECT a FROM t",
    "ALTER TABLE t ADD COLUMN c INTEGER",
    "INSERT INTO t VALUES (201, 'inlined', 1)",
)


@pytest.fixture
def quacklake(capsys):
    return Program(capsys)


@pytest.fixture
def folder(tmp_path):
    with Referee(f"sqlite:{tmp_path}/m.sqlite", f"{tmp_path}/data/") as referee:
        for statement in STORY:
            referee.execute(statement)
    return tmp_path


@pytest.fixture
def doctor(quacklake, folder):
    """Run the doctor; its exit code and what it finds, as (check, severity, subject)."""

    def run():
        outcome = quacklake("doctor", f"sqlite:///{folder}/m.sqlite", "--json")
        found = outcome.document["findings"]
        return outcome.code, [(f["check"], f["severity"], f["subject"]) for f in found]

    return run


@pytest.fixture
def tamper(folder):
    def run(*statements):
        with closing(sqlite3.connect(folder / "m.sqlite")) as database:
            for statement in statements:
                assert database.execute(statement).rowcount != 0, statement
            database.commit()

    return run


def test_a_sound_lake_has_no_findings(quacklake, folder):
    outcome = quacklake("doctor", f"sqlite:///{folder}/m.sqlite")

    assert outcome.code == 0
    assert outcome.err == ""
    assert outcome.out.endswith("everything is there and sound\n")
    assert "2 tables, 1 views, 6 data files and 2 delete files" in outcome.out


def test_the_doctor_tells_which_spark_and_java_would_be_used(quacklake, folder, monkeypatch):
    url = f"sqlite:///{folder}/m.sqlite"
    first, *_ = quacklake("doctor", url).out.splitlines()
    assert re.fullmatch(r"Spark 4\.\S+ on Java \d+, '\S+/bin/java'", first)
    assert quacklake("doctor", url, "--json").document["spark"] == first.removeprefix("Spark ")

    monkeypatch.setenv("JAVA_HOME", str(folder))
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr("quacklake.engine.spark.java.find_spec", lambda _: None)
    without = quacklake("doctor", url)

    assert without.code == 0
    assert without.out.startswith("Spark cannot start: Spark needs Java 17 or newer and found none")


def test_the_report_says_what_was_looked_at(quacklake, folder):
    report = quacklake("doctor", f"sqlite:///{folder}/m.sqlite", "--json").document

    assert report["sound"] is True
    assert (report["tables"], report["views"], report["snapshots"]) == (2, 1, 14)
    assert report["bytes"] == sum(
        path.stat().st_size for path in (folder / "data").rglob("*.parquet") if path.is_file()
    )


def test_missing_and_truncated_files_are_found(doctor, folder):
    deletes = min((folder / "data").rglob("*-delete.parquet"))
    data = min(path for path in (folder / "data/main/p").rglob("*.parquet"))
    deletes.unlink()
    data.write_bytes(data.read_bytes()[:50])

    code, found = doctor()

    assert code == 1
    assert set(found) == {
        ("missing file", "problem", "main.t"),
        ("delete file", "problem", "main.t"),
        ("file size", "problem", "main.p"),
    }


def test_findings_are_shown_with_what_to_do(quacklake, folder):
    min((folder / "data/main/p").rglob("*.parquet")).unlink()

    outcome = quacklake("doctor", f"sqlite:///{folder}/m.sqlite")

    assert outcome.code == 1
    assert "does not exist" in outcome.out
    assert "restore it from a backup" in outcome.out


def test_a_change_nobody_knows_is_found(doctor, tamper):
    tamper("UPDATE ducklake_snapshot_changes SET changes_made = 'danced:1' WHERE snapshot_id = 3")

    assert doctor() == (1, [("changes", "problem", "snapshot 3")])


def test_a_clock_that_ran_backwards_is_a_warning(doctor, tamper):
    tamper(
        "UPDATE ducklake_snapshot SET snapshot_time = '1999-01-01 00:00:00+00' "
        "WHERE snapshot_id = 4"
    )

    assert doctor() == (0, [("clock", "warning", "snapshot 4")])


def test_statistics_that_are_gone_are_found(doctor, tamper):
    tamper(
        "DELETE FROM ducklake_table_stats WHERE table_id = 1",
        "DELETE FROM ducklake_file_column_stats WHERE table_id <> 1",
    )

    code, found = doctor()

    assert code == 1
    assert ("table statistics", "problem", "main.t") in found
    assert ("file statistics", "warning", "main.p") in found


def test_row_ids_given_twice_are_found(doctor, tamper):
    tamper(
        "UPDATE ducklake_data_file SET row_id_start = 10 "
        "WHERE table_id <> 1 AND row_id_start = (SELECT max(row_id_start) FROM ducklake_data_file "
        "WHERE table_id <> 1)"
    )

    assert doctor() == (1, [("row ids", "problem", "main.p")])


def test_a_row_id_counter_that_fell_back_is_found(doctor, tamper):
    tamper("UPDATE ducklake_table_stats SET next_row_id = 5 WHERE table_id <> 1")

    assert doctor() == (1, [("row ids", "problem", "main.p")])


def test_positions_deleted_twice_are_found(doctor, folder, tamper):
    tamper("UPDATE ducklake_inlined_delete_1 SET file_id = 0, row_id = 3")

    assert doctor() == (1, [("delete file", "problem", "main.t")])


def test_positions_beyond_the_end_are_found(doctor, tamper):
    tamper("UPDATE ducklake_inlined_delete_1 SET row_id = 5000")

    assert doctor() == (1, [("inlined deletes", "problem", "main.t")])


def test_partition_values_that_are_gone_are_found(doctor, tamper):
    tamper("DELETE FROM ducklake_file_partition_value")

    code, found = doctor()

    assert code == 1
    assert set(found) == {("partitions", "problem", "main.p")}


def test_a_table_without_schema_versions_is_found(doctor, tamper):
    tamper("DELETE FROM ducklake_schema_versions WHERE table_id <> 1")

    assert doctor() == (1, [("schema versions", "problem", "main.p")])


def test_inlined_rows_that_are_gone_are_found(doctor, tamper, folder):
    with closing(sqlite3.connect(folder / "m.sqlite")) as database:
        (name,) = database.execute(
            "SELECT min(table_name) FROM ducklake_inlined_data_tables WHERE table_id = 1"
        ).fetchone()
        database.execute(f"DROP TABLE {name}")
        database.commit()

    code, found = doctor()

    assert code == 1
    assert ("catalog", "problem", "main.t") in found


def test_a_view_that_lost_its_table_is_a_warning(doctor, tamper):
    tamper("UPDATE ducklake_view SET sql = 'SELECT * FROM nowhere'")

    assert doctor() == (0, [("view", "warning", "main.v")])

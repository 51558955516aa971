"""Few rows of a large file: sought by DuckDB's reader, and the same as its own scan finds."""

from __future__ import annotations

import pytest

import quacklake as ql
from quacklake.scan import files
from tests.support.referee import Referee

ROWS = 700_000
FILTERS = (
    "k BETWEEN 1000 AND 1010",
    "day = DATE '2020-02-03' AND price < 3.50",
    "name IN ('name 5', 'name 77') OR k IS NULL",
    "real > 0.999",
    "k % 20000 = 7 AND NOT name = 'name 5'",
    "moment >= TIMESTAMP '2020-01-01 00:11:00' AND moment < TIMESTAMP '2020-01-01 00:11:03'",
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sought")
    with Referee(f"sqlite:{folder}/lake.sqlite", data_path=f"{folder}/data/") as referee:
        referee.execute(
            "CREATE TABLE t AS SELECT nullif((hash(i) % 50000)::INTEGER, 3) AS k, "
            "DATE '2020-01-01' + (hash(i, 1) % 900)::INTEGER AS day, "
            "((hash(i, 2) % 10000) / 100)::DECIMAL(9, 2) AS price, "
            "'name ' || (hash(i, 3) % 40000) AS name, "
            "CASE hash(i, 4) % 2000 WHEN 0 THEN 'nan' WHEN 1 THEN '1' ELSE '0.5' END::DOUBLE "
            "AS real, TIMESTAMP '2020-01-01' + to_microseconds((hash(i, 5) % 900000000)::BIGINT) "
            f"AS moment FROM range({ROWS}) r(i)"
        )
        referee.execute("DELETE FROM t WHERE k % 1000 = 1")
        referee.execute("DELETE FROM t WHERE rowid = 77")
        referee.execute("ALTER TABLE t ADD COLUMN more INTEGER DEFAULT 7")
        yield referee, f"sqlite:///{folder}/lake.sqlite"


@pytest.mark.parametrize("condition", FILTERS)
@pytest.mark.parametrize("streamed", [True, False])
def test_sought_rows_are_those_duckdb_finds(made, monkeypatch, condition, streamed):
    referee, url = made
    sought = []
    seek = files.FileReader.seek
    monkeypatch.setattr(
        files.FileReader, "seek", lambda *given: (sought.append(given), seek(*given))[1]
    )

    with ql.connect(url, create=False, read_only=True) as lake:
        scan = lake.table("t").scan(
            ["rowid", "more", "name", "k", "day", "price", "real", "moment"], filter=condition
        )
        batches = list(scan.to_batches()) if streamed else scan.to_arrow().to_batches()
    found = [tuple(map(repr, row.values())) for batch in batches for row in batch.to_pylist()]
    listed = referee.rows(
        "SELECT rowid, more, name, k, day, price, real, moment FROM t "
        f"WHERE {condition} ORDER BY rowid"
    )

    assert found == [tuple(map(repr, row)) for row in listed]
    assert listed
    assert sought


def test_rows_that_are_all_deleted_are_not_found_again(made):
    _, url = made
    with ql.connect(url, create=False, read_only=True) as lake:
        assert lake.table("t").scan(["k", "name"], filter="k % 1000 = 1").to_arrow().num_rows == 0


def test_a_filter_that_many_rows_satisfy_is_not_sought(made, monkeypatch):
    _, url = made
    monkeypatch.setattr(files.FileReader, "seek", None)

    with ql.connect(url, create=False, read_only=True) as lake:
        assert lake.table("t").scan(["k"], filter="k > 25000").to_arrow().num_rows > ROWS // 3


def test_a_condition_that_a_value_does_not_suit_is_told_from_a_damaged_file(made):
    _, url = made

    with ql.connect(url, create=False) as lake, pytest.raises(ql.UsageError, match="evaluated"):
        lake.table("t").delete("k * k * k = 7")

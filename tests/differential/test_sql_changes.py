"""Statements that change rows, and virtual columns, done by us and by the extension alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import quacklake as ql
from quacklake.client.lake import Lake
from quacklake.kernel.errors import Unsupported, UsageError
from tests.support.referee import Referee

SETUP = [
    "CREATE TABLE t (k INTEGER, n BIGINT, s VARCHAR, l STRUCT(a INTEGER)[])",
    "INSERT INTO t SELECT i, i * 10, 'row ' || i, [{'a': i}] FROM range(40) r(i)",
    "INSERT INTO t VALUES (100, 1, 'kept by the catalog', NULL), (101, NULL, NULL, [])",
    "CREATE SCHEMA z",
    "CREATE TABLE z.u (k INTEGER, add BIGINT)",
    "INSERT INTO z.u SELECT i * 3, i FROM range(15) r(i)",
    "INSERT INTO z.u VALUES (100, 7)",
    "CREATE VIEW few AS SELECT k FROM t WHERE n < 50",
]
CHANGES = [
    "DELETE FROM t WHERE k IN (SELECT k FROM z.u)",
    "DELETE FROM t WHERE k NOT IN (SELECT k FROM z.u WHERE add > 3)",
    "DELETE FROM t WHERE EXISTS (SELECT 1 FROM z.u WHERE u.k = t.k AND u.add > 2)",
    "DELETE FROM t AS x WHERE x.k = (SELECT max(k) FROM z.u WHERE u.k < 100)",
    "DELETE FROM t WHERE n > (SELECT avg(n) FROM t) AND k < 30",
    "DELETE FROM t USING z.u WHERE t.k = u.k",
    "DELETE FROM t x USING z.u AS y, few WHERE x.k = y.k AND few.k = x.k",
    "DELETE FROM t WHERE k IN (SELECT k FROM few)",
    "DELETE FROM t WHERE rowid IN (3, 5, 40)",
    "DELETE FROM t WHERE k IN (SELECT k FROM z.u WHERE add > 1000)",
    "UPDATE t SET n = (SELECT max(add) FROM z.u)",
    "UPDATE t SET n = (SELECT add FROM z.u WHERE u.k = t.k), s = upper(s) WHERE k < 20",
    "UPDATE t SET n = n + u.add FROM z.u WHERE t.k = u.k",
    "UPDATE t AS x SET n = 1, l = [{'a': add}] FROM z.u y JOIN few ON few.k = y.k WHERE x.k = y.k",
    "UPDATE t SET s = 'first' WHERE k = (SELECT min(k) FROM t)",
    "UPDATE t SET n = 5 WHERE k IN (SELECT k FROM z.u WHERE add > 1000)",
    "UPDATE t AS x SET s = x.s || '!' WHERE x.k > 30",
    "WITH c AS (SELECT k FROM z.u WHERE add < 5) DELETE FROM t WHERE k IN (SELECT k FROM c)",
    "WITH c AS (SELECT k, add FROM z.u) UPDATE t SET n = c.add FROM c WHERE c.k = t.k",
    "WITH c AS (SELECT 500 AS k) INSERT INTO t (k) SELECT k FROM c",
]
QUERIES = [
    "SELECT rowid, k FROM t",
    "SELECT *, rowid, snapshot_id FROM t",
    "SELECT * FROM t WHERE rowid >= 38",
    "FROM t WHERE rowid = 5",
    "SELECT x.*, x.rowid FROM t x JOIN z.u ON x.k = u.k",
    "SELECT t.rowid, u.rowid, * FROM t JOIN z.u USING (k)",
    "SELECT * EXCLUDE (l), rowid FROM t",
    "SELECT * EXCLUDE l REPLACE (k + 1 AS k), rowid FROM t",
    "SELECT max(rowid), min(snapshot_id), count(*) FROM t AT (VERSION => 2)",
    "WITH c AS (SELECT rowid, * FROM t) SELECT * FROM c WHERE rowid < 3",
    "SELECT rowid AS r, s.* FROM (SELECT rowid, k FROM t) s",
    "SELECT snapshot_id, count(*) FROM t GROUP BY ALL",
    "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM z.u WHERE u.rowid = t.k)",
    "SELECT rowid FROM t UNION ALL SELECT rowid FROM z.u",
]


@contextmanager
def lakes(tmp_path: Path) -> Iterator[tuple[Lake, Referee]]:
    with (
        ql.connect(f"sqlite:///{tmp_path}/ours.sqlite", data_path=f"{tmp_path}/ours/") as ours,
        Referee(f"sqlite:{tmp_path}/theirs.sqlite", data_path=f"{tmp_path}/theirs/") as theirs,
    ):
        for statement in SETUP:
            ours.sql(statement)
            theirs.execute(statement)
        yield ours, theirs


def rows(lake: Lake, query: str) -> list[tuple[object, ...]]:
    """The rows of a query by us; two columns may have one name."""
    found = lake.sql(query).to_arrow()
    columns = [column.to_pylist() for column in found.columns]
    return sorted(zip(*columns, strict=True), key=repr)


@pytest.mark.parametrize("statement", CHANGES)
def test_both_change_the_same_rows(statement: str, tmp_path: Path) -> None:
    with lakes(tmp_path) as (ours, theirs):
        ours.sql(statement)
        theirs.execute(statement)

        for query in ("SELECT rowid, * FROM t", "FROM t AT (VERSION => 3)"):
            assert rows(ours, query) == sorted(theirs.rows(query), key=repr)
        since = "FROM ducklake_table_changes('lake', 'main', 't', 9, 9)"
        feed = ours.table("t").changes(8).to_arrow().num_rows if len(ours.snapshots()) > 9 else 0
        assert feed == (len(theirs.rows(since)) if len(ours.snapshots()) > 9 else 0)


def test_both_read_virtual_columns_alike(tmp_path: Path) -> None:
    with lakes(tmp_path) as (ours, theirs):
        for statement in ("UPDATE t SET n = 0 WHERE k IN (7, 100)", "DELETE FROM t WHERE k = 9"):
            ours.sql(statement)
            theirs.execute(statement)

        for query in QUERIES:
            assert rows(ours, query) == sorted(theirs.rows(query), key=repr), query


def test_what_a_statement_did_is_told(tmp_path: Path) -> None:
    with lakes(tmp_path) as (ours, _):
        told = ours.sql("UPDATE t SET n = 0 FROM z.u WHERE u.k = t.k").to_arrow().to_pylist()
        assert (told[0]["updated"], told[0]["deleted"]) == (15, 0)
        told = ours.sql("DELETE FROM t USING z.u WHERE u.k = t.k").to_arrow().to_pylist()
        assert (told[0]["updated"], told[0]["deleted"]) == (0, 15)


REFUSED = {
    "UPDATE t SET n = 1 FROM range(2) r(i)": "more than once",
    "UPDATE t SET n = 'x' || s WHERE k IN (SELECT 1)": "failed on a row",
    "UPDATE t SET nothing = (SELECT 1)": "nothing",
    "DELETE FROM t WHERE k IN (SELECT nothing FROM z.u)": "nothing",
    "DELETE FROM t WHERE k IN (SELECT k FROM nowhere)": "nowhere",
    "DELETE FROM t USING z.u WHERE k = 1": "mbiguous",
    "DELETE FROM t WHERE k = 1 RETURNING k": "RETURNING",
    "UPDATE t SET n = 1 WHERE k = 1 RETURNING k": "RETURNING",
    "DELETE FROM few WHERE k IN (SELECT 1)": "few",
    "SELECT COLUMNS(*), rowid FROM t": "COLUMNS",
    "SELECT rowid FROM t NATURAL JOIN z.u": "NATURAL",
    "SELECT rowid FROM few": "rowid",
}


def test_a_statement_that_cannot_be_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    with lakes(tmp_path) as (ours, _):
        before = rows(ours, "SELECT rowid, * FROM t")
        for statement, problem in REFUSED.items():
            with pytest.raises(UsageError, match=problem):
                ours.sql(statement)
            assert rows(ours, "SELECT rowid, * FROM t") == before
        assert len(ours.snapshots()) == len(SETUP) + 1


def test_tables_are_replaced_and_rows_inserted_by_name(tmp_path: Path) -> None:
    with lakes(tmp_path) as (ours, theirs):
        for statement in (
            "CREATE OR REPLACE TABLE t AS SELECT k, n FROM t WHERE k < 3",
            "CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS nothing",
            "INSERT INTO t BY NAME SELECT 5 AS n, 6 AS k",
            "CREATE OR REPLACE TABLE z.u (a INTEGER)",
        ):
            ours.sql(statement)
            theirs.execute(statement)
        assert rows(ours, "FROM t") == sorted(theirs.rows("FROM t"), key=repr)
        assert rows(ours, "FROM z.u") == theirs.rows("FROM z.u") == []
        assert rows(ours, "SELECT count(*) FROM t AT (VERSION => 2)") == [(40,)]


def test_a_real_column_wins_over_a_virtual_one(tmp_path: Path) -> None:
    with lakes(tmp_path) as (ours, _):
        ours.sql("CREATE TABLE own (rowid VARCHAR, a INTEGER)")
        ours.sql("INSERT INTO own VALUES ('mine', 1)")
        assert rows(ours, "SELECT *, rowid FROM own") == [("mine", 1, "mine")]
        assert rows(ours, "SELECT o.rowid, t.rowid, * FROM own o, t WHERE t.rowid = 1")[0][:2] == (
            "mine",
            1,
        )
        with pytest.raises(Unsupported, match="rowid"):
            ours.sql("DELETE FROM own WHERE a IN (SELECT 1)")
        ours.sql("DELETE FROM own WHERE rowid = 'mine'")
        assert rows(ours, "FROM own") == []

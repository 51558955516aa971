"""Statements that write, as values."""

from __future__ import annotations

import pytest

from quacklake.client.writing.clauses import Delete, Ignore, Insert, Update
from quacklake.format.table import TableName
from quacklake.kernel.errors import Unsupported, UsageError
from quacklake.sql.editing import edit_of
from quacklake.sql.edits import (
    CreateFromRows,
    Define,
    DeleteRows,
    InsertRows,
    MergeRows,
    UpdateRows,
)

T = TableName("main", "t")


def test_a_query_is_not_an_edit() -> None:
    assert edit_of("SELECT 1") is None
    assert edit_of("FROM t") is None


def test_insert_names_table_columns_and_query() -> None:
    assert edit_of("INSERT INTO s.t (a, b) SELECT 1, 2") == InsertRows(
        TableName("s", "t"), ("a", "b"), "SELECT 1, 2"
    )


def test_delete_and_truncate() -> None:
    assert edit_of("DELETE FROM t WHERE a = 1") == DeleteRows(T, "a = 1")
    assert edit_of("TRUNCATE t") == DeleteRows(T, None)


def test_update_keeps_the_order_of_assignments() -> None:
    assert edit_of("UPDATE t SET b = a + 1, a = 'x' WHERE c > 2") == UpdateRows(
        T, (("b", "a + 1"), ("a", "'x'")), "c > 2"
    )


def test_merge_calls_both_sides_by_their_role() -> None:
    edit = edit_of(
        "MERGE INTO t USING (SELECT 1 AS id) AS s ON t.id = s.id "
        "WHEN MATCHED AND s.v > 1 THEN UPDATE SET v = s.v + t.v WHEN MATCHED THEN DELETE "
        "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 2)"
    )

    assert isinstance(edit, MergeRows)
    assert edit.keys == ("id",)
    assert edit.clauses.matched == (
        Update({"v": "source.v + target.v"}, "source.v > 1"),
        Delete(None),
    )
    assert edit.clauses.not_matched == (Insert({"id": "source.id", "v": "2"}, None),)
    assert edit.clauses.not_matched_by_source == (Ignore(),)


def test_a_table_from_a_query() -> None:
    assert edit_of("CREATE TABLE t AS SELECT 1 AS a") == CreateFromRows(T, "SELECT 1 AS a", ())


@pytest.mark.parametrize(
    "text",
    [
        "CREATE SCHEMA s",
        "CREATE TABLE t (a INT NOT NULL, b STRUCT(x INT))",
        "ALTER TABLE t ADD COLUMN s.c INT",
        "ALTER TABLE t SET PARTITIONED BY (year(a), b)",
        "ALTER TABLE t SET SORTED BY (a DESC)",
        "ALTER TABLE t RESET PARTITIONED BY",
        "ALTER TABLE t ALTER a SET NOT NULL",
        "DROP TABLE IF EXISTS t",
        "COMMENT ON COLUMN t.a IS 'x'",
    ],
)
def test_definitions_are_understood(text: str) -> None:
    assert isinstance(edit_of(text), Define)


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t VALUES (1) RETURNING a",
        "DELETE FROM t WHERE a = 1 RETURNING a",
        "UPDATE t SET a = 1 RETURNING a",
        "MERGE INTO t USING u ON t.a < u.a WHEN MATCHED THEN DELETE",
        "CREATE TABLE t (a INT PRIMARY KEY, PRIMARY KEY (a))",
        "CREATE SEQUENCE s",
    ],
)
def test_what_is_not_there_is_refused_by_name(text: str) -> None:
    with pytest.raises(Unsupported):
        edit_of(text)


@pytest.mark.parametrize("text", ["INSERT INTO", "DELETE t WHERE", "DROP TABLE a; DROP TABLE b"])
def test_malformed_statements_are_errors(text: str) -> None:
    with pytest.raises(UsageError):
        edit_of(text)

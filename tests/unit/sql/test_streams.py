"""Statements about stream tables, as values."""

from __future__ import annotations

import pytest

from quacklake.format.table import TableName
from quacklake.kernel.errors import Unsupported, UsageError
from quacklake.sql.sentence import one_query
from quacklake.sql.streams import (
    AlterStream,
    CreateStream,
    DropStream,
    ExplainStream,
    RefreshStreams,
    ShowStreams,
    ValidateStream,
    stream_statement,
)

X = TableName("main", "x")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "",
        "CREATE TABLE stream AS SELECT 1",
        "CREATE TABLE x AS SELECT 'CREATE STREAM TABLE x'",
        "CREATE STREAMING TABLE x AS SELECT 1",
        "-- CREATE STREAM TABLE x AS SELECT 1\nSELECT 1",
        "SHOW stream",
        "EXPLAIN stream",
        "SHOW TABLES",
        "REFRESH TABLE x",
        "/* " * 40 + "SELECT 1",
        "/* a */ " * 200 + "SELECT 1",
    ],
)
def test_other_statements_are_not_ours(text: str) -> None:
    assert stream_statement(text) is None


def test_create_names_table_settings_and_query() -> None:
    found = stream_statement(
        "CREATE STREAM TABLE s.x SCHEDULE '1m' WITH (mode = 'full', Engine = local) AS SELECT 1"
    )

    settings = (("schedule", "1m"), ("mode", "full"), ("engine", "local"))
    assert found == CreateStream(TableName("s", "x"), "SELECT 1", settings)


def test_clauses_of_create_come_in_any_order() -> None:
    found = stream_statement("create stream table x with (mode = full) schedule '1m' as select 1")

    assert found == CreateStream(X, "select 1", (("mode", "full"), ("schedule", "1m")))


def test_create_replaces_or_leaves_what_is_there() -> None:
    replacing = stream_statement("CREATE OR REPLACE STREAM TABLE x AS SELECT 1")
    leaving = stream_statement("CREATE STREAM TABLE IF NOT EXISTS x AS SELECT 1")

    assert replacing == CreateStream(X, "SELECT 1", replaces=True)
    assert leaving == CreateStream(X, "SELECT 1", if_not_exists=True)


@pytest.mark.parametrize("ending", ["", " ;", "; ;\n", "; -- the end"])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1",
        "SELECT\n  a  ,b -- why; because\n FROM t",
        "SELECT ';', 'it\\'s; so', \"a;b\" FROM `t;u`",
        "/* AS SELECT 2; */ SELECT 1 -- it's\n+ 1",
        "WITH c AS (SELECT 1 AS a) SELECT a AS b FROM c",
        "(SELECT 'é😀')",
    ],
)
def test_the_query_is_kept_as_it_is_written(query: str, ending: str) -> None:
    created = stream_statement(f"CREATE STREAM TABLE é SCHEDULE '1m' AS  {query}{ending}")
    validated = stream_statement(f"VALIDATE STREAM TABLE AS\n{query}{ending}")

    assert created == CreateStream(TableName("main", "é"), query, (("schedule", "1m"),))
    assert validated == ValidateStream(query)
    assert one_query(query + ending) == query


def test_a_comment_at_the_end_is_kept() -> None:
    assert one_query("SELECT 1 -- it's; all") == "SELECT 1 -- it's; all"


def test_comments_may_stand_between_any_words() -> None:
    text = "/* a */ CREATE -- b\n OR/*c*/REPLACE\tSTREAM /**/ TABLE /* d */ x -- e\nAS SELECT 1"

    assert stream_statement(text) == CreateStream(X, "SELECT 1", replaces=True)


@pytest.mark.parametrize(
    ("written", "schema", "table"),
    [
        ("x", "main", "x"),
        ("Sales.Daily", "Sales", "Daily"),
        ('"my schema"."my table"', "my schema", "my table"),
        ("`my schema`.`my table`", "my schema", "my table"),
        ('"a""b"', "main", 'a"b'),
        ("`a``b`", "main", "a`b"),
        ('"as"', "main", "as"),
        ("show", "main", "show"),
        ("full", "main", "full"),
    ],
)
def test_names_are_quoted_in_either_dialect(written: str, schema: str, table: str) -> None:
    assert stream_statement(f"EXPLAIN STREAM TABLE {written}") == ExplainStream(
        TableName(schema, table)
    )


def test_alter_sets_several_settings() -> None:
    found = stream_statement("ALTER STREAM TABLE x SET (schedule = NULL, MODE = 'full')")

    assert found == AlterStream(X, (("schedule", None), ("mode", "full")))


def test_refresh_takes_several_names_and_a_mode() -> None:
    several = stream_statement("REFRESH STREAM TABLE x, s.y INCREMENTAL")

    assert several == RefreshStreams((X, TableName("s", "y")), "incremental")
    assert stream_statement("refresh stream table x") == RefreshStreams((X,))
    assert stream_statement("refresh stream table x full;") == RefreshStreams((X,), "full")
    assert stream_statement("REFRESH ALL STREAM TABLES FULL") == RefreshStreams(None, "full")


def test_drop_says_what_becomes_of_readers() -> None:
    assert stream_statement("DROP STREAM TABLE x") == DropStream(X)
    assert stream_statement("DROP STREAM TABLE x RESTRICT") == DropStream(X)
    assert stream_statement("DROP STREAM TABLE IF EXISTS x CASCADE") == DropStream(
        X, if_exists=True, cascade=True
    )


def test_show_lists_them() -> None:
    assert stream_statement("SHOW STREAM TABLES;") == ShowStreams()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("CREATE STREAM x AS SELECT 1", "TABLE is expected at 'x'"),
        ("CREATE STREAM TABLE AS SELECT 1", "the name of a stream table is expected at 'AS'"),
        ("CREATE STREAM TABLE 1x AS SELECT 1", "the name of a stream table is expected at '1x'"),
        ("CREATE STREAM TABLE 'x' AS SELECT 1", "the name of a stream table is expected"),
        ("CREATE STREAM TABLE a.b.c AS SELECT 1", "'a.b.c' is not a table name"),
        ("CREATE STREAM TABLE x SELECT 1", "AS is expected at 'SELECT'"),
        ("CREATE STREAM TABLE x", "AS is expected at the end"),
        ("CREATE STREAM TABLE x AS", "the query is missing"),
        ("CREATE STREAM TABLE x AS ; ", "the query is missing"),
        ("CREATE STREAM TABLE x AS SELECT 1; DROP TABLE t", "there are several statements"),
        ("CREATE STREAM TABLE x SCHEDULE 5 AS SELECT 1", "a text in quotes is expected at '5'"),
        ("CREATE STREAM TABLE x SCHEDULE AS SELECT 1", "a text in quotes is expected at 'AS'"),
        ("CREATE STREAM TABLE x WITH (mode) AS SELECT 1", "= is expected at ')'"),
        ("CREATE STREAM TABLE x WITH () AS SELECT 1", "the name of a setting is expected"),
        ("CREATE STREAM TABLE x WITH (mode = ) AS SELECT 1", "a value is expected at ')'"),
        ("CREATE STREAM TABLE x WITH (a = 1, a = 2) AS SELECT 1", "setting 'a' is given twice"),
        (
            "CREATE STREAM TABLE x SCHEDULE '1m' WITH (schedule = '2m') AS SELECT 1",
            "setting 'schedule' is given twice",
        ),
        ("CREATE OR REPLACE STREAM TABLE IF NOT EXISTS x AS SELECT 1", "exclude each other"),
        ("CREATE STREAM TABLE x AS SELECT 'a", "is not closed"),
        ("ALTER STREAM TABLE x RENAME TO y", "SET is expected at 'RENAME'"),
        ("ALTER STREAM TABLE x SET mode = 'full'", "( is expected at 'mode'"),
        ("ALTER STREAM TABLE x SET (mode = 'full'", ", is expected at the end"),
        ("REFRESH STREAM TABLE", "the name of a stream table is expected at the end"),
        ("REFRESH STREAM TABLE x,", "the name of a stream table is expected at the end"),
        ("REFRESH STREAM TABLE x y", "'y' is not expected"),
        ("REFRESH STREAM TABLES", "TABLE is expected at 'TABLES'"),
        ("REFRESH ALL STREAM TABLE", "TABLES is expected at 'TABLE'"),
        ("DROP STREAM TABLE x, y", "',' is not expected"),
        ("DROP STREAM x", "TABLE is expected at 'x'"),
        ("SHOW STREAM TABLES LIKE 'x'", "'LIKE' is not expected"),
        ("EXPLAIN STREAM TABLE x FROM y", "'FROM' is not expected"),
        ("VALIDATE STREAM TABLE x AS SELECT 1", "AS is expected at 'x'"),
    ],
)
def test_malformed_statements_say_where(text: str, problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        stream_statement(text)

    assert problem in caught.value.problem


@pytest.mark.parametrize(
    "text",
    [
        "ALTER STREAM TABLE x EVOLVE AS SELECT 1",
        "CREATE STREAM TABLE x (a, b) AS SELECT 1, 2",
    ],
)
def test_what_is_not_there_is_refused_by_name(text: str) -> None:
    with pytest.raises(Unsupported):
        stream_statement(text)


def test_one_query_refuses_nothing_and_several() -> None:
    for text in ("", " ; ", "-- nothing", "SELECT 1; SELECT 2"):
        with pytest.raises(UsageError):
            one_query(text)

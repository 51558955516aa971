"""What is taken out of a query before Spark sees it: time travel, and what prunes files."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest
import sqlglot
from sqlglot import exp

from quacklake.engine.spark.pruning import pruning_filter
from quacklake.engine.spark.travelling import travelled
from quacklake.format.snapshot import AtTime, AtVersion
from quacklake.format.table import Table, TableName
from quacklake.format.types import Column, Decimal, Kind, Scalar
from quacklake.kernel.errors import UsageError
from quacklake.kernel.ids import ColumnId, TableId

COLUMNS = tuple(
    Column(ColumnId(place), name, lake_type)
    for place, (name, lake_type) in enumerate(
        {
            "id": Scalar(Kind.INT64),
            "s": Scalar(Kind.VARCHAR),
            "d": Scalar(Kind.DATE),
            "f": Scalar(Kind.FLOAT64),
            "dec": Decimal(9, 2),
        }.items(),
        1,
    )
)
TABLE = Table(TableId(1), UUID(int=1), TableName("main", "t"), "/t/", COLUMNS)


@pytest.mark.parametrize(
    "clause",
    [
        "AT (VERSION => 3)",
        "at (version => 1 + 2)",
        "VERSION AS OF 3",
        "FOR VERSION AS OF 3",
        "AT SNAPSHOT 3",
    ],
)
def test_a_version_is_read_and_blanked(clause):
    found = travelled(f"SELECT * FROM t {clause} AS x")

    assert found.text.split() == ["SELECT", "*", "FROM", "t", "AS", "x"]
    assert list(found.at.values()) == [AtVersion(3)]
    assert list(found.at) == [14]


@pytest.mark.parametrize(
    "clause",
    [
        "AT (TIMESTAMP => '2026-01-02 00:00:00+00')",
        "TIMESTAMP AS OF '2026-01-02 00:00:00+00'",
        "FOR TIMESTAMP AS OF '2026-01-02 00:00:00+00'",
        "AS OF TIMESTAMP '2026-01-02 00:00:00+00'",
    ],
)
def test_a_time_is_read_and_blanked(clause):
    found = travelled(f"SELECT * FROM `a b`.t {clause}")

    assert list(found.at.values()) == [AtTime(datetime(2026, 1, 2, tzinfo=UTC))]
    assert found.text.rstrip() == "SELECT * FROM `a b`.t"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT version AS of FROM t",
        "SELECT 'x AT (VERSION => 3)' FROM t",
        "SELECT timestamp '2020-01-01' AS ts FROM t",
        "SELECT * FROM t -- AT (VERSION => 3)",
    ],
)
def test_what_only_looks_like_time_travel_stays(text):
    assert travelled(text).text == text
    assert not travelled(text).at


def test_a_clause_that_is_not_closed_is_refused():
    with pytest.raises(UsageError, match="parenthesis"):
        travelled("SELECT * FROM t AT (VERSION => 3")


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("id = 3", '("id" = 3)'),
        ("3 < id AND id <= 7", '(3 < "id") AND ("id" <= 7)'),
        ("(id BETWEEN -1 AND 5)", '("id" BETWEEN -1 AND 5)'),
        ("s IN ('a', 'b') AND upper(s) = 'A'", "(\"s\" IN ('a', 'b'))"),
        ("d >= '2026-01-01'", "(\"d\" >= '2026-01-01')"),
        ("dec = 1.5", '("dec" = 1.5)'),
        ("id = 3 OR id = 4", None),
        ("NOT id = 3", None),
        ("id = '3'", None),
        ("f > 1", None),
        ("id = s", None),
        ("id IN (SELECT 1)", None),
        ("id IS NULL", None),
        ("other = 3", None),
        ("x.id = 3", None),
        ("t.id = 3", '("id" = 3)'),
    ],
)
def test_only_what_both_engines_read_alike_prunes(where, expected):
    tree = sqlglot.parse_one(f"SELECT * FROM t WHERE {where}", dialect="spark")

    assert pruning_filter(tree.find(exp.Table), TABLE) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT * FROM t JOIN u ON t.id = u.id WHERE id = 3", None),
        ("SELECT * FROM t JOIN u ON t.id = u.id WHERE t.id = 3", '("id" = 3)'),
        ("SELECT * FROM t LEFT JOIN u ON t.id = 3", None),
        ("SELECT * FROM (SELECT * FROM t) x WHERE id = 3", None),
    ],
)
def test_conditions_of_other_tables_do_not_prune(query, expected):
    tree = sqlglot.parse_one(query, dialect="spark")
    reference = next(found for found in tree.find_all(exp.Table) if found.name == "t")

    assert pruning_filter(reference, TABLE) == expected

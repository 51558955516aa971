"""SQL run by Spark over the tables of a lake."""

from __future__ import annotations

import pyarrow as pa
import pytest

import quacklake as ql
from quacklake.kernel.errors import Unsupported
from tests.support.commandline import Program
from tests.support.referee import Referee
from tests.support.spark import ONE_WORKER

pytestmark = ONE_WORKER


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sql")
    with ql.connect(f"sqlite:///{folder}/c.sqlite", data_path=f"{folder}/data/") as lake:
        lake.create_table("orders", {"id": "bigint", "who": "varchar", "amount": "integer"})
        lake.table("orders").append(
            pa.table({"id": range(100), "who": ["ann", "bob"] * 50, "amount": range(100)})
        )
        lake.create_schema("s")
        lake.create_table("s.people", {"name": "varchar", "town": "varchar"})
        lake.table("s.people").append({"name": ["ann", "cy"], "town": ["Bern", None]})
        lake.create_table("odd name", {"a`b": "integer", "select": "varchar"})
        lake.table("odd name").append({"a`b": [1], "select": ["{x}"]})
        lake.create_view("big", "SELECT * FROM orders WHERE amount >= 90")
        lake.create_view("bigger", "SELECT who, count(*)::BIGINT AS n FROM big GROUP BY ALL")
        yield lake


def rows(lake, sql):
    return sorted(
        tuple(row.values()) for row in lake.sql(sql, engine="spark").to_arrow().to_pylist()
    )


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT count(*), sum(amount) FROM orders", [(100, 4950)]),
        ("WITH o AS (SELECT * FROM orders WHERE id < 3) SELECT id FROM o", [(0,), (1,), (2,)]),
        ("WITH orders AS (SELECT 1 AS one) SELECT * FROM orders", [(1,)]),
        (
            "SELECT p.town, count(*) FROM orders o JOIN s.people p ON o.who = p.name GROUP BY 1",
            [("Bern", 50)],
        ),
        ("SELECT name FROM s.people WHERE name NOT IN (SELECT who FROM orders)", [("cy",)]),
        ("SELECT (SELECT max(id) FROM orders) AS m, count(*) FROM main.orders", [(99, 100)]),
        ("SELECT id FROM orders WHERE id BETWEEN 5 AND 6 UNION ALL SELECT 7", [(5,), (6,), (7,)]),
        ("SELECT '{t0} {' || who AS x FROM orders WHERE id = 1", [("{t0} {bob",)]),
        ("SELECT `a``b`, `select` FROM `odd name`", [(1, "{x}")]),
        ("SELECT count(*) FROM big", [(10,)]),
        ("SELECT who, n FROM bigger", [("ann", 5), ("bob", 5)]),
        ("SELECT count(*) FROM orders o1 CROSS JOIN s.people WHERE o1.id = 4;", [(2,)]),
        (
            "SELECT id FROM orders LEFT JOIN s.people ON town = 'x' WHERE id = 3 AND name IS NULL",
            [(3,)],
        ),
        ("SELECT count(*) FROM orders WHERE id = '7'", [(1,)]),
        ("SELECT count(*) FROM orders WHERE who >= 'b' AND amount < 10.5", [(5,)]),
        ("SELECT x FROM orders LATERAL VIEW explode(array(1)) e AS x WHERE id = 1", [(1,)]),
        ("VALUES (1), (2)", [(1,), (2,)]),
        ("SELECT 1 AS version", [(1,)]),
        ("SELECT ORDERS.ID FROM ORDERS WHERE Id = 9", [(9,)]),
    ],
)
def test_a_query_answers(spark, lake, sql, expected):
    assert rows(lake, sql) == expected


@pytest.mark.parametrize(
    "clause",
    [
        "AT (VERSION => {version})",
        "VERSION AS OF {version}",
        "FOR VERSION AS OF {version}",
        "AT (TIMESTAMP => '{time}')",
        "TIMESTAMP AS OF '{time}'",
        "FOR TIMESTAMP AS OF '{time}'",
        "AS OF TIMESTAMP '{time}'",
    ],
)
def test_time_travel_in_every_spelling(spark, lake, clause):
    snapshot = lake.snapshots()[1]
    said = clause.format(version=snapshot.id, time=snapshot.time.isoformat())

    found = rows(lake, f"SELECT count(*), (SELECT count(*) FROM orders) FROM orders {said} AS o")

    assert found == [(0, 100)]


def test_a_view_is_read_as_of_the_snapshot_asked_for(spark, lake):
    made = lake.snapshots()[2]

    assert rows(lake, f"SELECT count(*) FROM orders VERSION AS OF {made.id}") == [(100,)]


def test_a_temporary_view_of_spark_can_be_joined(spark, lake):
    spark.range(3).createOrReplaceTempView("mine")

    assert rows(lake, "SELECT count(*) FROM orders o JOIN mine m ON o.id = m.id") == [(3,)]


def test_explain_shows_sparks_plan(spark, lake):
    told = lake.sql("EXPLAIN SELECT count(*) FROM orders WHERE id = 1", engine="spark").to_arrow()

    assert "Physical Plan" in told[0][0].as_py()


@pytest.mark.parametrize(
    ("sql", "error", "says"),
    [
        ("SELEC 1", ql.QuacklakeError, "."),
        ("SELECT * FROM", ql.UsageError, "valid"),
        ("", ql.UsageError, "empty"),
        ("SELECT 1; SELECT 2", ql.UsageError, "several"),
        ("SELECT * FROM nowhere", ql.NotFound, "nowhere"),
        ("SELECT * FROM s.nowhere", ql.NotFound, "nowhere"),
        ("SELECT nope FROM orders", ql.UsageError, "nope"),
        ("SELECT * FROM orders VERSION AS OF 999", ql.NotFound, "999"),
        ("SELECT * FROM orders AT (VERSION => 1", ql.UsageError, "parenthesis"),
        ("SHOW TABLES", Unsupported, "queries"),
    ],
)
def test_a_wrong_query_is_refused_with_a_reason(spark, lake, sql, error, says):
    with pytest.raises(error, match=says) as raised:
        lake.sql(sql, engine="spark").to_arrow()

    assert "\n" not in str(raised.value)
    assert "java" not in str(raised.value).lower()


def test_a_failure_while_running_is_told_in_one_line(spark, lake):
    result = lake.sql("SELECT raise_error('no ducks') FROM orders", engine="spark")

    with pytest.raises(ql.QuacklakeError, match="no ducks") as raised:
        result.to_arrow()

    assert "\n" not in str(raised.value)


def test_a_result_becomes_every_kind_of_frame(spark, lake):
    result = lake.sql("SELECT id, who FROM orders WHERE id < 2 ORDER BY id", engine="spark")

    assert result.columns == ("id", "who")
    assert result.to_pandas()["id"].tolist() == [0, 1]
    assert result.to_polars()["who"].to_list() == ["ann", "bob"]
    assert result.to_spark().count() == 2
    assert sum(batch.num_rows for batch in result.to_batches()) == 2


def test_statements_change_the_lake_in_one_snapshot_each(spark, tmp_path):
    with ql.connect(
        f"sqlite:///{tmp_path}/c.sqlite", data_path=f"{tmp_path}/d/", engine="spark"
    ) as lake:
        lake.sql("CREATE TABLE t (id BIGINT, v STRING, d DECIMAL(9,2)) PARTITIONED BY (v)")
        lake.sql("INSERT INTO t SELECT id, concat('p', id % 3), id / 2 FROM range(90)")
        lake.sql("INSERT INTO t (v, id) VALUES ('new', 1000)")
        lake.sql("UPDATE t SET d = d + 1 WHERE v = 'p0'")
        lake.sql("DELETE FROM t WHERE id BETWEEN 10 AND 19")
        lake.sql("CREATE TABLE copy AS SELECT id, v FROM t WHERE id < 5")
        lake.sql(
            "MERGE INTO copy AS c USING (SELECT id, 'm' AS v FROM t WHERE id IN (3, 4, 5)) AS s"
            " ON c.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v"
            " WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)"
        )
        lake.sql("ALTER TABLE copy ADD COLUMN n INT DEFAULT 7")
        told = lake.sql("DELETE FROM copy WHERE n = 7 AND id = 0").to_arrow().to_pylist()[0]
        assert told["deleted"] == 1
        with pytest.raises(ql.UsageError):
            lake.sql("INSERT INTO copy SELECT 1")
        with pytest.raises(ql.NotFound):
            lake.sql("DELETE FROM nowhere")
        assert [s.id for s in lake.snapshots()] == list(range(10))
        lake.sql("DROP TABLE copy")

    with Referee(f"sqlite:{tmp_path}/c.sqlite") as referee:
        assert referee.rows("SELECT count(*), sum(d), count(DISTINCT v) FROM t") == [
            (81, sum(i / 2 + (i % 3 == 0) for i in range(90) if not 10 <= i <= 19), 4)
        ]
        assert referee.rows("SELECT id, v, n FROM copy AT (VERSION => 9) ORDER BY id") == [
            (1, "p1", 7), (2, "p2", 7), (3, "m", 7), (4, "m", 7), (5, "m", 7)
        ]  # fmt: skip


def test_the_command_line_runs_queries_statements_and_upkeep_on_spark(spark, tmp_path, capsys):
    quacklake = Program(capsys)
    url = f"sqlite:///{tmp_path}/c.sqlite"
    with ql.connect(url, data_path=f"{tmp_path}/data/") as lake:
        for start in (0, 100):
            frame = spark.range(start, start + 100)
            lake.table("t").append(frame) if start else lake.create_table("t", frame)

    query = "SELECT count(*) AS n FROM t VERSION AS OF 1"
    counted = quacklake("sql", url, query, "--engine", "spark", "--json")
    deleted = quacklake("sql", url, "DELETE FROM t WHERE id < 5", "--engine", "spark", "--json")
    tidied = quacklake("maintain", url, "merge", "--engine", "spark")
    unknown = quacklake("sql", url, query, "--engine", "flink")

    assert (counted.code, counted.lines) == (0, [{"n": 100}])
    assert (deleted.code, tidied.code) == (0, 0)
    assert "flink" in unknown.error
    with Referee(f"sqlite:{tmp_path}/c.sqlite") as referee:
        assert referee.rows("SELECT count(*), min(id) FROM t") == [(195, 5)]

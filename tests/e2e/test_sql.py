"""SQL over a lake, compared with what DuckDB's own extension answers."""

import threading

import duckdb
import pyarrow as pa
import pytest

import quacklake as ql
from tests.support.referee import Referee

STORY = (
    "CREATE TABLE t (a INTEGER, b VARCHAR)",  # snapshot 1
    "INSERT INTO t SELECT i, 'row ' || i FROM range(100) AS r(i)",  # 2
    "CREATE SCHEMA s",  # 3
    "CREATE TABLE s.t AS SELECT 1000 AS a",  # 4
    "DELETE FROM t WHERE a >= 90",  # 5
    "ALTER TABLE t ADD COLUMN c DOUBLE DEFAULT 1.5",  # 6
    "INSERT INTO t VALUES (100, NULL, 2.5)",  # 7
    "CREATE VIEW s.v AS SELECT * FROM t",
    "CREATE VIEW main.v AS SELECT a, t.b AS label FROM lake.main.t WHERE a < 5",
    "CREATE VIEW w(x, y) AS SELECT * FROM v",
    "CREATE VIEW old AS SELECT * FROM t AS k AT (VERSION => 2)",
    "CREATE VIEW s.outer_v AS SELECT count(*) AS n FROM w",
    "CREATE MACRO plus(x, y := 1) AS x + y",
    "CREATE MACRO twice(x) AS plus(x, x)",
    "CREATE MACRO greet(x := 'it''s') AS x || '!'",
    "CREATE MACRO below(n) AS TABLE SELECT * FROM t WHERE a < n",
    "CREATE MACRO over(a) AS a, (a, b) AS a + b",
    "CREATE MACRO s.counted() AS (SELECT count(*) FROM t)",
    'CREATE TABLE "Odd name" AS SELECT 1 AS "select", 2 AS "it""s"',
    "CREATE TABLE f AS SELECT unnest(['1.5', 'nan', 'inf', NULL])::DOUBLE AS x FROM range(20)",
    "CREATE TABLE dropped AS SELECT 1 AS a",
    "DROP TABLE dropped",
)
QUERIES = (
    "FROM t",
    "SELECT count(*), sum(a), min(b), max(c) FROM t",
    "SELECT count(*) FROM t AT (VERSION => 2)",
    "SELECT count(*) FROM t WHERE a > 50",
    "SELECT 1 FROM t LIMIT 3",
    "SELECT t.a, main.t.b FROM main.t WHERE a IN (1, 2, 99)",
    "SELECT s.t.a, t.a FROM s.t",
    "SELECT s.t.a, t.a FROM s.t AT (VERSION => 4)",
    "SELECT x.a FROM t AS x AT (VERSION => 2) WHERE x.a > 95",
    "SELECT n.a, o.a FROM t n FULL JOIN t o AT (VERSION => 5) ON n.a = o.a WHERE n.a > 85",
    "FROM t AT (TIMESTAMP => now())",
    "SELECT count(*) FROM T",
    'SELECT "select", "it""s" FROM "odd NAME"',
    "WITH t AS (SELECT 5 AS a) SELECT * FROM t",
    "WITH t AS (SELECT 5 AS a) SELECT t.a, v.a FROM t, v",
    "WITH t AS (SELECT a + 1 AS a FROM t) SELECT max(a) FROM t",
    """WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT r.a + 1 FROM r WHERE a < 9)
       SELECT t.b FROM t JOIN r USING (a)""",
    "SELECT (SELECT max(a) FROM s.t), a FROM t WHERE a IN (FROM below(3) SELECT a)",
    "FROM s.v",
    "FROM v",
    "FROM w",
    "FROM w AT (VERSION => 12)",
    "FROM old",
    "FROM s.outer_v",
    "SELECT plus(1), plus(1, y := 5), twice(4), greet(), greet('hi'), main.plus(2)",
    "SELECT over(1), over(1, 2), s.counted()",
    "FROM below(3)",
    "FROM t WHERE c > 2",
    "FROM f WHERE x > 2",
    "FROM f WHERE x < 2 OR x = 'nan'::DOUBLE",
    "FROM f WHERE x IS NOT NULL AND x <> 1.5",
    "FROM t WHERE b LIKE 'row 1%' AND a <> 10",
    "FROM t ORDER BY a DESC LIMIT 5",
    "FROM t SELECT * EXCLUDE (a) REPLACE (upper(b) AS b) WHERE a < 3",
    "FROM t PIVOT (count(*) FOR a IN (1, 2))",
    "SELECT a FROM t UNION ALL BY NAME SELECT a FROM s.t",
    "SELECT a % 7 AS k, list(a ORDER BY a) FROM t GROUP BY ALL HAVING count(*) > 3",
    "SELECT row_number() OVER (ORDER BY a) AS n, a FROM t QUALIFY n <= 3",
    "SELECT column_name, column_type FROM (DESCRIBE t)",
    "SELECT column_name, min, max, count FROM (SUMMARIZE t)",
    "VALUES (1, 'a'), (2, NULL)",
    "SELECT a, 'é' FROM t AT (VERSION => 2) WHERE b = 'row 7'",
    "SHOW TABLES",
)


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """The story told by the extension, held by it, and open to us."""
    folder = tmp_path_factory.mktemp("sql")
    with Referee(f"sqlite:{folder}/m.sqlite", f"{folder}/data/") as referee:
        for statement in STORY:
            referee.execute(statement)
        with ql.connect(f"sqlite:///{folder}/m.sqlite", read_only=True) as lake:
            yield lake, referee


@pytest.fixture
def lake(both):
    return both[0]


def shown(relation):
    return relation.columns, sorted(map(str, relation.fetchall()))


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_has_the_answer_of_the_extension(both, query):
    lake, referee = both
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")

        ours = lake.sql(query).to_duckdb(connection)

        assert shown(ours) == shown(referee.connection.sql(query))
        assert ours.types == referee.connection.sql(query).types


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("FROM t AT SNAPSHOT 2", "FROM t AT (VERSION => 2)"),
        ("SELECT x.a FROM t AT SNAPSHOT 2 AS x", "SELECT a FROM t AT (VERSION => 2)"),
        ("FROM t AS OF TIMESTAMP '2100-01-01'", "FROM t"),
    ],
)
def test_time_travel_may_be_written_in_other_words(lake, written, meant):
    assert lake.sql(written).to_arrow().equals(lake.sql(meant).to_arrow())


@pytest.mark.parametrize(
    ("query", "error", "problem"),
    [
        ("FROM nowhere", ql.NotFound, "no table 'main.nowhere'"),
        ("FROM nowhere.t", ql.NotFound, "no table 'nowhere.t'"),
        ("FROM dropped", ql.NotFound, "no table 'main.dropped'"),
        ("FROM t AT (VERSION => 99)", ql.NotFound, "no snapshot 99"),
        ("FROM v AT (VERSION => 2)", ql.NotFound, "no table 'main.v' at snapshot 2"),
        ("SELECT nope FROM t", ql.UsageError, "Referenced column"),
        ("SELECT nope(a) FROM t", ql.UsageError, "nope"),
        ("SELECT a FROM t GROUP BY b", ql.UsageError, "GROUP BY"),
        ("FROM other.main.t", ql.UsageError, "names another database"),
        ("FROM read_csv('/etc/passwd')", ql.UsageError, "reads the lake only"),
        ("FROM '/etc/passwd'", ql.UsageError, "no table"),
        ("FROM lake", ql.NotFound, "no table 'main.lake'"),
        ("COPY t TO 'x.csv'", ql.Unsupported, "this way of writing is not available"),
    ],
)
def test_a_query_that_cannot_run_is_refused_before_anything_is_read(lake, query, error, problem):
    with pytest.raises(error) as caught:
        lake.sql(query)

    assert problem in caught.value.problem
    assert "\n" not in str(caught.value)


def test_virtual_columns_are_those_of_tables(lake):
    with pytest.raises(ql.UsageError) as caught:
        lake.sql("SELECT rowid FROM v")

    assert "a view has them if it selects them" in caught.value.hint


def test_values_of_rows_stay_out_of_messages(lake):
    with pytest.raises(ql.UsageError) as caught:
        lake.sql("SELECT CAST(b AS INTEGER) FROM t").to_arrow()

    assert "row 1" not in str(caught.value)
    assert "conversion error" in caught.value.problem


def test_a_result_can_be_used_again_and_by_many_at_once(lake):
    result = lake.sql("SELECT a FROM t")
    counts = []

    workers = [
        threading.Thread(target=lambda: counts.append(result.to_arrow().num_rows)) for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert counts == [91] * 4
    assert sum(batch.num_rows for batch in result.to_batches()) == 91


def test_a_stream_may_be_left_before_its_end(lake):
    stream = lake.sql("SELECT r.i FROM range(10_000_000) AS r(i), s.t").to_batches()

    first = next(stream)
    stream.close()

    assert first.num_rows > 0


def test_a_result_says_its_columns_before_it_is_read(lake):
    result = lake.sql("SELECT a, sum(a) AS a, uuid() AS u, [c] AS l FROM t GROUP BY a, c")

    assert result.columns == ("a", "a", "u", "l")
    assert result.types == ("INTEGER", "HUGEINT", "UUID", "DOUBLE[]")
    assert result.schema.types == [
        pa.int32(),
        pa.decimal128(38, 0),
        pa.string(),
        pa.list_(pa.field("element", pa.float64())),
    ]
    assert result.to_arrow().schema == result.schema


def test_types_the_lake_lacks_become_ones_it_has(lake):
    query = """
        SELECT 'x'::ENUM('x', 'y') AS e, '101'::BIT AS b, [1, 2]::INTEGER[2] AS l,
               12::BIGNUM AS n, 3::UHUGEINT AS h, '10:00:00+02'::TIMETZ AS z,
               {'k': [1]}::VARIANT AS v, '{"k": 1}'::JSON AS j
    """

    (row,) = lake.sql(query).to_arrow().to_pylist()

    assert row == {
        "e": "x",
        "b": "101",
        "l": [1, 2],
        "n": "12",
        "h": "3",
        "z": "10:00:00+02",
        "v": '{"k":[1]}',
        "j": '{"k": 1}',
    }


def test_frames_come_from_a_query_too(lake):
    result = lake.sql("SELECT sum(a) AS total, min(b) AS first FROM t")

    assert result.to_pandas().shape == (1, 2)
    assert result.to_polars()["total"].to_list() == [4105]


def test_all_tables_of_a_query_are_read_at_one_snapshot(tmp_path):
    with Referee(f"sqlite:{tmp_path}/m.sqlite", f"{tmp_path}/data/") as referee:
        referee.execute("CREATE TABLE one AS SELECT 1 AS a")
        referee.execute("CREATE TABLE two AS SELECT 1 AS a")
        with ql.connect(f"sqlite:///{tmp_path}/m.sqlite") as lake:
            result = lake.sql("SELECT count(*) AS n FROM one, two")

            referee.execute("BEGIN; INSERT INTO one VALUES (2); INSERT INTO two VALUES (2); COMMIT")

            assert result.to_arrow().to_pylist() == [{"n": 1}]
            assert result.to_arrow().to_pylist() == [{"n": 1}]
            assert lake.sql("SELECT count(*) AS n FROM one, two").to_arrow()["n"][0].as_py() == 4


@pytest.fixture
def emptied(tmp_path):
    """A lake of five files for a table, of which only the third still exists."""
    with Referee(f"sqlite:{tmp_path}/m.sqlite", f"{tmp_path}/data/") as referee:
        referee.execute("CREATE TABLE t (a INTEGER, wide VARCHAR)")
        for first in range(0, 500, 100):
            referee.execute(
                f"INSERT INTO t SELECT i, repeat('x', 99) FROM range({first}, {first + 100}) r(i)"
            )
        kept = referee.rows("SELECT DISTINCT filename FROM t WHERE a = 250")[0][0]
    for path in (tmp_path / "data").rglob("*.parquet"):
        if str(path) != kept:
            path.unlink()
    with ql.connect(f"sqlite:///{tmp_path}/m.sqlite") as lake:
        yield lake


def test_counting_opens_no_file_where_the_catalog_can_tell(emptied):
    assert emptied.sql("SELECT count(*) AS n FROM t").to_arrow()["n"].to_pylist() == [500]


def test_a_filter_opens_only_the_files_that_can_match(emptied):
    query = "SELECT sum(a) AS s FROM t WHERE a BETWEEN 210 AND 219 AND length(wide) = 99"

    assert emptied.sql(query).to_arrow()["s"].to_pylist() == [2145]


def test_an_error_of_the_scan_comes_through_as_it_was_raised(emptied):
    with pytest.raises(ql.FileUnreadable, match="does not exist"):
        emptied.sql("SELECT sum(a) FROM t").to_arrow()


def test_a_duckdb_catalog_is_read_while_duckdb_runs_the_query(tmp_path):
    with Referee(f"{tmp_path}/m.ducklake", f"{tmp_path}/data/") as referee:
        referee.execute("CREATE TABLE t AS SELECT i AS a FROM range(1000) AS r(i)")
        referee.execute("DELETE FROM t WHERE a % 2 = 0")
    with ql.connect(f"duckdb:///{tmp_path}/m.ducklake", read_only=True) as lake:
        query = "SELECT count(*) AS n, (SELECT count(*) FROM t AT (VERSION => 1)) AS m FROM t"

        assert lake.sql(query).to_arrow().to_pylist() == [{"n": 500, "m": 1000}]


def test_a_view_that_lost_its_table_is_refused_by_name(tmp_path):
    with Referee(f"sqlite:{tmp_path}/m.sqlite", f"{tmp_path}/data/") as referee:
        referee.execute("CREATE TABLE gone AS SELECT 1 AS a")
        referee.execute("CREATE VIEW v AS SELECT * FROM gone")
        referee.execute("DROP TABLE gone")
    with ql.connect(f"sqlite:///{tmp_path}/m.sqlite") as lake:
        with pytest.raises(ql.NotFound, match=r"no table 'main\.gone'"):
            lake.sql("FROM v")

        assert lake.sql("FROM v AT (VERSION => 2)").to_arrow().num_rows == 1

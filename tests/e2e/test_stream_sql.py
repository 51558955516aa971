"""Stream tables by SQL: made, refreshed, explained, altered, replaced and dropped."""

from __future__ import annotations

import pytest

import quacklake as ql
from tests.support.referee import Referee

DAILY = "SELECT day, sum(amount) AS total FROM orders GROUP BY day"
ORDERS = (
    "INSERT INTO orders VALUES (1, 'mon', 10, 'ann'), (2, 'mon', 5, 'bob'), (3, 'tue', 7, 'x1')"
)


def shop(folder):
    """A lake with orders and two stream tables, one of which reads the other."""
    lake = ql.connect(f"sqlite:///{folder}/m.sqlite", data_path=f"{folder}/data/", engine="local")
    lake.sql("CREATE TABLE orders (id BIGINT, day VARCHAR, amount BIGINT, name VARCHAR)")
    lake.sql(ORDERS)
    lake.sql(f"CREATE STREAM TABLE daily AS {DAILY}")
    lake.sql("CREATE STREAM TABLE best AS SELECT day, total FROM daily ORDER BY total DESC LIMIT 1")
    return lake


@pytest.fixture
def lake(tmp_path):
    with shop(tmp_path) as lake:
        yield lake


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A lake that stays as it is."""
    with shop(tmp_path_factory.mktemp("sound")) as lake:
        yield lake


def rows(lake, query):
    return sorted(lake.sql(query).to_arrow().to_pylist(), key=str)


def one(lake, statement):
    (row,) = lake.sql(statement).to_arrow().to_pylist()
    return row


def head(lake):
    return lake.snapshots()[-1].id


def test_create_fills_the_table_and_tells_what_it_did(lake):
    done = one(lake, "CREATE STREAM TABLE s WITH (mode = 'full') AS SELECT id FROM orders;")

    assert (done["name"], done["mode"], done["reason"]) == ("main.s", "full", "declared")
    assert (done["rows_out"], done["rows_read"], done["snapshot_id"]) == (3, 3, head(lake))
    assert rows(lake, "FROM s") == [{"id": 1}, {"id": 2}, {"id": 3}]
    assert lake.stream_table("s").query == "SELECT id FROM orders"


def test_results_of_statements_have_lake_types_and_every_conversion(lake):
    shown = lake.sql("SHOW STREAM TABLES")

    assert shown.columns[0] == "name"
    assert len(shown.lake_types) == len(shown.columns)
    assert list(shown.to_pandas()["name"]) == ["main.daily", "main.best"]
    assert shown.to_polars()["name"].to_list() == ["main.daily", "main.best"]
    assert sum(batch.num_rows for batch in shown.to_batches()) == 2


def test_stock_duckdb_reads_the_result(lake, tmp_path):
    lake.close()

    with Referee(f"sqlite:{tmp_path}/m.sqlite", f"{tmp_path}/data/") as referee:
        found = referee.rows("SELECT * FROM daily ORDER BY day")

    assert found == [("mon", 15), ("tue", 7)]


def test_several_are_refreshed_in_one_snapshot_in_their_order(lake):
    lake.sql("INSERT INTO orders VALUES (4, 'tue', 20, 'c')")

    done = lake.sql("REFRESH STREAM TABLE best, daily").to_arrow().to_pylist()

    assert [each["name"] for each in done] == ["main.daily", "main.best"]
    assert {each["mode"] for each in done} == {"incremental"}
    assert {each["snapshot_id"] for each in done} == {head(lake)}
    assert rows(lake, "FROM best") == [{"day": "tue", "total": 27}]


def test_all_are_refreshed_and_nothing_is_done_twice(lake):
    lake.sql("DELETE FROM orders WHERE id = 3")

    first = lake.sql("REFRESH ALL STREAM TABLES").to_arrow().to_pylist()
    second = lake.sql("REFRESH ALL STREAM TABLES").to_arrow().to_pylist()

    assert [each["mode"] for each in first] == ["incremental", "incremental"]
    assert [each["mode"] for each in second] == ["no-change", "no-change"]


def test_a_refresh_takes_the_mode_it_is_asked_for(lake):
    lake.sql("INSERT INTO orders VALUES (4, 'tue', 20, 'c')")

    full = one(lake, "REFRESH STREAM TABLE daily FULL")
    lake.sql("INSERT INTO orders VALUES (5, 'tue', 1, 'c')")
    incremental = one(lake, "REFRESH STREAM TABLE daily INCREMENTAL")

    assert (full["mode"], incremental["mode"]) == ("full", "incremental")
    assert (full["reason"], incremental["reason"]) == ("asked for", "asked for")


def test_explain_shows_operators_the_change_and_what_comes_next(lake):
    lines = [each["explanation"] for each in rows(lake, "EXPLAIN STREAM TABLE daily")]

    assert any("aggregate by" in line and "[keyed]" in line for line in lines)
    assert "the next refresh: nothing, no source changed" in lines


def test_validate_says_what_stands_against_a_query(lake):
    before = head(lake)

    good = one(lake, f"VALIDATE STREAM TABLE AS {DAILY}")
    bad = one(lake, "VALIDATE STREAM TABLE AS SELECT rand() AS r FROM orders")

    assert (good["incremental"], bad["incremental"]) == (True, False)
    assert "rand" in bad["reason"]
    assert head(lake) == before


def test_alter_changes_settings_and_makes_no_snapshot(lake):
    before = head(lake)

    done = one(lake, "ALTER STREAM TABLE daily SET (schedule = '5m', compaction_policy = error)")
    lake.sql("ALTER STREAM TABLE daily SET (schedule = NULL)")

    assert (done["schedule"], done["compaction_policy"], done["mode"]) == ("5m", "error", "auto")
    assert lake.stream_table("daily").definition.settings.schedule is None
    assert head(lake) == before


def test_if_not_exists_leaves_what_is_there(lake):
    done = one(lake, "CREATE STREAM TABLE IF NOT EXISTS daily AS SELECT id FROM orders")

    assert (done["mode"], done["snapshot_id"]) == ("no-change", None)
    assert lake.stream_table("daily").query == DAILY


def test_replacing_by_the_same_query_keeps_the_table(lake):
    before = head(lake)

    done = one(
        lake,
        "CREATE OR REPLACE STREAM TABLE daily SCHEDULE '1m' AS\n"
        "select day, SUM(amount) as total -- per day\nfrom orders group by day",
    )

    assert (done["mode"], done["reason"]) == ("no-change", "the query is the same")
    assert head(lake) == before
    assert lake.stream_table("daily").definition.settings.schedule == "1m"


def test_replacing_a_star_follows_new_columns(lake):
    lake.sql("CREATE STREAM TABLE copy AS SELECT * FROM orders")
    lake.sql("ALTER TABLE orders ADD COLUMN note VARCHAR")

    lake.sql("REFRESH STREAM TABLE copy")
    refreshed = lake.sql("FROM copy").columns
    done = one(lake, "CREATE OR REPLACE STREAM TABLE copy AS SELECT * FROM orders")

    assert "note" not in refreshed
    assert done["reason"] == "replaced"
    assert "note" in lake.sql("FROM copy").columns


def test_replacing_is_one_commit_and_the_old_rows_stay_for_time_travel(lake):
    before = head(lake)

    done = one(lake, "CREATE OR REPLACE STREAM TABLE daily AS SELECT day, id AS total FROM orders")

    assert (done["reason"], done["snapshot_id"]) == ("replaced", before + 1)
    assert head(lake) == before + 1
    assert len(rows(lake, "FROM daily")) == 3
    assert rows(lake, f"FROM daily AT (VERSION => {before})")[0]["total"] == 15
    states = [each.name for each in lake.tables() if each.schema == "_quacklake"]
    assert not [name for name in states if "daily" in name]


def test_a_replacement_keeps_the_spelling_of_the_name(lake):
    lake.sql("CREATE OR REPLACE STREAM TABLE DAILY AS SELECT day, id AS total FROM orders")

    with pytest.raises(ql.UsageError) as refused:
        lake.sql("DROP STREAM TABLE Daily")

    assert [each.name for each in lake.stream_tables()] == ["main.best", "main.daily"]
    assert "'main.best' reads 'main.daily'" in refused.value.problem


def test_readers_of_a_replaced_stream_table_are_computed_anew(lake):
    lake.sql(
        "CREATE OR REPLACE STREAM TABLE daily AS "
        "SELECT day, sum(amount) * 2 AS total, count(*) AS n FROM orders GROUP BY day"
    )

    done = one(lake, "REFRESH STREAM TABLE best")

    assert (done["mode"], done["reason"]) == ("full", "'main.daily' was made anew")
    assert rows(lake, "FROM best") == [{"day": "mon", "total": 30}]
    assert lake.stream_table("best").verify().ok


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("SELECT day, count(*) AS n FROM orders GROUP BY day", "'main.best' reads 'main.daily'"),
        ("SELECT day, name AS total FROM orders", "'main.best' reads 'main.daily'"),
        ("SELECT day, total FROM daily", "would read itself"),
        ("SELECT day, total FROM best", "would read 'main.best', which reads it"),
        ("SELECT day, rand() AS total FROM orders", "the function rand"),
        ("SELECT day, CAST(name AS INT) AS total FROM orders", ""),
        ("SELECT day, total FROM nowhere", "no table 'main.nowhere'"),
    ],
)
def test_a_replacement_that_fails_leaves_the_old_one(lake, query, problem):
    before = head(lake)

    with pytest.raises(ql.QuacklakeError) as refused:
        lake.sql(f"CREATE OR REPLACE STREAM TABLE daily AS {query}")

    assert problem in refused.value.problem
    assert head(lake) == before
    assert lake.stream_table("daily").query == DAILY
    lake.sql("INSERT INTO orders VALUES (9, 'wed', 1, 'z')")
    assert one(lake, "REFRESH STREAM TABLE daily")["mode"] == "incremental"
    assert lake.stream_table("daily").verify().ok


def test_drop_forgets_all_and_cascades_only_when_told(lake):
    with pytest.raises(ql.UsageError) as refused:
        lake.sql("DROP STREAM TABLE daily")
    dropped = lake.sql("DROP STREAM TABLE daily CASCADE").to_arrow().to_pylist()

    assert "'main.best' reads 'main.daily'" in refused.value.problem
    assert [each["name"] for each in dropped] == ["main.daily", "main.best"]
    assert [f"{each.schema}.{each.name}" for each in lake.tables()] == ["main.orders"]
    assert not lake.stream_tables()
    assert lake.sql("DROP STREAM TABLE IF EXISTS daily").to_arrow().num_rows == 0


def test_a_stream_table_whose_source_is_gone_can_be_dropped(lake):
    lake.drop_table("orders")

    with pytest.raises(ql.NotFound):
        lake.sql("REFRESH STREAM TABLE daily")
    lake.sql("DROP STREAM TABLE best")
    lake.sql("DROP STREAM TABLE daily")

    assert not lake.tables()


def test_names_may_be_quoted_and_have_schemas(lake):
    lake.sql("CREATE SCHEMA sales")

    lake.sql('CREATE STREAM TABLE sales."per day" AS SELECT day, total FROM main.daily')
    lake.sql("ALTER STREAM TABLE `sales`.`per day` SET (mode = full)")

    assert [each.name for each in lake.stream_tables()][-1] == "sales.per day"
    assert len(rows(lake, 'FROM sales."per day"')) == 2


@pytest.mark.parametrize(
    ("statement", "kind", "problem"),
    [
        ("CREATE STREAM TABLE a AS SELECT id FROM nowhere", ql.NotFound, "no table 'main.nowhere'"),
        ("CREATE STREAM TABLE a AS SELECT zz FROM orders", ql.UsageError, "cannot be resolved"),
        ("CREATE STREAM TABLE a AS SELECT (id FROM", ql.UsageError, "not valid SQL"),
        ("CREATE STREAM TABLE a AS DELETE FROM orders", ql.Unsupported, "not a query"),
        ("CREATE STREAM TABLE a AS SELECT rand() r FROM orders", ql.Unsupported, "rand"),
        ("CREATE STREAM TABLE daily AS SELECT id FROM orders", ql.UsageError, "exists already"),
        ("CREATE STREAM TABLE orders AS SELECT id FROM orders", ql.UsageError, "no stream table"),
        (
            "CREATE OR REPLACE STREAM TABLE orders AS SELECT id FROM orders",
            ql.UsageError,
            "'main.orders' exists already, and is no stream table",
        ),
        ("CREATE STREAM TABLE no.a AS SELECT id FROM orders", ql.NotFound, "no schema 'no'"),
        ("CREATE STREAM TABLE _quacklake.a AS SELECT id FROM orders", ql.UsageError, "_quacklake"),
        (
            "CREATE STREAM TABLE a SCHEDULE 'often' AS SELECT id FROM orders",
            ql.UsageError,
            "'often' is not a schedule",
        ),
        (
            "CREATE STREAM TABLE a SCHEDULE '0m' AS SELECT id FROM orders",
            ql.UsageError,
            "'0m' is not a schedule",
        ),
        (
            "CREATE STREAM TABLE a WITH (speed = 9) AS SELECT id FROM orders",
            ql.UsageError,
            "no setting 'speed'",
        ),
        (
            "CREATE STREAM TABLE a WITH (mode = fast) AS SELECT id FROM orders",
            ql.UsageError,
            "mode 'fast' is not one of auto, incremental, full",
        ),
        (
            "CREATE STREAM TABLE a WITH (engine = fire) AS SELECT id FROM orders",
            ql.UsageError,
            "engine 'fire' is not one of spark, local",
        ),
        ("CREATE STREAM TABLE a", ql.UsageError, "AS is expected"),
        ("ALTER STREAM TABLE a SET (mode = full)", ql.NotFound, "no stream table 'main.a'"),
        ("ALTER STREAM TABLE daily SET (columns = 1)", ql.UsageError, "no setting 'columns'"),
        ("ALTER STREAM TABLE daily SET (engine = spark)", ql.UsageError, "the engine of a stream"),
        ("ALTER STREAM TABLE daily EVOLVE AS SELECT 1", ql.Unsupported, "EVOLVE"),
        ("REFRESH STREAM TABLE orders", ql.NotFound, "no stream table 'main.orders'"),
        ("REFRESH STREAM TABLE daily, a", ql.NotFound, "no stream table 'main.a'"),
        ("EXPLAIN STREAM TABLE a", ql.NotFound, "no stream table 'main.a'"),
        ("DROP STREAM TABLE a", ql.NotFound, "no stream table 'main.a'"),
        ("DROP STREAM TABLE IF EXISTS daily", ql.UsageError, "'main.best' reads 'main.daily'"),
    ],
)
def test_a_wrong_statement_is_refused_and_changes_nothing(sound, statement, kind, problem):
    before = head(sound), rows(sound, "SHOW STREAM TABLES")

    with pytest.raises(kind) as refused:
        sound.sql(statement)

    assert problem in refused.value.problem
    assert (head(sound), rows(sound, "SHOW STREAM TABLES")) == before


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM daily",
        "UPDATE daily SET total = 0",
        "INSERT INTO daily VALUES ('wed', 1)",
        "TRUNCATE daily",
        "MERGE INTO daily USING best ON daily.day = best.day WHEN MATCHED THEN DELETE",
        "DROP TABLE daily",
        "ALTER TABLE daily RENAME TO other",
        "ALTER TABLE daily ADD COLUMN more INTEGER",
        "CREATE OR REPLACE TABLE daily AS SELECT 1 AS a",
        "DROP SCHEMA _quacklake CASCADE",
    ],
)
def test_a_result_is_not_changed_by_hand(sound, statement):
    before = head(sound)

    with pytest.raises(ql.UsageError) as refused:
        sound.sql(statement)

    assert "kept by a stream table" in refused.value.problem
    assert "drop the stream table" in refused.value.hint
    assert head(sound) == before


def test_a_lake_for_reading_explains_verifies_and_refuses_the_rest(sound):
    with ql.connect(sound.label, engine="local", read_only=True) as lake:
        daily = lake.stream_table("daily")

        assert lake.sql("SHOW STREAM TABLES").to_arrow().num_rows == 2
        assert lake.sql("EXPLAIN STREAM TABLE daily").to_arrow().num_rows > 3
        assert daily.verify().ok
        assert daily.lineage()["total"] == ["main.orders.amount"]
        for statement in (
            f"CREATE STREAM TABLE a AS {DAILY}",
            "REFRESH STREAM TABLE daily",
            "ALTER STREAM TABLE daily SET (mode = full)",
            "DROP STREAM TABLE best",
        ):
            with pytest.raises(ql.UsageError) as refused:
                lake.sql(statement)
            assert "read" in refused.value.problem

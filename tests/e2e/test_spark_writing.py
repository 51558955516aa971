"""Spark DataFrames into a lake: what is written, and that DuckDB reads it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as f

import quacklake as ql
from tests.support.referee import Referee
from tests.support.spark import ONE_WORKER

pytestmark = ONE_WORKER


@pytest.fixture
def lake(tmp_path):
    with ql.connect(f"sqlite:///{tmp_path}/c.sqlite", data_path=f"{tmp_path}/data/") as lake:
        yield lake


def referee(tmp_path, sql):
    with Referee(f"sqlite:{tmp_path}/c.sqlite") as judge:
        return judge.rows(sql)


def files_below(tmp_path):
    return {path for path in Path(tmp_path, "data").rglob("*") if path.is_file()}


def ids_of(lake, name="t"):
    rows = lake.table(name).scan(["rowid", "id"]).to_arrow()
    return dict(zip(rows["id"].to_pylist(), rows["rowid"].to_pylist(), strict=True))


def test_a_frame_becomes_a_table_that_duckdb_reads(spark, lake, tmp_path):
    frame = spark.range(1000).withColumn("half", f.col("id") / 2)

    table = lake.create_table("t", frame)

    assert table.described().columns[1].name == "half"
    assert referee(tmp_path, "SELECT count(*), sum(id), sum(half) FROM t") == [
        (1000, 499500, 249750.0)
    ]
    assert len(set(ids_of(lake).values())) == 1000


def test_a_small_frame_is_kept_in_the_catalog(spark, lake, tmp_path):
    table = lake.create_table("t", {"id": "bigint", "v": "varchar"})

    report = table.append(spark.createDataFrame([(1, "a"), (2, None)], "id long, v string"))

    assert report.inserted == 2
    assert not files_below(tmp_path)
    assert referee(tmp_path, "SELECT * FROM t ORDER BY id") == [(1, "a"), (2, None)]


def test_an_empty_frame_changes_no_row(spark, lake):
    table = lake.create_table("t", {"id": "bigint"})

    assert table.append(spark.range(0)).inserted == 0
    assert table.to_arrow().num_rows == 0


def test_overwriting_replaces_all_rows_or_those_of_a_condition(spark, lake, tmp_path):
    table = lake.create_table("t", spark.range(100))

    table.overwrite(spark.range(200, 230), where="id < 50")
    assert referee(tmp_path, "SELECT count(*), min(id), max(id) FROM t") == [(80, 50, 229)]

    table.overwrite(spark.range(7))
    assert referee(tmp_path, "SELECT count(*), max(id) FROM t") == [(7, 6)]


def test_partitions_and_order_are_those_of_the_table(spark, lake, tmp_path):
    table = lake.create_table(
        "t", {"id": "bigint", "day": "date", "k": "integer"}, partition_by=["month(day)", "k"]
    )
    table.set_sort_order(["id desc"])
    frame = spark.range(600).selectExpr(
        "id", "date_add(DATE '2026-01-01', cast(id % 60 AS int)) AS day", "cast(id % 2 AS int) AS k"
    )

    table.append(frame)

    chosen = table.scan(["id"], filter="k = 1 AND day < '2026-02-01'")
    tasks = chosen.plan().tasks
    assert 0 < len(tasks) < len(table.files())
    assert {number % 2 for number in chosen.to_arrow()["id"].to_pylist()} == {1}
    for task in tasks:
        ids = pq.read_table(task.file.path, columns=["id"])["id"].to_pylist()
        assert ids == sorted(ids, reverse=True)
    assert referee(tmp_path, "SELECT count(*), count(DISTINCT id) FROM t") == [(600, 600)]


def test_columns_are_matched_by_name_and_those_left_out_get_their_default(spark, lake, tmp_path):
    table = lake.create_table("t", {"id": "bigint", "v": "varchar default 'x'", "n": "integer"})

    table.append(spark.range(50).selectExpr("cast(id AS smallint) AS N", "id AS ID"))

    assert referee(tmp_path, "SELECT DISTINCT v FROM t") == [("x",)]
    assert referee(tmp_path, "SELECT sum(n), sum(id) FROM t") == [(1225, 1225)]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("SELECT id, id AS nope FROM range(50)", "nope"),
        ("SELECT 'x' AS note FROM range(50)", "id"),
        ("SELECT 'x' AS id FROM range(50)", "id"),
        ("SELECT nullif(id, 40) AS id FROM range(50)", "NOT NULL"),
        ("SELECT id, 300 AS small FROM range(50)", "small"),
        ("SELECT id, id AS ID FROM range(50)", "twice"),
        ("SELECT id, INTERVAL '1' YEAR AS note FROM range(50)", "note"),
    ],
)
def test_wrong_rows_are_refused_and_leave_nothing(spark, lake, tmp_path, rows, says):
    table = lake.create_table("t", {"id": "bigint not null", "small": "tinyint", "note": "varchar"})
    before = lake.snapshots()[-1].id

    with pytest.raises(ql.QuacklakeError, match=says):
        table.append(spark.sql(rows))

    assert lake.snapshots()[-1].id == before
    assert not files_below(tmp_path)


def test_a_merge_updates_inserts_and_deletes(spark, lake, tmp_path):
    table = lake.create_table("t", spark.range(100).withColumn("v", f.lit(0)))
    before = ids_of(lake)
    brought = spark.range(90, 120).withColumn("v", (f.col("id") % 3).cast("int"))

    report = table.merge(
        brought,
        on="id",
        when_matched=[ql.Delete(condition="source.v = 0"), ql.Update({"v": "source.v"})],
        when_not_matched="insert",
    )

    assert (report.inserted, report.updated, report.deleted) == (20, 6, 4)
    assert referee(tmp_path, "SELECT count(*), sum(v), count(DISTINCT id) FROM t") == [
        (116, 30, 116)
    ]
    after = ids_of(lake)
    assert len(set(after.values())) == 116
    assert all(after[key] == before[key] for key in after if key in before)


def test_a_key_brought_in_twice_is_refused(spark, lake, tmp_path):
    table = lake.create_table("t", spark.range(50).withColumn("v", f.lit(0)))
    twice = spark.createDataFrame([(1, 5), (1, 6)], "id long, v int")
    before = lake.snapshots()[-1].id, files_below(tmp_path)

    with pytest.raises(ql.UsageError):
        table.merge(twice, on="id")

    assert (lake.snapshots()[-1].id, files_below(tmp_path)) == before


def test_keys_that_are_null_never_match_and_zero_has_no_sign(spark, lake, tmp_path):
    table = lake.create_table("t", {"k": "double", "v": "integer"})
    table.append(pa.table({"k": [None, 0.0, float("nan"), 1.0], "v": [1, 2, 3, 4]}))
    brought = spark.createDataFrame([(None, 10), (-0.0, 20), (float("nan"), 30)], "k double, v int")

    report = table.merge(brought, on="k")

    with ql.connect(f"sqlite:///{tmp_path}/local.sqlite", data_path=f"{tmp_path}/l/") as local:
        other = local.create_table("t", {"k": "double", "v": "integer"})
        other.append(pa.table({"k": [None, 0.0, float("nan"), 1.0], "v": [1, 2, 3, 4]}))
        expected = other.merge(brought.toArrow(), on="k")
        assert (report.inserted, report.updated) == (expected.inserted, expected.updated)
        assert sorted(table.to_arrow()["v"].to_pylist()) == sorted(
            other.to_arrow()["v"].to_pylist()
        )


def test_names_with_odd_characters_are_written_and_merged(spark, lake, tmp_path):
    odd = "a`b.c d"
    table = lake.create_table("t", {odd: "bigint", "größe": "integer"})
    frame = spark.range(50).toDF("i").selectExpr("i AS `a``b.c d`", "cast(i AS int) AS `größe`")

    table.append(frame)
    report = table.merge(frame, on=odd)

    assert (report.inserted, report.updated) == (0, 50)
    assert referee(tmp_path, 'SELECT sum("größe") FROM t') == [(1225,)]


TYPES = {
    "b": ("boolean", "true"),
    "i8": ("tinyint", "-128"),
    "u8": ("utinyint", "255"),
    "u32": ("uinteger", "4294967295"),
    "u64": ("ubigint", "18446744073709551615"),
    "huge": ("hugeint", "-10000000000000000000000000000000000000"),
    "uhuge": ("uhugeint", "1000000000000000000000000000000"),
    "dec": ("decimal(38,10)", "-9999999999999999999999999999.9999999999"),
    "f32": ("float", "'nan'"),
    "f64": ("double", "'-0.0'"),
    "d": ("date", "'0044-03-15 (BC)'"),
    "ts": ("timestamp", "'1500-01-01 00:00:00.000001'"),
    "tz": ("timestamptz", "'0001-12-31 23:59:59.999999+00'"),
    "ts_s": ("timestamp_s", "'2020-01-02 03:04:05'"),
    "ts_ms": ("timestamp_ms", "'2020-01-02 03:04:05.678'"),
    "ts_ns": ("timestamp_ns", "'2020-01-02 03:04:05.678901234'"),
    "t": ("time", "'12:34:56.789012'"),
    "ttz": ("timetz", "'12:00:00+05:30'"),
    "iv": ("interval", "'1 year 2 days 00:00:03'"),
    "s": ("varchar", "'日本 🦆'"),
    "bin": ("blob", r"'\x00\xFF'"),
    "u": ("uuid", "'f79c3e09-677c-4bbd-a479-3f349cb785e7'"),
    "j": ("json", """'{"a":1}'"""),
    "l": ("integer[]", "[1, NULL]"),
    "st": ("struct(a utinyint, b struct(c varchar))", "{'a': 1, 'b': {'c': 'x'}}"),
    "m": ("map(varchar, interval)", "MAP {'k': INTERVAL 1 MONTH}"),
}


@pytest.mark.parametrize("copies", [1, 20], ids=["inlined", "in a file"])
def test_every_type_survives_the_way_through_spark_and_back(spark, lake, tmp_path, copies):
    for name in ("a", "b"):
        lake.create_table(name, {name: kind for name, (kind, _) in TYPES.items()})
    values = ", ".join(f"CAST({value} AS {kind})" for kind, value in TYPES.values())
    nulls = ", ".join(["NULL"] * len(TYPES))
    with Referee(f"sqlite:{tmp_path}/c.sqlite") as judge:
        for row in (values, nulls):
            judge.execute(f"INSERT INTO a SELECT {row} FROM range({copies})")

    lake.table("b").append(lake.table("a").scan().to_spark(spark))

    cells = ", ".join(f'CAST("{name}" AS VARCHAR) AS "{name}"' for name in TYPES)
    left, right = (referee(tmp_path, f"SELECT {cells} FROM {table}") for table in ("a", "b"))
    assert sorted(left, key=str) == sorted(right, key=str)
    assert len(right) == 2 * copies


def test_a_transaction_takes_frames_and_a_rollback_leaves_nothing(spark, lake, tmp_path):
    lake.create_table("t", {"id": "bigint"})

    with lake.transaction() as tx:
        tx.table("t").append(spark.range(40))
        tx.table("t").merge(spark.range(30, 60), on="id")
        tx.create_table("copy", spark.range(30))
    tx = lake.transaction()
    tx.table("t").append(spark.range(1000, 1100))
    tx.create_table("gone", spark.range(50))
    tx.rollback()
    kept = files_below(tmp_path)

    assert referee(tmp_path, "SELECT count(*), count(DISTINCT id) FROM t") == [(60, 60)]
    assert referee(tmp_path, "SELECT count(*) FROM copy") == [(30,)]
    listed = {file.path for table in ("t", "copy") for file in lake.table(table).files()}
    assert not [path for path in kept if "gone" in str(path)]
    assert len(kept) >= len(listed)
    assert lake.delete_orphaned_files(older_than="0 seconds", dry_run=True) == ()


def test_a_frame_from_the_lake_may_be_written_into_it(spark, lake, tmp_path):
    table = lake.create_table("t", spark.range(100))

    table.append(table.scan(filter="id < 10").to_spark(spark))
    table.overwrite(table.scan(filter="id >= 50").to_spark(spark))

    assert referee(tmp_path, "SELECT count(*), count(DISTINCT id) FROM t") == [(50, 50)]

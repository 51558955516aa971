"""`format("ducklake")`: the idiom of Spark, for batches and streams."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.sql import functions as f

import quacklake as ql
import quacklake.spark
from tests.support.referee import Referee
from tests.support.spark import ONE_WORKER, collected

pytestmark = ONE_WORKER


@pytest.fixture
def url(spark, tmp_path):
    quacklake.spark.register(spark)
    url = f"sqlite:///{tmp_path}/c.sqlite"
    with ql.connect(url, data_path=f"{tmp_path}/data/") as lake:
        table = lake.create_table("t", {"id": "bigint", "v": "varchar"}, partition_by=["v"])
        table.append(pa.table({"id": range(60), "v": ["a", "b", "c"] * 20}))
        table.append(pa.table({"id": [100], "v": [None]}))
    return url


def reading(spark, url, **options):
    return spark.read.format("ducklake").options(catalog=url, table="t", **options).load()


def test_a_table_is_read_at_any_snapshot(spark, url):
    with ql.connect(url) as lake:
        second = lake.snapshots()[2]

    assert reading(spark, url).count() == 61
    assert reading(spark, url, snapshot="2").count() == 60
    assert reading(spark, url, timestamp=second.time.isoformat()).count() == 60
    assert reading(spark, url, columns="v, id", filter="id < 2").columns == ["v", "id"]
    assert collected(reading(spark, url, columns="id", filter="id < 2")) == [(0,), (1,)]


@pytest.mark.parametrize(
    ("condition", "count", "partitions"),
    [
        ("v IN ('a', 'b') AND id > 30", 19, 2),
        ("v IS NULL", 1, 1),
        ("(id < 30 OR v = 'c') AND upper(v) <> 'A'", 30, None),
    ],
)
def test_filters_reach_the_files(spark, url, condition, count, partitions):
    frame = reading(spark, url).where(condition)

    assert frame.count() == count
    if partitions is not None:
        touched = frame.select(f.spark_partition_id()).distinct().count()
        assert touched <= partitions


def test_a_frame_is_appended_and_overwritten(spark, url, tmp_path):
    rows = spark.range(200, 260).selectExpr("id", "'d' AS v")

    rows.write.format("ducklake").options(catalog=url, table="t").mode("append").save()
    assert reading(spark, url).count() == 121
    rows.limit(3).write.format("ducklake").options(catalog=url, table="t").mode("overwrite").save()

    with Referee(f"sqlite:{tmp_path}/c.sqlite") as referee:
        assert referee.rows("SELECT count(*), min(v), count(DISTINCT rowid) FROM t") == [
            (3, "d", 3)
        ]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "catalog"),
        ({"catalog": "sqlite:///nowhere.sqlite"}, "table"),
        ({"catalog": "sqlite:////nowhere/x.sqlite", "table": "t"}, "no lake|nowhere|exist"),
        ({"catalog": "{url}", "table": "nope"}, "nope"),
        ({"catalog": "{url}", "table": "t", "snapshot": "x"}, "snapshot"),
        ({"catalog": "{url}", "table": "t", "filter": "id >"}, "id >"),
        ({"catalog": "{url}", "table": "t", "colour": "red"}, "colour"),
        ({"catalog": "{url}", "table": "t", "starting_snapshot": "1"}, "starting_snapshot"),
    ],
)
def test_wrong_options_are_named(spark, url, options, says):
    told = {name: value.format(url=url) for name, value in options.items()}

    with pytest.raises(Exception, match=says):
        spark.read.format("ducklake").options(**told).load().count()


def test_a_frame_that_does_not_fit_is_refused_and_leaves_nothing(spark, url, tmp_path):
    writer = spark.range(50).selectExpr("id", "id AS nope").write.format("ducklake")
    before = sorted((tmp_path / "data").rglob("*.parquet"))

    with pytest.raises(Exception, match="nope"):
        writer.options(catalog=url, table="t").mode("append").save()
    with pytest.raises(Exception, match="'id'"):
        (
            spark.range(50).selectExpr("concat('x', id) AS id").write.format("ducklake")
            .options(catalog=url, table="t").mode("append").save()
        )  # fmt: skip

    assert sorted((tmp_path / "data").rglob("*.parquet")) == before
    with ql.connect(url) as lake:
        assert len(lake.snapshots()) == 4


class Sink:
    """Applies each batch once, by its number, as `foreachBatch` users do."""

    def __init__(self) -> None:
        self.batches: dict[int, list] = {}

    def __call__(self, frame, number) -> None:
        rows = [tuple(row) for row in frame.collect()]
        assert self.batches.get(number, rows) == rows
        self.batches[number] = rows

    def rows(self) -> list:
        return sorted(
            (row for number in sorted(self.batches) for row in self.batches[number]), key=repr
        )


def stream(spark, url, **options):
    return spark.readStream.format("ducklake").options(catalog=url, table="t", **options).load()


def run(frame, sink, checkpoint):
    query = (
        frame.writeStream.foreachBatch(sink)
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination(120)
    assert not query.isActive


def test_a_stream_sees_each_change_once_across_restarts(spark, url, tmp_path):
    sink, checkpoint = Sink(), tmp_path / "checkpoint"

    run(stream(spark, url, starting_snapshot="earliest"), sink, checkpoint)
    with ql.connect(url) as lake:
        lake.table("t").update({"v": "'z'"}, where="id = 1")
        lake.table("t").delete("id = 2")
        lake.table("t").append({"id": [7000], "v": ["q"]})
    run(stream(spark, url, starting_snapshot="earliest"), sink, checkpoint)
    run(stream(spark, url, starting_snapshot="earliest"), sink, checkpoint)

    with ql.connect(url) as lake:
        feed = lake.table("t").changes(since=None).to_arrow()
    expected = sorted((tuple(row.values()) for row in feed.to_pylist()), key=repr)
    assert sink.rows() == expected
    assert len([batch for batch in sink.batches.values() if batch]) == 2


def test_a_stream_begins_after_the_snapshot_it_is_told(spark, url, tmp_path):
    sink = Sink()

    run(stream(spark, url, starting_snapshot="2"), sink, tmp_path / "checkpoint")

    assert [row[-2:] for row in sink.rows()] == [(100, None)]


def test_a_stream_over_a_changed_schema_has_the_columns_it_began_with(spark, url, tmp_path):
    sink, frame = Sink(), stream(spark, url, starting_snapshot="latest")
    checkpoint = tmp_path / "checkpoint"
    run(frame, sink, checkpoint)
    with ql.connect(url) as lake:
        lake.table("t").append({"id": [1], "v": ["before"]})
        lake.table("t").add_column("n", "integer", default="5")
        lake.table("t").append({"id": [2], "v": ["after"], "n": [9]})

    run(frame, sink, checkpoint)

    assert [row[-2:] for row in sink.rows()] == [(1, "before"), (2, "after")]


def test_expired_history_ends_a_stream_with_a_reason(spark, url, tmp_path):
    checkpoint, sink = tmp_path / "checkpoint", Sink()
    run(stream(spark, url, starting_snapshot="1"), sink, checkpoint)
    with ql.connect(url) as lake:
        lake.table("t").append({"id": [1], "v": ["x"]})
        lake.table("t").append({"id": [2], "v": ["x"]})
        lake.expire_snapshots(versions=[3, 4])

    with pytest.raises(Exception, match="expired"):
        run(stream(spark, url, starting_snapshot="1"), sink, checkpoint)

"""Scans through Spark: filters of every kind, odd paths, object stores, and who reads what."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import quacklake as ql
from tests.support.bags import differences
from tests.support.spark import ONE_WORKER, arrow_of, collected

pytestmark = ONE_WORKER


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reading")
    with ql.connect(f"sqlite:///{folder}/c.sqlite", data_path=f"{folder}/data/") as lake:
        table = lake.create_table(
            "t",
            {
                "id": "bigint",
                "f": "double",
                "s": "varchar",
                "d": "date",
                "ts": "timestamp",
                "dec": "decimal(9,2)",
                "time": "time",
                "u": "uuid",
                "l": "integer[]",
            },
        )
        count = 60
        rows = {
            "id": range(count),
            "f": [float("nan"), -0.0, 0.0, None, float("inf"), 1.5] * 10,
            "s": ["a", "B", None, "ä", "", "zz"] * 10,
            "d": [date(2026, 1, 1 + i % 28) for i in range(count)],
            "ts": [datetime(2026, 1, 1, i % 24) for i in range(count)],  # noqa: DTZ001
            "dec": [Decimal(i) / 4 for i in range(count)],
            "time": [time(1, 2, 3, 500_000)] * count,
            "u": ["f79c3e09-677c-4bbd-a479-3f349cb785e7"] * count,
            "l": [[i] for i in range(count)],
        }
        table.append(pa.table({name: list(values) for name, values in rows.items()}))
        table.delete("id = 5")
        table.append(pa.table({"id": [1000], "s": ["inlined"]}))
        yield lake


@pytest.mark.parametrize(
    "where",
    [
        "id >= 10 AND id < 20",
        "id IN (1, 2, 1000)",
        "s = 'a' OR s IS NULL",
        "f > 1",
        "f = 0",
        "f <> 0",
        "f >= 'inf'",
        "isnan(f)",
        "s >= 'a'",
        "s LIKE '%z'",
        "length(s) = 0",
        "d = '2026-01-05' AND ts > '2026-01-01 02:00:00'",
        "dec <= 2.25",
        "time = '01:02:03.5' AND id < 9",
        "u = 'f79c3e09-677c-4bbd-a479-3f349cb785e7' AND id > 50",
        "l[1] % 2 = 0",
        "NOT (id < 50)",
        "id + 1 = 7 AND s IS NOT NULL",
        "false",
        pc.field("id") > 55,
        (pc.field("s") == "a") & pc.field("f").is_null(),
        pc.match_substring(pc.field("s"), "z"),
    ],
    ids=str,
)
@pytest.mark.parametrize("columns", [None, ("s", "id")], ids=["all", "some"])
def test_a_filter_lets_the_same_rows_through_everywhere(spark, lake, where, columns):
    if columns is None and not isinstance(where, str):
        columns = ("id", "f", "s", "d")
    scan = lake.table("t").scan(columns, filter=where)

    assert not differences(arrow_of(scan, spark), scan.to_arrow())


def test_row_ids_and_snapshots_are_those_of_other_results(spark, lake):
    scan = lake.table("t").scan(["snapshot_id", "id", "rowid"], filter="id <> 7")

    assert not differences(arrow_of(scan, spark), scan.to_arrow())


def test_no_column_of_a_file_need_be_read(spark, lake):
    assert lake.table("t").scan(["rowid"]).to_spark(spark).count() == 60
    assert lake.table("t").scan().to_spark(spark).select("id").count() == 60


def test_a_frame_reads_the_snapshot_it_was_made_at(spark, lake):
    lake.create_table("moving", {"id": "bigint"}).append({"id": list(range(30))})
    frame = lake.table("moving").scan().to_spark(spark)

    lake.table("moving").delete("id < 20")
    lake.table("moving").append({"id": [99]})

    assert frame.count() == 30
    assert lake.table("moving").scan().to_spark(spark).count() == 11


@pytest.mark.parametrize(
    "name", ["a b", "k=v%20w", "ü#?", "[x]{y}", "st*r", "co:lon", "back\\slash"]
)
def test_folders_may_have_any_name(spark, tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    with ql.connect(f"sqlite:///{tmp_path}/c.sqlite", data_path=f"{folder}/") as lake:
        table = lake.create_table("t", {"id": "bigint", "k": "varchar"}, partition_by=["k"])
        table.append({"id": list(range(40)), "k": ["a/b", "c d"] * 20})
        table.delete("id = 3")

        assert table.scan().to_spark(spark).count() == 39
        assert collected(table.scan(["id"], filter="k = 'c d' AND id < 4").to_spark(spark)) == [
            (1,)
        ]


def test_an_object_store_is_read_and_written_by_python_workers(spark, object_store, tmp_path):
    with ql.connect(
        f"sqlite:///{tmp_path}/c.sqlite",
        data_path=object_store.location(f"{tmp_path.name}/spark/"),
        storage_options=object_store.settings(),
        engine="spark",
    ) as lake:
        table = lake.create_table("t", spark.range(500).selectExpr("id", "0 AS n"))

        assert table.scan(filter="id < 7").to_spark(spark).count() == 7
        assert table.update({"n": "1"}, where="id < 50").updated == 50
        assert table.merge(spark.range(490, 510).selectExpr("id", "2 AS n"), on="id").inserted == 10
        assert table.delete("id = 100").deleted == 1
        lake.merge_adjacent_files("t")
        told = lake.sql("SELECT count(*) AS c, sum(n) AS s FROM t").to_arrow().to_pylist()
        assert told == [{"c": 509, "s": 90}]

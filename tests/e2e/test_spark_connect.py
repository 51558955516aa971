"""Spark Connect: the client has no JVM, only the address of a server."""

from __future__ import annotations

import json

import pytest

from tests.support.referee import Referee
from tests.support.spark import ONE_WORKER, in_process

pytestmark = [pytest.mark.slow, ONE_WORKER]

SCRIPT = """
import json, os, sys
from datetime import time
folder = sys.argv[1]
from quacklake.engine.spark.java import java_home
os.environ["JAVA_HOME"] = str(java_home())
os.environ["PYSPARK_PYTHON"] = sys.executable
import pyarrow as pa
from pyspark.sql import SparkSession

builder = SparkSession.builder.config("spark.sql.shuffle.partitions", "2")
spark = builder.remote("local[2]").getOrCreate()
import quacklake as ql
import quacklake.spark
assert "connect" in type(spark).__module__
seen = {}


def tried(name, work):
    try:
        seen[name] = work()
    except Exception as error:
        seen[name] = f"{type(error).__name__}: {error}"[:600]


url = f"sqlite:///{folder}/c.sqlite"
lake = ql.connect(url, data_path=f"{folder}/data/", engine="spark")


def numbers(first, last, n):
    return spark.range(first, last).selectExpr("id", f"{n} AS n")


def told(sql):
    return lake.sql(sql).to_arrow().to_pylist()


tried("create", lambda: lake.create_table("t", numbers(0, 1000, 0)).to_arrow().num_rows)
table = lake.table("t")
tried("read", lambda: table.scan(filter="id < 10").to_spark(spark).count())
tried("rowids", lambda: table.scan(["rowid", "id"]).to_spark(spark).count())
tried("append", lambda: table.append(numbers(1000, 1100, 0)).inserted)
tried("merge", lambda: table.merge(numbers(1090, 1110, 1), on="id").updated)
tried("update", lambda: table.update({"n": "n + 1"}, where="id < 10").updated)
tried("delete", lambda: table.delete("id BETWEEN 20 AND 29").deleted)
tried("careful", lambda: table.scan().to_spark(spark).count())
timed = lake.create_table("w", {"id": "bigint", "t": "time"})
timed.append({"id": list(range(30)), "t": [time(12)] * 30})
tried("worked", lambda: timed.scan().to_spark(spark).count())
tried("sql", lambda: told("SELECT count(*) AS n FROM t JOIN w USING (id)"))
tried("dml", lambda: told("INSERT INTO t SELECT id + 5000, 1 FROM w")[0]["inserted"])
tried("upkeep", lambda: bool(lake.merge_adjacent_files("t")) or True)
quacklake.spark.register(spark)
where = {"catalog": url, "table": "w"}
tried("format", lambda: spark.read.format("ducklake").options(**where).load().count())


def written():
    rows = spark.range(3).selectExpr("id", "'01:00' AS t")
    rows.write.format("ducklake").options(**where).mode("append").save()
    return timed.to_arrow().num_rows


def streamed():
    read = spark.readStream.format("ducklake").options(**where, starting_snapshot="earliest")
    query = (
        read.load().writeStream.format("memory").queryName("seen").trigger(availableNow=True)
        .option("checkpointLocation", folder + "/check").start()
    )
    query.awaitTermination(100)
    return spark.table("seen").count()


tried("sink", written)
tried("stream", streamed)
lake.close()
print("SEEN" + json.dumps(seen), flush=True)
spark.stop()
"""


def test_a_connect_session_does_what_any_other_does(tmp_path):
    done = in_process(SCRIPT, str(tmp_path), timeout=280)

    told = [line for line in done.stdout.splitlines() if line.startswith("SEEN")]
    assert told, done.stdout + done.stderr
    assert json.loads(told[0][4:]) == {
        "create": 1000,
        "read": 10,
        "rowids": 1000,
        "append": 100,
        "merge": 10,
        "update": 10,
        "delete": 10,
        "careful": 1100,
        "worked": 30,
        "sql": [{"n": 20}],
        "dml": 30,
        "upkeep": True,
        "format": 30,
        "sink": 33,
        "stream": 33,
    }
    with Referee(f"sqlite:{tmp_path}/c.sqlite") as referee:
        assert referee.rows("SELECT count(*), count(DISTINCT id) FROM t") == [(1130, 1130)]

"""Spark in many processes: a driver and two executors, of which one may be killed."""

from __future__ import annotations

import json

import pytest

import quacklake as ql
from tests.support.referee import Referee
from tests.support.spark import ONE_WORKER, in_process

pytestmark = [pytest.mark.slow, ONE_WORKER]

SCRIPT = """
import json, os, signal, subprocess, sys, threading, time
import pyarrow as pa
import pyspark

os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
folder = sys.argv[1]
os.environ["SPARK_WORKER_DIR"] = folder + "/work"
import quacklake as ql
from quacklake.engine.spark.session import spark_session

python_path = os.environ["PYTHONPATH"]
spark = spark_session("local-cluster[2,1,1024]", {
    "spark.executorEnv.PYTHONPATH": python_path,
    "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2",
})
seen = {}
lake = ql.connect(f"sqlite:///{folder}/c.sqlite", data_path=f"{folder}/data/", engine="spark")


def pids(batches):
    for _ in batches:
        pass
    time.sleep(1)
    yield pa.record_batch([pa.array([os.getppid()])], names=["id"])


hosts = spark.range(0, 4, 1, 4).mapInArrow(pids, "id long").distinct().count()
seen["executors"] = hosts
table = lake.create_table("t", spark.range(0, 50_000, 1, 4).selectExpr("id", "0 AS n"))
seen["read"] = table.scan(filter="id < 100").to_spark(spark).count()
report = table.merge(spark.range(49_900, 50_100).selectExpr("id", "1 AS n"), on="id")
seen["merge"] = (report.inserted, report.updated)
seen["update"] = table.update({"n": "n + 1"}, where="id < 10").updated
seen["delete"] = table.delete("id BETWEEN 20 AND 29").deleted
seen["files"] = len(table.files())
lake.merge_adjacent_files("t")
lake.rewrite_data_files("t", delete_threshold=0)
seen["fewer"] = len(table.files())


def executors():
    # Without -ww a terminal's width in the environment would cut the application's name off.
    listed = subprocess.run(["ps", "-ewwo", "pid,args"], capture_output=True, text=True).stdout
    return [
        int(line.split()[0]) for line in listed.splitlines()
        if "CoarseGrainedExecutorBackend" in line and spark.sparkContext.applicationId in line
    ]


def slow(batches):
    for batch in batches:
        time.sleep(0.4)
        yield batch


def kill():
    time.sleep(3)
    victims = executors()
    seen["killed"] = len(victims)
    os.kill(victims[0], signal.SIGKILL)


spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "4000")
killer = threading.Thread(target=kill)
killer.start()
before = lake.snapshots()[-1].id
try:
    table.append(
        spark.range(100_000, 140_000, 1, 2).selectExpr("id", "5 AS n")
        .mapInArrow(slow, "id long, n int")
    )
    seen["outcome"] = "written"
except ql.QuacklakeError as error:
    seen["outcome"] = "refused"
    assert lake.snapshots()[-1].id == before
killer.join()
lake.close()
spark.stop()
print("SEEN" + json.dumps(seen))
"""


def test_two_executors_read_write_merge_and_tidy_up_and_one_is_killed(tmp_path):
    done = in_process(SCRIPT, str(tmp_path), timeout=280)

    told = [line for line in done.stdout.splitlines() if line.startswith("SEEN")]
    assert told, done.stdout + done.stderr
    seen = json.loads(told[0][4:])
    assert seen["executors"] == 2
    assert seen["read"] == 100
    assert seen["merge"] == [100, 100]
    assert (seen["update"], seen["delete"]) == (10, 10)
    assert seen["fewer"] < seen["files"]
    assert seen["killed"] == 2
    added = {"written": 40_000, "refused": 0}[seen["outcome"]]
    with Referee(f"sqlite:{tmp_path}/c.sqlite") as referee:
        assert referee.rows(
            "SELECT count(*), count(DISTINCT id), count(DISTINCT rowid) FROM t"
        ) == [(50_090 + added,) * 3]
        assert referee.rows("SELECT sum(n) FROM t WHERE id < 100000") == [(210,)]
    with ql.connect(f"sqlite:///{tmp_path}/c.sqlite") as lake:
        assert lake.table("t").to_arrow().num_rows == 50_090 + added

"""Tasks that fail and are run again, and files that go away: no row is doubled or lost."""

from __future__ import annotations

import shutil
from datetime import time
from pathlib import Path

import pyarrow as pa
import pytest

import quacklake as ql
from quacklake.kernel.errors import FileUnreadable
from tests.support.referee import Referee
from tests.support.spark import ONE_WORKER

pytestmark = ONE_WORKER


@pytest.fixture
def lake(tmp_path):
    with ql.connect(f"sqlite:///{tmp_path}/c.sqlite", data_path=f"{tmp_path}/data/") as lake:
        yield lake


def once_failing(marks: Path, *, attempts: int = 1):
    """A frame's rows, in tasks of which each fails after its last row as often as told."""

    def passed(batches):
        from pyspark import TaskContext

        context = TaskContext.get()
        yield from batches
        if context.attemptNumber() < attempts:
            Path(marks, f"{context.partitionId()}-{context.attemptNumber()}").touch()
            raise RuntimeError("the executor was unplugged")

    return passed


def counted(tmp_path, sql):
    with Referee(f"sqlite:{tmp_path}/c.sqlite") as referee:
        return referee.rows(sql)


def test_a_task_that_fails_after_writing_is_run_again_and_doubles_nothing(spark, lake, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    lake.set_option("target_file_size", "10KB")
    table = lake.create_table("t", {"id": "bigint"})
    frame = spark.range(0, 20_000, 1, 2).mapInArrow(once_failing(marks), "id long")

    report = table.append(frame)

    assert len(list(marks.iterdir())) == 2
    assert report.inserted == 20_000
    assert counted(tmp_path, "SELECT count(*), count(DISTINCT id) FROM t") == [(20_000, 20_000)]
    assert counted(tmp_path, "SELECT count(DISTINCT rowid) FROM t") == [(20_000,)]


def test_a_merge_with_tasks_that_fail_changes_each_row_once(spark, lake, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    table = lake.create_table("t", spark.range(1000).selectExpr("id", "0 AS n"))
    brought = spark.range(0, 1500, 1, 2).selectExpr("id", "1 AS n")

    report = table.merge(brought.mapInArrow(once_failing(marks), "id long, n int"), on="id")

    assert (report.inserted, report.updated) == (500, 1000)
    assert counted(tmp_path, "SELECT count(*), sum(n), count(DISTINCT id) FROM t") == [
        (1500, 1500, 1500)
    ]


def test_a_job_that_fails_for_good_changes_nothing(spark, lake, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    table = lake.create_table("t", spark.range(100))
    before = lake.snapshots()[-1].id

    with pytest.raises(ql.QuacklakeError, match="unplugged") as raised:
        table.append(
            spark.range(0, 50_000, 1, 2).mapInArrow(once_failing(marks, attempts=9), "id long")
        )

    assert "\n" not in str(raised.value)
    assert lake.snapshots()[-1].id == before
    assert counted(tmp_path, "SELECT count(*) FROM t") == [(100,)]
    known = {str(path) for path in Path(tmp_path, "data").rglob("*.parquet")}
    live = {task.file.path for task in table.scan().plan().tasks}
    stray = lake.delete_orphaned_files(older_than="0 seconds", dry_run=True)
    assert {str(path) for path in stray} == known - live


def test_a_table_dropped_after_planning_is_still_read_while_its_files_are_there(spark, lake):
    frame = lake.create_table("t", spark.range(100)).scan().to_spark(spark)

    lake.drop_table("t")

    assert frame.count() == 100


@pytest.mark.parametrize("kind", ["native", "worker"])
def test_a_data_file_that_is_gone_is_told(spark, lake, tmp_path, kind):
    lake.create_table("t", spark.range(100).selectExpr("id", "cast(id AS string) AS t"))
    if kind == "worker":
        lake.create_table("u", {"id": "bigint", "t": "time"}).append(
            pa.table({"id": range(50), "t": [time(12)] * 50})
        )
    result = lake.sql(f"SELECT * FROM {'t' if kind == 'native' else 'u'}", engine="spark")
    shutil.rmtree(tmp_path / "data")

    with pytest.raises(FileUnreadable) as raised:
        result.to_arrow()

    assert "\n" not in str(raised.value)


def test_a_data_file_that_is_gone_before_the_frame_is_made_is_told(spark, lake, tmp_path):
    table = lake.create_table("t", spark.range(100))
    shutil.rmtree(tmp_path / "data")

    with pytest.raises(ql.QuacklakeError) as raised:
        table.scan().to_spark(spark).count()

    assert isinstance(raised.value, FileUnreadable)

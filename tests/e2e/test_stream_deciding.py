"""What `auto` knows of a change: rows that went earlier are no part of it."""

from __future__ import annotations

import pyarrow as pa
import pytest

import quacklake as ql
from quacklake.changefeed.counting import counted_rows
from quacklake.changefeed.plan import ChangeRequest, plan_changes
from quacklake.format.snapshot import AtVersion
from quacklake.format.table import TableName
from quacklake.kernel.ids import SnapshotId
from tests.support.referee import Referee

ROWS = 20_000


@pytest.fixture
def lake(tmp_path):
    url = f"sqlite:///{tmp_path}/c.sqlite"
    with ql.connect(url, data_path=f"{tmp_path}/data/", engine="local") as opened:
        opened.create_table("t", pa.table({"id": pa.array(range(ROWS), pa.int64())}))
        yield opened


@pytest.mark.parametrize("duckdb", [False, True], ids=["ours", "DuckDB's"])
def test_a_file_that_lost_many_rows_before_does_not_make_a_change_large(lake, tmp_path, duckdb):
    def delete(condition: str) -> None:
        if not duckdb:
            lake.table("t").delete(condition)
            return
        with Referee(f"sqlite:{tmp_path}/c.sqlite") as duck:
            duck.execute(f"DELETE FROM t WHERE {condition}")

    delete("id % 5 < 2")
    view = lake.create_stream_table("v", "select id from t where id % 7 <> 0")
    before = lake.snapshots()[-1].id
    delete("id % 100 = 3")
    lake.table("t").append({"id": list(range(ROWS, ROWS + 100))})

    report = view.refresh()

    assert (report.mode, report.reason) == ("incremental", "at most 300 of 20,100 rows changed")
    assert report.rows_in == 300
    assert view.verify()
    upto = lake.snapshots()[-1].id
    request = ChangeRequest(
        TableName("main", "t"), AtVersion(SnapshotId(before)), AtVersion(SnapshotId(upto))
    )
    plan = lake._session.asked(lambda reader: plan_changes(reader, request, net=True))
    assert (plan.rows > ROWS // 3, counted_rows(plan, lake._session.storage)) == (True, 300)


def test_work_that_changed_nothing_is_remembered(lake):
    """What it took is what the next one will take; `auto` would not know otherwise."""
    view = lake.create_stream_table("v", "select id from t where id < 0")
    snapshots = len(lake.snapshots())
    lake.table("t").append({"id": list(range(ROWS, ROWS + 100))})

    report = view.refresh()
    nothing = view.refresh()

    assert (report.mode, report.rows_in, report.rows_out) == ("incremental", 100, 0)
    assert (nothing.mode, len(lake.snapshots())) == ("no-change", snapshots + 1)
    last, first = view.history()
    assert (last.report.mode, last.report.rows_in, first.report.reason) == (
        "incremental",
        100,
        "declared",
    )
    assert last.report.snapshot_id is None

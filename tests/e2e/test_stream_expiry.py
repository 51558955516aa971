"""Snapshots that expire between a frontier and now take what commits said with them."""

from __future__ import annotations

import pyarrow as pa
import pytest

import quacklake as ql


@pytest.fixture
def lake(tmp_path):
    url = f"sqlite:///{tmp_path}/c.sqlite"
    with ql.connect(url, data_path=f"{tmp_path}/data/", engine="local") as opened:
        opened.create_table("t", pa.table({"k": [1, 2, 2], "v": [10, 20, 30]}))
        opened.create_table("other", pa.table({"x": [1]}))
        yield opened


def test_changes_of_expired_snapshots_are_followed(lake):
    view = lake.create_stream_table("kept", "select k, sum(v) as total from t group by k")
    lake.table("t").append(pa.table({"k": [1, 3], "v": [5, 7]}))
    silent = lake.snapshots()[-1].id
    lake.table("other").append(pa.table({"x": [2]}))
    assert lake.expire_snapshots(versions=[silent]) == (silent,)

    report = view.refresh(mode="incremental")

    assert (report.mode, report.rows_in) == ("incremental", 2)
    assert sorted(map(tuple, map(dict.values, view.to_arrow().to_pylist()))) == [
        (1, 15),
        (2, 50),
        (3, 7),
    ]
    assert view.verify()


def test_a_column_redefined_in_an_expired_snapshot_is_noticed(lake):
    view = lake.create_stream_table("kept", "select k, v from t")
    first = lake.snapshots()[-1].id
    lake.table("t").drop_column("v")
    lake.table("t").add_column("v", "bigint", default="1")
    lake.table("other").append(pa.table({"x": [2]}))
    between = [s.id for s in lake.snapshots() if first < s.id < lake.snapshots()[-1].id]
    lake.expire_snapshots(versions=between)

    report = view.refresh()

    assert (report.mode, view.to_arrow().column("v").to_pylist()) == ("full", [1, 1, 1])
    assert view.verify()

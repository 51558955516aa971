"""What others commit while a transaction is open moves it to a later snapshot, whole."""

from __future__ import annotations

import pytest

import quacklake as ql

ROWS = {"id": list(range(100))}


@pytest.fixture
def lake(tmp_path):
    with ql.connect(f"sqlite:///{tmp_path}/l.sqlite", data_path=f"{tmp_path}/files/") as lake:
        lake.set_option("data_inlining_row_limit", 0)
        lake.create_table("t", {"id": "bigint"}).append(ROWS)
        lake.create_table("other", {"id": "bigint"})
        yield lake


def count(lake, snapshot=None):
    return lake.table("t").scan(snapshot=snapshot).to_arrow().num_rows


@pytest.mark.parametrize("deleted_before", [False, True])
def test_deleted_rows_are_there_until_the_snapshot_that_deletes_them(lake, deleted_before):
    if deleted_before:
        lake.table("t").delete("id = 99")
    there = count(lake)

    with lake.transaction() as tx:
        tx.table("t").delete("id < 50")
        between = lake.table("other").append(ROWS).snapshot_id

    assert tx.snapshot_id == between + 1
    assert count(lake, between) == there
    assert count(lake) == there - 50
    feed = lake.table("t").changes(since=between).to_arrow()
    assert set(feed.column("snapshot_id").to_pylist()) == {tx.snapshot_id}
    assert feed.num_rows == 50

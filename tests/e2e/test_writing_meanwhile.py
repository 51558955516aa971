"""What others commit while a transaction is open moves it to a later snapshot, whole."""

from __future__ import annotations

import pytest

import quacklake as ql
from quacklake.catalog import Backend
from quacklake.client.session import Session
from quacklake.client.table import TableHandle
from quacklake.format.table import TableName
from tests.support.lakes import lakes_on
from tests.support.writers import TABLE, check_current, delete, increment, rows_from

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


class Interrupted(Session):
    """A session in which others commit between the start of a call and its first look at rows."""

    def __init__(self, session, meanwhile):
        super().__init__(session.catalog, session.storage)
        self.meanwhile = [meanwhile]

    def asked(self, question):
        while self.meanwhile:
            self.meanwhile.pop()()
        return super().asked(question)


def test_a_call_finds_rows_that_duckdb_moves_while_it_starts(request, tmp_path):
    """DuckDB dates the deletion by its first attempt: at the snapshot that we began from."""
    place = lakes_on(Backend.POSTGRES, request, tmp_path).place()
    with ql.connect(place.url, data_path=place.data_path) as lake, place.referee() as duckdb:
        lake.create_table("t", TABLE).append(rows_from(0, 40))
        lake.create_table("other", TABLE)
        delete(0, 12).ours(lake, "t")
        duckdb.execute("BEGIN")
        increment(12, 15).by_duckdb(duckdb, "t")
        lake.table("other").append(rows_from(0, 1))
        handle = TableHandle(
            Interrupted(lake.session, lambda: duckdb.execute("COMMIT")), TableName("main", "t")
        )

        report = handle.update({"n": "n + 1"}, where="k = 20")

        assert report.updated == 1
        once = [(k, 1) for k in range(12, 27) if k != 20]
        check_current(lake, duckdb, "t", [*once, (20, 2), *((k, 0) for k in range(27, 40))])

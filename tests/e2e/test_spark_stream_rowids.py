"""Views of one table that Spark keeps have its row ids, too: executors write them."""

from __future__ import annotations

import pytest

import quacklake as ql
from tests.support.referee import Referee
from tests.support.rowids import DOUBLED, by_id, numbered
from tests.support.spark import ONE_WORKER, held_here_up_to

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), ONE_WORKER]

LINEAR = "select id, v * 2 as w, upper(k) as k from t where v % 3 <> 0"


@pytest.fixture
def lake(tmp_path, spark):
    url = f"sqlite:///{tmp_path}/c.sqlite"
    with ql.connect(url, data_path=f"{tmp_path}/data/", engine="spark") as opened:
        opened.create_table("t", {"id": "bigint", "k": "varchar", "v": "integer"})
        opened.table("t").append(numbered(0, 40))
        opened.table("t").append(numbered(40, 3))
        yield opened


def check(lake) -> None:
    source = by_id(lake, "t", "id", "v", "k")
    kept = {
        i: (d, v * 2, k and k.upper())
        for i, (d, v, k) in source.items()
        if v is not None and v % 3 != 0
    }
    assert by_id(lake, "linear", "id", "w", "k") == kept
    doubled = {i: (w + 1,) for i, (_, w, _) in kept.items() if w % 4 == 0}
    assert by_id(lake, "doubled", "x") == doubled


def change(lake) -> None:
    table = lake.table("t")
    table.append(numbered(50, 4))
    table.append(numbered(60, 25))
    table.update({"v": "v + 1"}, where="id in (1, 2, 5, 41, 61)")
    table.update({"k": "'c'"}, where="id in (7, 42)")
    table.delete("id in (4, 8, 62)")


@pytest.mark.parametrize(
    ("few", "large"), [(100_000, 1_000_000), (3, 2)], ids=["here", "with Spark"]
)
def test_rows_have_the_ids_of_the_rows_they_come_from(lake, tmp_path, monkeypatch, few, large):
    held_here_up_to(large, monkeypatch)
    monkeypatch.setattr("quacklake.pipeline.refreshing._FEW", few)
    made = lake.create_stream_table("linear", LINEAR)
    above = lake.create_stream_table("doubled", DOUBLED)
    assert made.definition.settings.row_ids
    assert above.definition.settings.row_ids
    check(lake)
    at = lake.snapshots()[-1].id

    for move in (lake.flush_inlined_data, lake.merge_adjacent_files, lake.rewrite_data_files):
        change(lake)
        move()
        assert {each.mode for each in lake.refresh(mode="incremental")} == {"incremental"}
        check(lake)
    change(lake)
    lake.refresh(mode="full")

    check(lake)
    with Referee(f"sqlite:{tmp_path}/c.sqlite") as duck:
        theirs = "SELECT rowid, id, v * 2, upper(k) FROM t WHERE v % 3 <> 0 ORDER BY rowid"
        assert duck.rows(theirs) == duck.rows("SELECT rowid, id, w, k FROM linear ORDER BY rowid")
    made.rewind(snapshot=at)
    above.refresh()
    lake.refresh(mode="incremental")
    check(lake)
    assert made.verify()
    assert above.verify()
    assert "by row id" in made.explain().identity


def test_updates_and_copies_are_told_by_id(lake):
    lake.create_stream_table("linear", LINEAR)
    copies = lake.create_stream_table("copies", "select k from t")
    source = by_id(lake, "t", "id", "k")
    before = lake.snapshots()[-1].id
    lake.table("t").delete("id = 3")
    lake.table("t").update({"v": "v + 1"}, where="id = 1")

    lake.refresh(mode="incremental")

    assert by_id(lake, "copies", "k") == {i: (k,) for i, (d, k) in source.items() if d != 3}
    told = lake.table("linear").changes(before).to_arrow().to_pylist()
    [own] = [i for i, (d, _) in source.items() if d == 1]
    found = {(row["rowid"], row["change_type"], row["w"]) for row in told if row["id"] == 1}
    assert found == {(own, "update_preimage", 2), (own, "update_postimage", 4)}
    assert copies.verify()

"""Rows are found though somebody else took, doubled or renumbered their row ids."""

from __future__ import annotations

import sqlite3

import pyarrow as pa
import pytest

import quacklake as ql
from tests.support.rowids import (
    DOUBLED,
    LINEAR,
    by_id,
    change,
    check,
    numbered,
    opened,
    small_lake,
)


@pytest.fixture(params=[0, 10], ids=["files", "inlined"])
def place(request, tmp_path):
    return small_lake(request, tmp_path, request.param)


@pytest.fixture
def lake(place):
    with opened(place) as made:
        yield made


def test_a_row_that_must_go_and_is_not_there_stops_the_refresh(place):
    with opened(place) as lake:
        made = lake.create_stream_table("linear", LINEAR)
        lake.flush_inlined_data()
    with place.referee() as duck:
        duck.execute("DELETE FROM linear WHERE id = 1")
    with opened(place) as lake:
        made = lake.stream_table("linear")
        before = by_id(lake, "linear", "id")
        lake.table("t").delete("id = 1")

        with pytest.raises(ql.CorruptLake, match="removes 1 rows, of which 0 are there"):
            made.refresh(mode="incremental")

        assert by_id(lake, "linear", "id") == before
        made.refresh(mode="full")
        check(lake)


def test_rows_that_share_an_id_are_told_apart_by_their_values(place):
    with opened(place) as lake:
        lake.create_stream_table("linear", LINEAR)
        highest = max(by_id(lake, "linear", "id"))
    with place.referee() as duck:
        duck.execute("INSERT INTO linear VALUES (99, 8, 'z')")
        [(given,)] = duck.rows("SELECT rowid FROM linear WHERE id = 99")
        assert given > highest
    with opened(place) as lake:
        made = lake.stream_table("linear")
        while max(by_id(lake, "t", "id")) < given:
            lake.table("t").append(numbered(15, 1))
        [own] = by_id(lake, "t", "id")[given]
        lake.table("t").update({"id": "50", "v": "1"}, where=f"id = {own}")
        made.refresh(mode="incremental")
        ids = lake.table("linear").scan(["rowid"], filter="id in (50, 99)").to_arrow()
        assert ids.column(0).to_pylist().count(given) == 2
        lake.table("t").delete("id = 50")
        if not lake.table("linear").files():
            with pytest.raises(ql.CorruptLake, match="share a row id"):
                made.refresh(mode="incremental")
        lake.flush_inlined_data("linear")

        made.refresh(mode="incremental")

        left = lake.table("linear").scan(["id"], filter="id >= 50").to_arrow()
        assert left.column(0).to_pylist() == [99]


def test_rows_that_duckdb_numbers_anew_are_still_found(place):
    with opened(place) as lake:
        lake.set_option("data_inlining_row_limit", 0, table="t")
        made = lake.create_stream_table("linear", LINEAR)
        doubled = lake.create_stream_table("doubled", DOUBLED)
        for chosen in ("2, 4", "5, 7", "9, 10"):
            lake.table("t").update({"v": "v + 3"}, where=f"id in ({chosen})")
        lake.refresh(mode="incremental")
        check(lake)
        old = by_id(lake, "t", "id")
    with place.referee() as duck:
        duck.execute("CALL ducklake_merge_adjacent_files('lake', 't')")
    with opened(place) as lake:
        made, doubled = lake.stream_table("linear"), lake.stream_table("doubled")
        assert by_id(lake, "t", "id") != old, "DuckDB keeps row ids now"
        assert made.verify()
        assert made.refresh(mode="incremental").mode == "no-change"
        assert "checked by content" in made.explain().identity
        lake.table("t").update({"v": "v + 4"}, where="id in (4, 5)")
        lake.table("t").delete("id in (2, 7, 10)")

        lake.refresh(mode="incremental")

        assert made.verify()
        assert doubled.verify()
        lake.refresh(mode="full")
        check(lake)
        assert "checked" not in made.explain().identity
        assert "checked" not in doubled.explain().identity


def test_rows_without_their_ids_are_found_by_their_values(place):
    values = [0.0, -0.0, 0.0, float("nan"), None, 1.5, 1.5, 1.5]
    with opened(place) as lake:
        lake.create_table("f", {"id": "bigint", "x": "double"})
        lake.table("f").append(pa.table({"id": list(range(8)), "x": pa.array(values)}))
        lake.create_stream_table("linear", "select x from f")
    with place.referee() as duck:
        duck.execute("CREATE TABLE saved AS FROM linear")
        duck.execute("DELETE FROM linear")
        duck.execute("INSERT INTO linear FROM saved")
    with opened(place) as lake:
        made = lake.stream_table("linear")
        for chosen in ("id in (1, 3, 5)", "id in (0, 4)", "id = 6"):
            lake.table("f").delete(chosen)

            made.refresh(mode="incremental")

            assert made.verify()
        assert sorted(made.to_arrow().column("x").to_pylist()) == [0.0, 1.5]


def test_a_source_that_lost_its_row_ids_is_refused(place):
    with opened(place) as lake:
        lake.set_option("data_inlining_row_limit", 0)
        lake.create_table("bare", {"id": "bigint"})
        lake.table("bare").append(pa.table({"id": [1, 2, 3]}))
        made = lake.create_stream_table("kept", "select id from bare")
        lake.table("bare").append(pa.table({"id": [4]}))
        [newest] = [file for file in lake.table("bare").files() if file.rows == 1]
        with sqlite3.connect(place.target.removeprefix("sqlite:")) as con:
            name = newest.path.rpartition("/")[2]
            con.execute("UPDATE ducklake_data_file SET row_id_start = NULL WHERE path = ?", (name,))
    with opened(place) as lake:
        made = lake.stream_table("kept")
        for mode in ("incremental", "full"):
            with pytest.raises(ql.CorruptLake, match="rows without row ids"):
                made.refresh(mode=mode)
        with pytest.raises(ql.CorruptLake, match="rows without row ids"):
            lake.create_stream_table("other", "select id from bare")
        assert made.to_arrow().num_rows == 3


def test_encrypted_results_have_row_ids_too(tmp_path):
    url, data = f"sqlite:///{tmp_path}/c.sqlite", f"{tmp_path}/data/"
    with ql.connect(url, data_path=data, engine="local", encrypted=True) as lake:
        lake.set_option("data_inlining_row_limit", 0)
        lake.create_table("t", numbered(0, 30))
        made = lake.create_stream_table("linear", LINEAR)
        change(lake)
        lake.table("t").update({"v": "v + 1"}, where="id < 3")

        made.refresh(mode="incremental")

        check(lake)


def test_our_own_merges_leave_no_doubt(lake):
    made = lake.create_stream_table("linear", LINEAR)
    change(lake)
    lake.merge_adjacent_files()
    lake.flush_inlined_data()
    made.refresh(mode="incremental")
    lake.merge_adjacent_files()

    made.refresh(mode="incremental")

    assert not made.definition.settings.doubt
    check(lake)


def test_duckdb_merges_results_and_leaves_their_ids(place):
    with opened(place) as lake:
        lake.set_option("data_inlining_row_limit", 0)
        lake.create_table("u", {"id": "bigint", "v": "bigint"})
        lake.table("u").append(pa.table({"id": list(range(100)), "v": [0] * 100}))
        lake.create_stream_table("linear", "select id, v from u where v > 0")
        for chosen in ("50, 51", "30, 31", "70, 71"):
            lake.table("u").update({"v": "5"}, where=f"id in ({chosen})")
            lake.refresh(mode="incremental")
        before = by_id(lake, "linear", "id")
        assert len(lake.table("linear").files()) == 3
    with place.referee() as duck:
        duck.execute("CALL ducklake_merge_adjacent_files('lake', 'linear')")
        assert dict(duck.rows("SELECT rowid, id FROM linear")) == {
            i: d for i, (d,) in before.items()
        }
    with opened(place) as lake:
        assert len(lake.table("linear").files()) == 1
        lake.table("u").delete("id in (30, 70)")
        lake.refresh(mode="incremental")
        assert lake.stream_table("linear").verify()

"""A view of one table keeps its rows under the row ids of the rows they come from."""

from __future__ import annotations

import json
import sqlite3
from functools import partial

import pyarrow as pa
import pytest

from tests.support.rowids import (
    DOUBLED,
    LINEAR,
    by_id,
    change,
    check,
    derived,
    next_row_id,
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


def test_rows_have_the_ids_of_the_rows_they_come_from(place, lake):
    made = lake.create_stream_table("linear", LINEAR)
    assert made.definition.settings.row_ids
    check(lake)
    change(lake)

    assert made.refresh(mode="incremental").mode == "incremental"

    check(lake)
    assert next_row_id(place, lake, "linear") > max(by_id(lake, "linear", "id"))
    assert "found by row id" in str(made.explain())


def test_an_update_of_a_source_row_is_an_update_of_the_result_row(place, lake):
    made = lake.create_stream_table("linear", LINEAR)
    lake.table("t").update({"v": "v + 1"}, where="id in (0, 1)")
    before = lake.snapshots()[-1].id

    made.refresh(mode="incremental")

    ids = {row[0]: i for i, row in by_id(lake, "t", "id").items()}
    told = lake.table("linear").changes(before).to_arrow().to_pylist()
    found = sorted((row["rowid"], row["change_type"], row["id"], row["w"]) for row in told)
    assert found == [
        (ids[0], "insert", 0, 2),
        (ids[1], "update_postimage", 1, 4),
        (ids[1], "update_preimage", 1, 2),
    ]
    with place.referee() as duck:
        theirs = duck.rows(
            "SELECT rowid, change_type, id, w FROM "
            f"ducklake_table_changes('lake', 'main', 'linear', {before + 1}, {before + 1})"
        )
    assert sorted(theirs) == found


def test_of_equal_rows_the_one_goes_whose_source_went(lake):
    made = lake.create_stream_table("linear", "select k from t")
    source = by_id(lake, "t", "id", "k")
    lake.table("t").delete("id = 4")

    made.refresh(mode="incremental")

    assert by_id(lake, "linear", "k") == {i: (k,) for i, (d, k) in source.items() if d != 4}


def test_moving_rows_moves_no_id(lake):
    made = lake.create_stream_table("linear", LINEAR)
    for name in ("t", "linear"):
        for move in (
            lake.flush_inlined_data,
            lake.merge_adjacent_files,
            partial(lake.rewrite_data_files, delete_threshold=0.01),
        ):
            change(lake)
            move(name)
            made.refresh(mode="incremental")
            check(lake)
            move(name)
            check(lake)
            lake.table("t").delete("id % 5 = 1")
            made.refresh(mode="incremental")
            check(lake)


def test_duckdb_reads_the_same_ids_and_goes_on_with_the_lake(place):
    with opened(place) as lake:
        lake.create_stream_table("linear", LINEAR)
        lake.create_stream_table("doubled", DOUBLED)
        change(lake)
        lake.refresh(mode="incremental")
    with place.referee() as duck:
        theirs = (
            "SELECT rowid, id, v * 2, k FROM t WHERE v % 3 <> 0 ORDER BY rowid",
            "SELECT rowid, id, w, k FROM linear ORDER BY rowid",
        )
        assert duck.rows(theirs[0]) == duck.rows(theirs[1])
        duck.execute("CREATE TABLE other AS SELECT range AS i FROM range(20)")
        duck.execute("UPDATE t SET v = v + 1 WHERE id % 4 = 0")
        duck.execute("DELETE FROM t WHERE id = 3")
        duck.execute("INSERT INTO t SELECT 100 + range, 'd', range FROM range(30)")
        duck.execute("CALL ducklake_flush_inlined_data('lake')")
        duck.execute("CALL ducklake_merge_adjacent_files('lake')")
        duck.execute("CALL ducklake_rewrite_data_files('lake', delete_threshold => 0.01)")
    with opened(place) as lake:
        lake.refresh(mode="incremental")
        check(lake)
        assert lake.stream_table("doubled").verify()
    with place.referee() as duck:
        assert duck.rows(theirs[0]) == duck.rows(theirs[1])
        duck.execute("CALL ducklake_merge_adjacent_files('lake')")
        duck.execute("CALL ducklake_expire_snapshots('lake', older_than => now())")
        duck.execute("CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")
        duck.execute("UPDATE t SET v = v + 1 WHERE id % 4 = 1")
        assert duck.rows("SELECT count(*) FROM linear")
    with opened(place) as lake:
        lake.refresh()
        check(lake)


def test_ids_that_duckdb_gives_in_the_result_are_new_ones(place):
    with opened(place) as lake:
        lake.create_stream_table("linear", "select * from t where id >= 14")
        highest = max(by_id(lake, "linear", "id"))
    with place.referee() as duck:
        duck.execute("INSERT INTO linear VALUES (99, 'z', 1)")
        [(given,)] = duck.rows("SELECT rowid FROM linear WHERE id = 99")
        assert given > highest


def test_stacked_views_keep_the_ids_of_the_first_source(lake):
    lake.create_stream_table("linear", LINEAR)
    doubled = lake.create_stream_table("doubled", DOUBLED)
    totals = lake.create_stream_table("totals", "select k, count(*) as n from linear group by k")
    large = lake.create_stream_table("large", "select k from totals where n > 1")

    for _ in range(2):
        change(lake)
        done = lake.refresh(mode="incremental")
        assert {report.mode for report in done} == {"incremental"}
        check(lake)
        expected = {i: (w + 1,) for i, (_, w, _) in derived(lake).items() if w % 4 == 0}
        assert by_id(lake, "doubled", "x") == expected

    assert doubled.definition.settings.row_ids
    assert not large.definition.settings.row_ids
    assert all(each.verify() for each in (doubled, totals, large))
    found = [str(each.explain()) for each in (doubled, totals, large)]
    for text, way in zip(found, ("by row id", "by key", "by content"), strict=True):
        assert f"found {way}" in text


def test_a_source_made_anew_gives_its_own_ids(lake):
    made = lake.create_stream_table("linear", LINEAR)
    lake.drop_table("t")
    lake.create_table("t", numbered(3, 14))

    report = made.refresh()

    assert (report.mode, report.reason) == ("full", "'main.t' was made anew")
    check(lake)
    change(lake)
    made.refresh(mode="incremental")
    check(lake)


def test_a_replaced_source_without_ids_of_its_own_is_met_by_content(lake):
    lake.create_stream_table("linear", LINEAR)
    made = lake.create_stream_table("doubled", DOUBLED)
    again = "select min(id) as id, v * 2 as w, min(k) as k from t group by v"
    lake.create_stream_table("linear", again, replace=True)

    lake.refresh()

    assert not made.definition.settings.row_ids
    change(lake)
    assert {each.mode for each in lake.refresh(mode="incremental")} == {"incremental"}
    assert made.verify()
    lake.create_stream_table("linear", LINEAR, replace=True)
    lake.refresh()
    assert made.definition.settings.row_ids
    change(lake)
    lake.refresh(mode="incremental")
    check(lake)
    assert made.verify()


def test_replace_rewind_and_full_refresh_keep_the_ids(lake):
    made = lake.create_stream_table("linear", "select id, k from t")
    made = lake.create_stream_table("linear", LINEAR, replace=True)
    check(lake)
    first, at = by_id(lake, "linear", "id", "w", "k"), lake.snapshots()[-1].id
    change(lake)
    made.refresh(mode="full")
    check(lake)
    before = lake.snapshots()[-1].id

    made.rewind(snapshot=at)

    assert by_id(lake, "linear", "id", "w", "k") == first
    assert lake.table("linear").changes(before).to_arrow().num_rows
    made.refresh(mode="incremental")
    check(lake)
    assert made.refresh(mode="full").rows_out == 0


def test_large_results_are_written_anew_with_their_ids(lake, monkeypatch):
    monkeypatch.setattr("quacklake.pipeline.refreshing._FEW", 3)
    made = lake.create_stream_table("linear", LINEAR)
    above = lake.create_stream_table("doubled", DOUBLED)
    change(lake)

    lake.refresh(mode="full")

    check(lake)
    assert above.verify()
    change(lake)
    lake.refresh(mode="incremental")
    check(lake)
    made.refresh(mode="full")
    assert {each.mode for each in lake.refresh(mode="incremental")} == {"incremental", "no-change"}
    assert above.verify()


def test_what_was_declared_without_ids_goes_on_by_content(place):
    with opened(place) as lake:
        made = lake.create_stream_table("linear", LINEAR)
        forget_ids(place)
        change(lake)

        assert made.refresh(mode="incremental").mode == "incremental"

        assert not made.definition.settings.row_ids
        assert made.verify()
        assert "found by content" in str(made.explain())
        lake.table("t").delete("id % 2 = 0")
        made.refresh(mode="incremental")
        assert made.verify()

        made.refresh(mode="full")

        assert made.definition.settings.row_ids
        check(lake)
        change(lake)
        made.refresh(mode="incremental")
        check(lake)


def forget_ids(place) -> None:
    """Make a stream table look as if it had been declared before there was a choice."""
    with sqlite3.connect(place.target.removeprefix("sqlite:")) as con:
        [(text,)] = con.execute("SELECT settings FROM quacklake_stream_table").fetchall()
        known = json.loads(text)
        assert known.pop("row_ids") == "kept"
        con.execute("UPDATE quacklake_stream_table SET settings = ?", (json.dumps(known),))


@pytest.mark.parametrize("name", ["__row_id", "rowid", "_ROWID", "__weight_"])
def test_columns_may_have_any_name(lake, name):
    lake.create_table("odd", {name: "bigint", "v": "bigint"})
    lake.table("odd").append(pa.table({name: [7, 7, 8], "v": [1, 2, 3]}))
    made = lake.create_stream_table("linear", f"select `{name}`, v as `{name}_` from odd")
    other = lake.create_stream_table("renamed", f"select v as `{name}` from odd")
    lake.table("odd").delete("v = 1")
    lake.table("odd").append(pa.table({name: [9], "v": [4]}))

    lake.refresh(mode="incremental")

    assert made.verify()
    assert other.verify()
    assert made.definition.settings.row_ids == (name != "__row_id")


def test_a_view_that_reads_no_column_has_the_ids_too(lake):
    made = lake.create_stream_table("ones", "select 1 as one from t")
    change(lake)

    made.refresh(mode="incremental")

    assert by_id(lake, "ones").keys() == by_id(lake, "t").keys()
    assert made.verify()

"""A view of one table keeps its rows under the row ids of the rows they come from."""

from __future__ import annotations

import json
import sqlite3
from functools import partial

import pyarrow as pa
import pytest

import quacklake as ql
from quacklake.catalog import Backend
from tests.support.lakes import lakes_on

LINEAR = "select id, v * 2 as w, k from t where v % 3 <> 0"
DOUBLED = "select w + 1 as x from linear where w % 4 = 0"


@pytest.fixture(params=[0, 10], ids=["files", "inlined"])
def place(request, tmp_path):
    made = lakes_on(Backend.SQLITE, request, tmp_path).place()
    with opened(made) as lake:
        lake.set_option("data_inlining_row_limit", request.param)
        lake.create_table("t", {"id": "bigint", "k": "varchar", "v": "integer"})
        lake.table("t").append(numbered(0, 12))
        lake.table("t").append(numbered(12, 3))
    return made


@pytest.fixture
def lake(place):
    with opened(place) as made:
        yield made


def opened(place) -> ql.Lake:
    return ql.connect(place.url, data_path=place.data_path, engine="local")


def numbered(start: int, count: int) -> pa.Table:
    ids = range(start, start + count)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "k": [["a", None, "b"][i % 3] for i in ids],
            "v": pa.array([i % 7 for i in ids], pa.int32()),
        }
    )


def by_id(lake, name: str, *columns: str, snapshot: int | None = None) -> dict[int, tuple]:
    found = lake.table(name).scan(["rowid", *columns], snapshot=snapshot).to_arrow().to_pylist()
    rows = {row.pop("rowid"): tuple(row.values()) for row in found}
    assert len(rows) == len(found), "a row id occurs twice"
    return rows


def derived(lake) -> dict[int, tuple]:
    """What the rows of LINEAR are, and their ids."""
    source = by_id(lake, "t", "id", "v", "k")
    return {i: (d, v * 2, k) for i, (d, v, k) in source.items() if v is not None and v % 3 != 0}


def check(lake) -> None:
    stored = by_id(lake, "linear", "id", "w", "k")
    assert stored == derived(lake)
    assert lake.stream_table("linear").verify()


def next_row_id(place, lake, name: str) -> int:
    table = lake.table(name).described().id
    with sqlite3.connect(place.target.removeprefix("sqlite:")) as con:
        return con.execute(
            "SELECT next_row_id FROM ducklake_table_stats WHERE table_id = ?", (int(table),)
        ).fetchone()[0]


def change(lake) -> None:
    table = lake.table("t")
    table.append(numbered(20, 4))
    table.append(numbered(30, 25))
    table.update({"v": "v + 1"}, where="id in (1, 2, 5, 21, 31)")
    table.update({"k": "'c'"}, where="id in (7, 32)")
    table.delete("id in (4, 8, 33)")


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

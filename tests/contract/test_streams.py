"""Stream tables on every kind of catalog: entered, refreshed, altered, rewound and dropped."""

from __future__ import annotations

import pyarrow as pa
import pytest

import quacklake as ql

TOTALS = "select k, count(*) as n, sum(v) as total from t group by k"


@pytest.fixture
def lake(lakes):
    place = lakes.place()
    with ql.connect(place.url, data_path=place.data_path, engine="local") as opened:
        opened.create_table("t", {"id": "bigint", "k": "integer", "v": "integer"})
        opened.table("t").append(numbered(0, 20))
        yield opened


def numbered(start: int, count: int) -> pa.Table:
    ids = range(start, start + count)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "k": pa.array([i % 3 or None for i in ids], pa.int32()),
            "v": pa.array(ids, pa.int32()),
        }
    )


def rows(table) -> list[tuple[object, ...]]:
    return sorted((tuple(row.values()) for row in table.to_arrow().to_pylist()), key=repr)


def test_a_stream_table_lives_through_everything(lake):
    totals = lake.create_stream_table("totals", TOTALS, schedule="5m")
    large = lake.create_stream_table("large", "select k, total from totals where total > 60")
    first = rows(totals)
    at = lake.snapshots()[-1].id
    lake.table("t").append(numbered(100, 12))
    lake.table("t").delete("id in (1, 2, 3)")

    done = lake.refresh()

    assert [report.mode for report in done] == ["incremental", "incremental"]
    expected = lake.sql("select k, count(*), sum(v)::bigint from t group by k", engine="local")
    assert rows(totals) == rows(expected)
    assert totals.verify()
    assert large.verify()
    assert [report.mode for report in lake.refresh()] == ["no-change", "no-change"]
    assert totals.frontier["ducklake:main.t"]["snapshot_id"] == lake.snapshots()[-1].id
    assert [past.report.mode for past in totals.history()] == ["incremental", "full"]

    totals.alter(schedule="1 hour", mode="full")
    assert totals.definition.settings.schedule == "1 hour"
    assert totals.rewind(snapshot=at).mode == "full"
    assert rows(totals) == first
    assert totals.refresh(mode="incremental").mode == "incremental"
    assert rows(totals) == rows(expected)

    totals.drop(cascade=True)
    assert lake.stream_tables() == ()
    assert [table.name for table in lake.tables()] == ["t"]


def test_rows_of_a_view_of_one_table_have_its_row_ids(lake):
    large = lake.create_stream_table("large", "select id, v * 2 as w from t where v > 10")
    larger = lake.create_stream_table("larger", "select w from large where w > 30")
    lake.table("t").append(numbered(100, 12))
    lake.table("t").append(numbered(200, 2))
    lake.table("t").update({"v": "v + 3"}, where="id in (9, 12, 201)")
    lake.table("t").delete("id in (13, 101)")

    lake.refresh(mode="incremental")

    ids = lake.table("t").scan(["rowid", "v"], filter="v > 10").to_arrow().to_pylist()
    source = {row["rowid"]: row["v"] * 2 for row in ids}
    for table, least in ((large, 0), (larger, 30)):
        found = table.scan(["rowid", "w"]).to_arrow().to_pylist()
        stored = {row["rowid"]: row["w"] for row in found}
        assert stored == {i: w for i, w in source.items() if w > least}
        assert table.definition.settings.row_ids
    lake.flush_inlined_data()
    lake.merge_adjacent_files()
    lake.table("t").delete("id % 2 = 0")
    lake.refresh(mode="incremental")
    assert large.verify()
    assert larger.verify()


def test_what_is_kept_is_not_changed_by_hand(lake):
    totals = lake.create_stream_table("totals", TOTALS)
    before = rows(totals)

    for attempt in (
        lambda: lake.table("totals").delete("n > 0"),
        lambda: lake.table("totals").append(totals.to_arrow()),
        lambda: lake.drop_table("totals"),
        lambda: lake.table("totals").rename_column("n", "m"),
        lambda: lake.sql("delete from totals"),
    ):
        with pytest.raises(ql.UsageError, match="kept by a stream table"):
            attempt()

    assert rows(totals) == before
    lake.merge_adjacent_files("totals")
    lake.flush_inlined_data("totals")
    assert totals.verify()

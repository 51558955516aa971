"""A refresh is killed at every step: result, state and frontier are all there, or none of them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from quacklake.catalog import Backend
from quacklake.catalog.writer import Step
from tests.support.lakes import lakes_on
from tests.support.streams import Streams, opened
from tests.support.victims import killed, refresh
from tests.support.writers import check_catalog

QUERIES = {
    "grouped": "select k, sum(v) as s, count(*) as n from t group by k",
    "linear": "select id, v from t where v > 10",
    "stacked": "select n, count(*) as groups from grouped group by n",
}
OWN_STEPS = ["computed", "table 1 staged", "table 2 staged", "table 4 staged"]
COMMIT_STEPS = [str(step) for step in Step]


def rows(first, count, k=None):
    return pa.table(
        {
            "id": pa.array(range(first, first + count), pa.int64()),
            "k": pa.array([i % 4 if k is None else k for i in range(count)], pa.int32()),
            "v": pa.array([i % 30 for i in range(count)], pa.int32()),
        }
    )


def prepared(place):
    """A lake whose stream tables have something to do; the snapshot where they stand."""
    with opened(place) as lake:
        lake.set_option("data_inlining_row_limit", 0)
        lake.create_table("t", {"id": "bigint", "k": "int", "v": "int"}).append(rows(0, 40))
        lake.create_table("aside", {"id": "bigint", "k": "int", "v": "int"})
        for name, query in QUERIES.items():
            lake.create_stream_table(name, query)
        lake.table("t").append(rows(100, 10))
        lake.refresh()
        stands = lake.stream_table("grouped").frontier["ducklake:main.t"]["snapshot_id"]
        lake.table("t").delete("id in (3, 4, 105)")
        lake.table("t").append(rows(200, 3, k=9))
    return stands


@pytest.fixture(params=[Backend.SQLITE, Backend.POSTGRES])
def place(request, tmp_path):
    return lakes_on(request.param, request, tmp_path).place()


def files_below(place, lake):
    """The files in the folders of the lake's tables; clean-up looks nowhere else."""
    folders = [Path(place.data_path, each.schema, each.name) for each in lake.tables()]
    return {path.name for folder in folders for path in folder.rglob("*.parquet")}


def known_files(referee):
    meta = "__ducklake_metadata_lake"
    parts = ("data_file", "delete_file", "files_scheduled_for_deletion")
    named = referee.rows(" UNION ".join(f"SELECT path FROM {meta}.ducklake_{p}" for p in parts))
    return {Path(path).name for (path,) in named}


def check_after(place, names=tuple(QUERIES)):
    """Everything stands where it says; clean-up and the next refreshes go on from there."""
    with opened(place) as lake:
        made = Streams(place, lake)
        for name in names:
            view = lake.stream_table(name)
            made.views[name], made.queries[name] = view, view.query
            made.shapes[name] = view.table.schema
            assert view.verify().ok, f"{name} is not what its frontier says"
        with place.referee() as referee:
            check_catalog(referee)
            stray = files_below(place, lake) - known_files(referee)
            removed = lake.delete_orphaned_files(older_than="0 seconds")
            assert {Path(path).name for path in removed} == stray
            assert files_below(place, lake) <= known_files(referee)
        lake.refresh()
        made.check()
        lake.table("t").update({"v": "v + 1"}, where="k = 2")
        assert {str(each.mode) for each in lake.refresh()} <= {"incremental", "no-change"}
        made.check()


def stood(place, name):
    with opened(place) as lake:
        return lake.stream_table(name).frontier, len(lake.stream_table(name).history())


@pytest.mark.parametrize("step", OWN_STEPS + COMMIT_STEPS)
def test_a_killed_refresh_is_there_whole_or_not_at_all(place, step):
    stands = prepared(place)
    before = {name: stood(place, name) for name in QUERIES}

    killed(refresh, place.url, "refresh", step, str(stands))

    after = {name: stood(place, name) for name in QUERIES}
    if step == Step.AFTER_COMMIT:
        assert all(after[name] != before[name] for name in QUERIES)
    else:
        assert after == before
    check_after(place)


REACHED = """with recursive r as (select child from edges where parent = 0 union all
    select e.child from r join edges e on e.parent = r.child) select child from r"""


@pytest.mark.parametrize("step", [*OWN_STEPS[:3], *COMMIT_STEPS])
def test_a_killed_recursion_goes_on_from_where_it_stood(step, request, tmp_path):
    place = lakes_on(Backend.SQLITE, request, tmp_path).place()
    with opened(place) as lake:
        lake.set_option("data_inlining_row_limit", 0)
        edges = lake.create_table("edges", pa.table({"parent": [0, 1, 5], "child": [1, 2, 6]}))
        lake.create_stream_table("reached", REACHED, mode="incremental")
        edges.append(pa.table({"parent": [2, 3], "child": [3, 5]}))

    killed(refresh, place.url, "refresh", step, "")

    with opened(place) as lake:
        view = lake.stream_table("reached")
        stood = 5 if step == Step.AFTER_COMMIT else 2
        assert view.to_arrow().num_rows == stood
        assert view.verify()
        lake.table("edges").append(pa.table({"parent": [6], "child": [7]}))
        assert view.refresh().mode == "incremental"
        assert sorted(view.to_arrow().column("child").to_pylist()) == [1, 2, 3, 5, 6, 7]
        assert view.verify()


@pytest.mark.parametrize("step", [Step.BEGUN, Step.APPLIED, Step.AFTER_COMMIT])
@pytest.mark.parametrize("change", ["full", "rewind", "no change"])
def test_other_refreshes_that_are_killed_leave_no_half_result(change, step, request, tmp_path):
    place = lakes_on(Backend.SQLITE, request, tmp_path).place()
    stands = prepared(place)
    if change == "no change":
        with opened(place) as lake:
            lake.refresh()
            lake.table("aside").append(rows(0, 1))

    killed(refresh, place.url, change, str(step), str(stands))

    check_after(place)


@pytest.mark.parametrize("step", [Step.CLAIMED, Step.APPLIED, Step.AFTER_COMMIT])
@pytest.mark.parametrize("change", ["declare", "drop"])
def test_a_stream_table_is_declared_and_dropped_whole_or_not_at_all(
    change, step, request, tmp_path
):
    place = lakes_on(Backend.SQLITE, request, tmp_path).place()
    stands = prepared(place)

    killed(refresh, place.url, change, str(step), str(stands))

    landed = step == Step.AFTER_COMMIT
    names = {("declare", True): (*QUERIES, "declared"), ("drop", True): ("linear",)}
    expected = names.get((change, landed), tuple(QUERIES))
    with opened(place) as lake:
        assert {each.name for each in lake.stream_tables()} == {f"main.{n}" for n in expected}
        states = [each for each in lake.tables() if each.schema == "_quacklake"]
        assert len(states) == {"declare": 3, "drop": 0}[change] if landed else len(states) == 2
    check_after(place, expected)

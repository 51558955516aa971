"""Stream tables over stream tables: all of them see their sources at one snapshot."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from quacklake.catalog import Backend
from quacklake.kernel.errors import UsageError
from tests.support.examples import examples
from tests.support.ivm_world import on_duckdb, table
from tests.support.lakes import Lakes
from tests.support.streams import Changing, Streams, arrow_rows, make_source, streams

pytestmark = pytest.mark.slow

TABLES = (table("t", "id int, k int, v int"), table("u", "k int, w int"))
STACK = {
    "sums": "select k, sum(v) as s from t group by k",
    "counts": "select k, count(*) as n, max(v) as top from t group by k",
    "wide": "select s.k, s.s, c.n, u.w from sums s join counts c on s.k <=> c.k "
    "left join u on u.k = s.k",
    "total": "select count(*) as c, sum(s) as s, max(n) as n from wide",
    "best": "select k, s from wide order by s desc, k, n, w limit 3",
    "rest": "select t.id, b.s from t left join best b on t.k = b.k",
}


def oracle(name: str) -> str:
    """The query of a stream table over the tables below all of them."""
    parts = ", ".join(f"{each} AS ({on_duckdb(query)})" for each, query in STACK.items())
    return f"WITH {parts} SELECT * FROM {name}"


def stacked(made: Streams, random: Random) -> Streams:
    for each in TABLES:
        make_source(made.lake, each)
        made.lake.table(each.name).append(arrow_rows(random, each, 9))
    for name, query in STACK.items():
        made.keep(name, query, oracle=oracle(name))
    return made


@pytest.fixture
def made(tmp_path):
    with streams(Lakes(Backend.SQLITE, tmp_path).place()) as found:
        yield stacked(found, Random(5))


@pytest.fixture(scope="module")
def lakes(tmp_path_factory):
    return Lakes(Backend.SQLITE, tmp_path_factory.mktemp("lakes"))


@settings(max_examples=examples(4), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.randoms(use_true_random=False))
def test_a_diamond_refreshed_at_once_is_exact_after_every_window(lakes, random):
    with streams(lakes.place()) as made:
        stacked(made, random)
        for window in range(3):
            changing = Changing(made.lake, random, TABLES)
            changing.window()
            note(f"window: {', '.join(changing.done)}")
            names = list(STACK)
            random.shuffle(names)
            reports = made.lake.refresh(names)
            assert {str(each.mode) for each in reports} <= {"incremental", "no-change"}
            assert len({each.snapshot_id for each in reports}) == 1, "one snapshot for all"
            made.check(verify=window == 2)


def test_each_on_its_own_in_order_gets_to_the_same(made):
    changing = Changing(made.lake, Random(1), TABLES)
    for _ in range(3):
        changing.window()
        made.refreshed()
        made.check()


def test_a_stream_table_whose_source_was_not_refreshed_has_nothing_to_do(made):
    made.lake.table("t").append(arrow_rows(Random(2), TABLES[0], 5))

    assert str(made.views["total"].refresh(mode="incremental").mode) == "no-change"
    assert made.views["total"].verify().ok
    made.lake.refresh(["sums", "wide"])
    assert made.views["wide"].verify().ok
    made.lake.refresh()
    made.check()


def test_what_reads_a_table_that_was_computed_anew_is_exact_with_it(made):
    made.lake.drop_table("u")
    make_source(made.lake, TABLES[1])
    made.lake.table("u").append(arrow_rows(Random(3), TABLES[1], 4))

    reports = {each.name: each for each in made.lake.refresh()}

    assert str(reports["main.wide"].mode) == "full"
    assert str(reports["main.sums"].mode) == "no-change"
    made.check()
    made.lake.table("u").append(arrow_rows(Random(4), TABLES[1], 2))
    assert {str(each.mode) for each in made.lake.refresh()} <= {"incremental", "no-change"}
    made.check()


def test_a_source_that_went_back_takes_its_readers_along(made):
    start = made.views["sums"].frontier["ducklake:main.t"]["snapshot_id"]
    made.lake.table("t").append(arrow_rows(Random(6), TABLES[0], 6))
    made.lake.refresh()

    made.views["sums"].rewind(snapshot=start)

    assert made.views["sums"].verify().ok
    for name in ("wide", "total", "best", "rest"):
        made.views[name].refresh()
        assert made.views[name].verify().ok
    made.lake.refresh()
    made.check()


def test_history_that_is_gone_is_noticed_where_only_the_same_refresh_changes_a_source(made):
    made.lake.refresh()
    made.lake.table("u").append(arrow_rows(Random(8), TABLES[1], 1))
    stands = made.views["total"].frontier["ducklake:main.wide"]["snapshot_id"]
    made.lake.table("t").append(arrow_rows(Random(8), TABLES[0], 1))
    with made.place.referee() as referee:
        referee.rows(f"CALL ducklake_expire_snapshots('lake', versions => [{stands}])")

    reports = {each.name: each for each in made.lake.refresh()}

    assert f"snapshot {stands}" in reports["main.total"].reason
    made.check()


def test_a_refresh_of_several_changes_nothing_if_one_fails(made):
    made.lake.table("t").append(arrow_rows(Random(7), TABLES[0], 6))
    before = {name: view.to_arrow() for name, view in made.views.items()}
    frontiers = {name: view.frontier for name, view in made.views.items()}
    with made.place.referee() as referee:
        referee.execute("DELETE FROM total")

    with pytest.raises(Exception, match="of which 0 are there"):
        made.lake.refresh()

    assert {name: view.frontier for name, view in made.views.items()} == frontiers
    for name, view in made.views.items():
        if name != "total":
            assert view.to_arrow().equals(before[name])
    made.views["total"].refresh(mode="full")
    made.lake.refresh()
    made.check()


def test_a_stream_table_that_is_read_is_not_dropped_by_accident(made):
    with pytest.raises(UsageError, match=r"reads 'main\.sums'"):
        made.views["sums"].drop()

    made.views["sums"].drop(cascade=True)
    left = {each.name for each in made.lake.stream_tables()}
    assert left == {"main.counts"}
    made.lake.table("t").append(pa.table({"id": pa.array([1], pa.int32())}))
    assert {each.name for each in made.lake.refresh()} == left

"""What happens to files and history between two refreshes does not show in a stream table."""

from __future__ import annotations

import pyarrow as pa
import pytest

from quacklake.catalog import Backend
from quacklake.client.session import Session
from quacklake.format.table import TableName
from quacklake.kernel.errors import SnapshotExpired, Unsupported
from quacklake.pipeline.running import refresh
from tests.support.lakes import Lakes, lakes_on
from tests.support.streams import Streams, streams

pytestmark = pytest.mark.slow

GROUPED = "select k, sum(v) as s, count(*) as n from t group by k"
LINEAR = "select id, v from t where v > 10"
JOINED = "select t.id, u.name from t join u on t.k = u.k"


def rows(*given: tuple[int, int | None, int]) -> pa.Table:
    ids, keys, values = zip(*given, strict=True)
    columns = {
        "id": pa.array(ids, pa.int64()),
        "k": pa.array(keys, pa.int32()),
        "v": pa.array(values, pa.int32()),
    }
    return pa.table(columns)


def filled(made: Streams) -> Streams:
    lake = made.lake
    lake.create_table("t", {"id": "bigint", "k": "int", "v": "int"})
    lake.create_table("u", {"k": "int", "name": "varchar"})
    lake.create_table("aside", {"x": "int"})
    lake.table("t").append(rows(*((i, i % 4 or None, i) for i in range(30))))
    for first in (100, 200):
        lake.table("t").append(rows(*((i, 1, i % 20) for i in range(first, first + 12))))
    lake.table("t").append(rows((120, 1, 5), (121, 2, 15)))
    lake.table("u").append(pa.table({"k": pa.array([1, 2], pa.int32()), "name": ["one", "two"]}))
    made.keep("grouped", GROUPED)
    made.keep("linear", LINEAR)
    made.keep("joined", JOINED)
    return made


@pytest.fixture
def made(tmp_path):
    with streams(Lakes(Backend.SQLITE, tmp_path).place()) as found:
        yield filled(found)


def aside(made: Streams) -> None:
    """A commit that concerns no view."""
    made.lake.table("aside").append(pa.table({"x": pa.array([1], pa.int32())}))


def newest(made: Streams) -> int:
    return max(each.id for each in made.lake.snapshots())


def modes(reports) -> set[str]:
    return {str(each.mode) for each in reports.values()}


MOVES = {
    "merge": lambda lake: lake.merge_adjacent_files("t"),
    "flush": lambda lake: lake.flush_inlined_data("t"),
    "rewrite": lambda lake: lake.rewrite_data_files("t", delete_threshold=0.01),
    "add column": lambda lake: lake.table("t").add_column("more", "int", default="7"),
    "sort": lambda lake: lake.table("t").set_sort_order(["id"]),
    "partition": lambda lake: lake.table("t").set_partitioning(["k"]),
    "comment": lambda lake: lake.table("t").set_comment("rows", column="v"),
    "rename": lambda lake: lake.table("aside").rename_column("x", "y"),
}


@pytest.mark.parametrize("move", MOVES)
def test_what_only_moves_rows_is_no_change(made, move):
    made.lake.table("t").delete("id = 7")
    made.refreshed()
    before = newest(made)

    MOVES[move](made.lake)

    assert newest(made) > before, "the move must have made a snapshot"
    after = newest(made)
    reports = made.refreshed()
    assert modes(reports) == {"no-change"}
    assert all(each.rows_read == 0 for each in reports.values())
    assert newest(made) == after, "a refresh that changes nothing makes no snapshot"
    made.check()


@pytest.mark.parametrize("by", ["us", "DuckDB"])
@pytest.mark.parametrize("limit", [0, 10])
@pytest.mark.parametrize("first", list(MOVES)[:4])
def test_rows_that_change_beside_a_move_arrive_once(made, first, limit, by):
    lake = made.lake
    lake.set_option("data_inlining_row_limit", limit)
    table = lake.table("t")
    table.delete("id in (3, 4)")
    table.append(rows((200, 3, 50), (201, None, 51)))
    if by == "us" or first == "add column":
        MOVES[first](lake)
    else:
        with made.place.referee() as referee:
            call = {
                "merge": "ducklake_merge_adjacent_files('lake', 't')",
                "flush": "ducklake_flush_inlined_data('lake', table_name => 't')",
                "rewrite": "ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.01)",
            }[first]
            referee.rows(f"CALL {call}")
    table.update({"v": "v + 1"}, where="id in (5, 200)")
    table.delete("id = 201")

    assert modes(made.refreshed()) == {"incremental"}
    made.check()


def test_an_added_column_is_not_in_a_star(made):
    made.keep("all_of_t", "select * from t", oracle="select id, k, v from t")
    made.lake.table("t").add_column("more", "int", default="7")
    made.lake.table("t").append(rows((300, 1, 1)))

    assert modes(made.refreshed()) == {"incremental"}
    made.check()


def test_a_column_in_use_that_is_another_one_is_computed_anew_with_the_reason(made):
    made.lake.table("t").drop_column("v")
    made.lake.table("t").add_column("v", "int", default="3")

    with pytest.raises(Unsupported, match=r"'v' of 'main\.t' was redefined"):
        made.views["grouped"].refresh(mode="incremental")
    report = made.views["grouped"].refresh()

    assert (report.mode, "'v' of 'main.t' was redefined" in report.reason) == ("full", True)
    made.check(["grouped"])
    assert str(made.views["joined"].refresh(mode="incremental").mode) == "no-change"


def test_names_that_moved_between_columns_are_computed_anew(made):
    table = made.lake.table("t")
    table.rename_column("id", "old")
    table.rename_column("v", "id")
    table.rename_column("old", "v")

    assert str(made.views["grouped"].refresh().mode) == "full"
    made.check(["grouped"])


def test_a_source_made_anew_is_computed_anew_with_the_reason(made):
    made.lake.drop_table("u")
    made.lake.create_table("u", {"k": "int", "name": "varchar"})
    made.lake.table("u").append(pa.table({"k": pa.array([3], pa.int32()), "name": ["three"]}))

    with pytest.raises(Unsupported, match=r"'main\.u' was made anew"):
        made.views["joined"].refresh(mode="incremental")
    report = made.views["joined"].refresh()

    assert (str(report.mode), report.reason) == ("full", "'main.u' was made anew")
    made.check(["joined"])


def test_our_expiry_keeps_the_snapshots_where_stream_tables_stand(made):
    made.lake.table("t").delete("id < 5")
    aside(made)
    made.lake.table("t").append(rows((400, 2, 40)))
    aside(made)
    needed = {
        place["snapshot_id"] for view in made.views.values() for place in view.frontier.values()
    }
    told = made.lake.expire_snapshots(older_than="0 seconds", dry_run=True)

    expired = made.lake.expire_snapshots(older_than="0 seconds")

    assert expired == told
    left = {each.id for each in made.lake.snapshots()}
    assert needed <= left
    assert left == needed | {newest(made)}
    made.lake.cleanup_old_files(cleanup_all=True)
    assert modes(made.refreshed()) == {"incremental"}
    made.check()


def test_a_snapshot_that_is_needed_does_not_expire_by_its_number_either(made):
    made.refreshed()
    stands = made.views["linear"].frontier["ducklake:main.t"]["snapshot_id"]
    aside(made)
    aside(made)

    assert made.lake.expire_snapshots(versions=[stands, stands - 1]) == (stands - 1,)


def test_a_dropped_stream_table_needs_no_snapshot(made):
    aside(made)
    for view in made.views.values():
        view.drop()
    newest_now = newest(made)

    made.lake.expire_snapshots(older_than="0 seconds")

    assert {each.id for each in made.lake.snapshots()} == {newest_now}


@pytest.mark.parametrize("clean", [False, True])
def test_changes_are_found_where_the_commits_that_told_of_them_have_expired(made, clean):
    made.refreshed()
    stands = made.views["grouped"].frontier["ducklake:main.t"]["snapshot_id"]
    made.lake.table("t").append(rows((500, 1, 70), (501, None, 71)))
    made.lake.table("t").delete("id in (2, 500)")
    aside(made)
    between = range(stands + 1, newest(made))
    with made.place.referee() as referee:
        referee.rows(f"CALL ducklake_expire_snapshots('lake', versions => {list(between)})")
    if clean:
        made.lake.cleanup_old_files(cleanup_all=True)

    assert modes(made.refreshed()) == {"incremental"}
    made.check()
    aside(made)
    aside(made)
    gone = newest(made) - 1
    with made.place.referee() as referee:
        referee.rows(f"CALL ducklake_expire_snapshots('lake', versions => [{gone}])")
    assert modes(made.refreshed()) == {"no-change"}


def test_columns_redefined_by_an_expired_commit_are_noticed(made):
    made.refreshed()
    stands = made.views["grouped"].frontier["ducklake:main.t"]["snapshot_id"]
    made.lake.table("t").drop_column("v")
    made.lake.table("t").add_column("v", "int", default="3")
    aside(made)
    between = range(stands + 1, newest(made))
    with made.place.referee() as referee:
        referee.rows(f"CALL ducklake_expire_snapshots('lake', versions => {list(between)})")

    assert str(made.views["grouped"].refresh().mode) == "full"
    made.check(["grouped"])


def expired_under(made: Streams) -> int:
    """Another program expires where the views stand; the snapshot that is gone."""
    stands = made.views["grouped"].frontier["ducklake:main.t"]["snapshot_id"]
    made.lake.table("t").append(rows((600, 1, 1)))
    with made.place.referee() as referee:
        referee.rows(f"CALL ducklake_expire_snapshots('lake', versions => [{stands}])")
    return stands


def test_history_that_is_gone_is_computed_anew_and_named(made):
    made.refreshed()
    stands = expired_under(made)

    report = made.views["grouped"].refresh()

    assert str(report.mode) == "full"
    assert f"snapshot {stands}" in report.reason
    assert "live longer" in report.reason
    made.check(["grouped"])


@pytest.mark.parametrize("asked", ["incremental", "auto"])
def test_history_that_is_gone_is_an_error_where_that_is_the_policy(made, asked):
    made.refreshed()
    if asked == "auto":
        made.views["grouped"].alter(compaction_policy="error")
    before = made.views["grouped"].to_arrow()
    stands = expired_under(made)
    head = newest(made)

    with pytest.raises(SnapshotExpired, match=f"snapshot {stands}") as caught:
        made.views["grouped"].refresh(mode=asked)

    assert "mode='full'" in str(caught.value)
    assert newest(made) == head
    assert made.views["grouped"].to_arrow().equals(before)
    assert str(made.views["grouped"].refresh(mode="full").mode) == "full"
    made.check(["grouped"])


def test_history_that_is_gone_does_not_matter_where_nothing_changed(made):
    made.refreshed()
    aside(made)
    stands = made.views["linear"].frontier["ducklake:main.t"]["snapshot_id"]
    aside(made)
    with made.place.referee() as referee:
        referee.rows(f"CALL ducklake_expire_snapshots('lake', versions => [{stands}])")

    assert str(made.views["linear"].refresh(mode="incremental").mode) == "no-change"
    made.check(["linear"])


class Overtaken(Session):
    """A session that lets another one act after its first look at the catalog."""

    __slots__ = ("looks", "meanwhile")

    def reading(self):
        self.looks += 1
        if self.looks == 2:
            self.meanwhile()
        return super().reading()


def overtaken(made: Streams, meanwhile) -> Overtaken:
    ours = made.lake.session
    session = Overtaken(ours.catalog, ours.storage, ours.cluster)
    session.looks, session.meanwhile = 0, meanwhile
    return session


@pytest.mark.parametrize("what", ["refresh", "rewind", "nothing"])
def test_a_refresh_that_was_overtaken_while_it_began_stays_exact(made, what):
    view = made.views["grouped"]
    start = view.frontier["ducklake:main.t"]["snapshot_id"]

    def meanwhile():
        made.lake.table("t").append(rows((700, 1, 9), (701, 9, 9)))
        if what == "refresh":
            view.refresh()
        elif what == "rewind":
            view.rewind(snapshot=start)
        else:
            aside(made)

    made.lake.table("t").append(rows((702, 1, 9)))
    refresh(overtaken(made, meanwhile), made.lake._programs, [TableName("main", "grouped")])

    assert view.verify().ok
    stands = view.frontier["ducklake:main.t"]["snapshot_id"]
    view.refresh(mode="incremental")
    assert view.frontier["ducklake:main.t"]["snapshot_id"] >= stands
    made.check(["grouped"])


@pytest.mark.parametrize("backend", [Backend.DUCKDB, Backend.POSTGRES])
def test_other_catalogs_keep_what_stream_tables_need(backend, request, tmp_path):
    with streams(lakes_on(backend, request, tmp_path).place()) as made:
        filled(made)
        made.lake.table("t").append(rows((800, 1, 1)))
        made.lake.merge_adjacent_files()
        made.lake.table("t").delete("id in (1, 2, 800)")
        aside(made)
        made.lake.expire_snapshots(older_than="0 seconds")

        assert modes(made.refreshed()) == {"incremental"}
        made.check()

"""The change feed on every kind of catalog, story by story."""

from __future__ import annotations

import pytest

from quacklake.kernel.errors import NotFound, SnapshotExpired, UsageError
from tests.support.feeds import feed_of

NO_INLINING = "CALL lake.set_option('data_inlining_row_limit', 0)"
T = "CREATE TABLE t (a INT, b VARCHAR)"
FLUSH = "CALL ducklake_flush_inlined_data('lake')"
MERGE = "CALL ducklake_merge_adjacent_files('lake')"
REWRITE = "CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.01)"


def expire(*snapshots: int) -> str:
    return f"CALL ducklake_expire_snapshots('lake', versions => {list(snapshots)})"


def test_rows_in_files_come_and_go(lakes):
    place = lakes.written(
        NO_INLINING,
        T,
        "INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z')",
        "UPDATE t SET b = 'new' WHERE a = 2",
        "DELETE FROM t WHERE a = 1",
        "DELETE FROM t WHERE a = 3",
        "DELETE FROM t",
    )
    with feed_of(place) as feed:
        assert feed.told() == [
            "2 0 insert | 1 x",
            "2 1 insert | 2 y",
            "2 2 insert | 3 z",
            "3 1 update_preimage | 2 y",
            "3 1 update_postimage | 2 new",
            "4 0 delete | 1 x",
            "5 2 delete | 3 z",
            "6 1 delete | 2 new",
        ]
        assert feed.told(3, 4) == ["4 0 delete | 1 x"]
        assert feed.summed(2, 4) == ["1 x | -1", "2 new | +1", "2 y | -1"]
        assert feed.summed() == []


STORY = (
    T,
    "INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z')",
    "UPDATE t SET b = 'new' WHERE a = 2",
    "DELETE FROM t WHERE a = 1",
    "INSERT INTO t SELECT range, 'many' FROM range(50, 70)",
    "DELETE FROM t WHERE a IN (50, 51)",
    "UPDATE t SET b = 'few' WHERE a = 60",
)
TOLD = [
    "2 0 insert | 1 x",
    "2 1 insert | 2 y",
    "2 2 insert | 3 z",
    "3 1 update_preimage | 2 y",
    "3 1 update_postimage | 2 new",
    "4 0 delete | 1 x",
    *(f"5 {row} insert | {row + 47} many" for row in range(3, 23)),
    "6 3 delete | 50 many",
    "6 4 delete | 51 many",
    "7 13 update_preimage | 60 many",
    "7 13 update_postimage | 60 few",
]


@pytest.mark.parametrize(
    "upkeep", [(), (FLUSH,), (FLUSH, MERGE), (FLUSH, REWRITE), (REWRITE, FLUSH, MERGE)]
)
def test_upkeep_changes_nothing_of_what_is_told(lakes, upkeep):
    place = lakes.written(*STORY, *upkeep)
    with feed_of(place) as feed:
        assert feed.told() == TOLD
        for middle in range(1, 7):
            assert sorted(feed.told(0, middle) + feed.told(middle)) == sorted(TOLD)
        assert feed.told(7) == []


def test_deletions_after_a_rewrite_are_told_once(lakes):
    place = lakes.written(*STORY, FLUSH, REWRITE, "DELETE FROM t WHERE a < 55", FLUSH, REWRITE)
    with feed_of(place) as feed:
        assert [line.partition(" |")[0] for line in feed.told(7)] == [
            "10 1 delete", "10 2 delete", "10 5 delete", "10 6 delete", "10 7 delete",
        ]  # fmt: skip


def test_what_comes_and_goes_in_one_transaction_leaves_nothing(lakes):
    place = lakes.written(
        NO_INLINING,
        T,
        "BEGIN; INSERT INTO t VALUES (1, 'x'), (2, 'y'); DELETE FROM t WHERE a = 2; COMMIT",
    )
    with feed_of(place) as feed:
        assert feed.told() == ["2 0 insert | 1 x"]


def test_rows_have_the_columns_the_table_has_at_the_end(lakes):
    place = lakes.written(
        NO_INLINING,
        "CREATE TABLE t (a INT, gone INT, b VARCHAR)",
        "INSERT INTO t VALUES (1, 10, 'x'), (2, 20, 'y')",
        "DELETE FROM t WHERE a = 2",
        "ALTER TABLE t RENAME b TO c",
        "ALTER TABLE t DROP COLUMN gone",
        "ALTER TABLE t ADD COLUMN d INT DEFAULT 7",
        "ALTER TABLE t ALTER a SET TYPE BIGINT",
        "ALTER TABLE t RENAME TO u",
    )
    with feed_of(place, "u") as feed:
        assert feed.changes().to_arrow().schema.names[3:] == ["a", "c", "d"]
        assert feed.told() == ["2 0 insert | 1 x 7", "2 1 insert | 2 y 7", "3 1 delete | 2 y 7"]
    with feed_of(place, "t") as feed:
        assert feed.told(until=3) == [
            "2 0 insert | 1 10 x",
            "2 1 insert | 2 20 y",
            "3 1 delete | 2 20 y",
        ]


def test_a_table_made_again_begins_anew(lakes):
    place = lakes.written(
        T, "INSERT INTO t VALUES (1, 'old')", "DROP TABLE t", T, "INSERT INTO t VALUES (2, 'new')"
    )
    with feed_of(place) as feed:
        assert feed.told() == ["5 0 insert | 2 new"]
        assert feed.told(until=2) == ["2 0 insert | 1 old"]
        with pytest.raises(NotFound):
            feed.told(until=3)


def test_changes_since_an_expired_snapshot_are_refused_by_name(lakes):
    place = lakes.written(*STORY, expire(0, 1, 2, 3, 4))
    with feed_of(place) as feed:
        for since in (None, 0, 3, 4):
            with pytest.raises(SnapshotExpired) as refused:
                feed.told(since)
            assert refused.value.facts["oldest"] == 5
        assert feed.told(5) == TOLD[-4:]


def test_changes_across_a_gap_are_refused_but_can_be_summed(lakes):
    place = lakes.written(*STORY, FLUSH, REWRITE, expire(4, 5, 6))
    with feed_of(place) as feed:
        with pytest.raises(SnapshotExpired) as refused:
            feed.told(3)
        assert refused.value.facts["oldest"] == 7
        with pytest.raises(SnapshotExpired):
            feed.summed(5)
        assert feed.summed(3) == sorted(
            [
                "1 x | -1",
                "60 few | +1",
                *(f"{a} many | +1" for a in range(52, 70) if a != 60),
            ]
        )


def test_only_the_history_of_the_table_itself_is_needed(lakes):
    place = lakes.written("CREATE TABLE other (a INT)", *STORY, expire(0, 1))
    with feed_of(place) as feed:
        assert len(feed.told()) == len(TOLD)
        assert len(feed.told(0)) == len(TOLD)


def test_bounds_that_make_no_sense_are_refused(lakes):
    place = lakes.written(T, "INSERT INTO t VALUES (1, 'x')")
    with feed_of(place) as feed:
        for bounds in ((2, 1), (9, None), (-1, None), (True, None), (1.5, None)):
            with pytest.raises(UsageError):
                feed.changes(*bounds).plan()
        with pytest.raises(NotFound):
            feed.told(1, 9)
        assert feed.told(2, 2) == []
        assert feed.summed(2, 2) == []


def test_moments_are_bounds_too(lakes):
    place = lakes.written(T, "INSERT INTO t VALUES (1, 'x')", "INSERT INTO t VALUES (2, 'y')")
    with feed_of(place) as feed:
        everything = ["2 0 insert | 1 x", "3 1 insert | 2 y"]
        assert feed.told("2001-01-01") == everything
        assert feed.told("2001-01-01", "2999-01-01 00:00:00+02:00") == everything
        assert feed.told("2999-01-01") == []
        with pytest.raises(UsageError):
            feed.told("yesterday")


def test_some_columns_are_enough(lakes):
    place = lakes.written(*STORY, FLUSH)
    with feed_of(place) as feed:
        table = feed.changes(2, 3, columns=["b"]).to_arrow()
        assert table.schema.names == ["snapshot_id", "rowid", "change_type", "b"]
        assert sorted(table.column("b").to_pylist()) == ["new", "y"]
        with pytest.raises(NotFound):
            feed.changes(columns=["nope"]).plan()
        with pytest.raises(UsageError):
            feed.changes(columns=[])


def test_a_column_called_like_one_of_the_feed_is_not_mistaken_for_it(lakes):
    place = lakes.written(
        "CREATE TABLE t (snapshot_id INT, weight INT)",
        "INSERT INTO t VALUES (77, 5)",
        "UPDATE t SET weight = 6",
    )
    with feed_of(place) as feed:
        assert feed.told() == [
            "2 0 insert | 77 5",
            "3 0 update_preimage | 77 5",
            "3 0 update_postimage | 77 6",
        ]
        assert feed.changes().to_arrow().schema.names[3:] == ["snapshot_id_1", "weight"]
        assert feed.changes().weighted().to_arrow().schema.names == [
            "snapshot_id", "weight_1", "weight",
        ]  # fmt: skip
        assert feed.summed() == ["77 6 | +1"]

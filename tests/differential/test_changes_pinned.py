"""Where the extension's change feed is wrong, and ours is not.

Each test shows the wrong answer too, so that it fails when the extension is mended.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from quacklake.catalog import Backend
from tests.support.feeds import feed_of, rows_of
from tests.support.lakes import Lakes, Place

NO_INLINING = "CALL lake.set_option('data_inlining_row_limit', 0)"


@pytest.fixture
def lakes(tmp_path: Path) -> Lakes:
    return Lakes(Backend.SQLITE, tmp_path)


def theirs(place: Place, first: int, last: int) -> list[str]:
    """The extension's feed, both bounds included."""
    with place.referee() as referee:
        words = f"'lake', 'main', 't', {first}, {last}"
        return rows_of(referee.arrow(f"SELECT * FROM ducklake_table_changes({words})"))


def ours(place: Place, since: int, until: int) -> list[str]:
    """Our feed."""
    with feed_of(place) as feed:
        return feed.told(since, until)


def test_a_rewrite_is_not_an_update_of_every_row(lakes):
    place = lakes.written(
        NO_INLINING,
        "CREATE TABLE t (a INT)",
        "INSERT INTO t VALUES (1), (2)",
        "DELETE FROM t WHERE a = 1",
        "CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.01)",
    )

    assert theirs(place, 4, 4) == ["4 1 update_preimage | 2", "4 1 update_postimage | 2"]
    assert ours(place, 3, 4) == []


def test_a_row_that_came_and_went_in_one_transaction_was_not_updated(lakes):
    place = lakes.written(
        NO_INLINING,
        "CREATE TABLE t (a INT)",
        "BEGIN; INSERT INTO t VALUES (1), (2); DELETE FROM t WHERE a = 1; COMMIT",
    )

    assert theirs(place, 2, 2) == [
        "2 0 update_preimage | 1",
        "2 0 update_postimage | 1",
        "2 1 insert | 2",
    ]
    assert ours(place, 1, 2) == ["2 1 insert | 2"]


def test_a_row_that_was_changed_and_then_deleted_in_one_transaction_was_deleted(lakes):
    place = lakes.written(
        NO_INLINING,
        "CREATE TABLE t (a INT)",
        "INSERT INTO t VALUES (1), (2)",
        "BEGIN; UPDATE t SET a = a + 10; DELETE FROM t WHERE a = 11; COMMIT",
    )

    updated = ["3 1 update_preimage | 2", "3 1 update_postimage | 12"]
    assert theirs(place, 3, 3) == [
        "3 0 update_preimage | 1",
        "3 0 update_preimage | 11",
        "3 0 update_postimage | 11",
        "3 0 update_postimage | 11",
        *updated,
    ]
    assert ours(place, 2, 3) == ["3 0 delete | 1", *updated]


def test_deletions_of_a_row_changed_twice_keep_their_snapshots_after_a_flush(lakes):
    place = lakes.written(
        "CREATE TABLE t (a INT)",
        "INSERT INTO t VALUES (1)",
        "UPDATE t SET a = 2",
        "UPDATE t SET a = 3",
        "CALL ducklake_flush_inlined_data('lake')",
    )

    assert "3 0 update_preimage | 2" in theirs(place, 1, 4)
    assert ours(place, 0, 4) == [
        "2 0 insert | 1",
        "3 0 update_preimage | 1",
        "3 0 update_postimage | 2",
        "4 0 update_preimage | 2",
        "4 0 update_postimage | 3",
    ]


def test_a_user_column_is_not_the_snapshot(lakes):
    place = lakes.written(
        "CREATE TABLE t (snapshot_id INT)", "INSERT INTO t VALUES (77)", "DELETE FROM t"
    )

    assert theirs(place, 1, 3) == ["77 0 update_preimage | 77", "77 0 update_postimage | 77"]
    assert ours(place, 0, 3) == ["2 0 insert | 77", "3 0 delete | 77"]


def test_an_update_without_effect_is_told_by_both(lakes):
    place = lakes.written(
        NO_INLINING,
        "CREATE TABLE t (a INT)",
        "INSERT INTO t VALUES (1), (2)",
        "UPDATE t SET a = a",
    )

    pairs = [
        f"3 {row} {side} | {row + 1}"
        for row in (0, 1)
        for side in ("update_preimage", "update_postimage")
    ]
    assert theirs(place, 3, 3) == pairs
    assert ours(place, 2, 3) == pairs

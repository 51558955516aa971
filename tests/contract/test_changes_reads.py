"""A change feed reads what changed: which files and how much of them, however large the table."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from quacklake.catalog import Backend
from quacklake.scan.reads import Meter, Reads
from quacklake.scan.stream import default_threads
from tests.support.feeds import feed_of
from tests.support.lakes import Lakes

NO_INLINING = "CALL lake.set_option('data_inlining_row_limit', 0)"
SMALL_GROUPS = "CALL lake.set_option('parquet_row_group_size', 2048)"
T = "CREATE TABLE t (a INT, b VARCHAR)"
MANY = "INSERT INTO t SELECT range, 'many' FROM range(20480)"
FLUSH = "CALL ducklake_flush_inlined_data('lake')"
MERGE = "CALL ducklake_merge_adjacent_files('lake')"
REWRITE = "CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.01)"


@pytest.fixture
def lakes(tmp_path: Path) -> Lakes:
    return Lakes(Backend.SQLITE, tmp_path)


def opened(feed, since: int | None, until: int | None = None) -> tuple[int, int]:
    """How many data files and delete files reading a window opens."""
    feed.storage.opened.clear()
    changes = feed.changes(since, until)
    planned = changes.plan().files
    changes.to_arrow()
    handles = Counter(feed.storage.opened)
    names = set(handles)
    assert max(handles.values(), default=0) <= default_threads(), "each thread opens a file once"
    assert {name.rpartition("/")[2] for name in planned} >= names
    deletes = sum(name.endswith(("-delete.parquet", ".puffin")) for name in names)
    return len(names) - deletes, deletes


def cost(feed, since: int | None, until: int | None = None) -> Reads:
    """What reading a window costs."""
    meter = Meter()
    changes = feed.changes(since, until)
    list(changes.to_batches(meter=meter))
    allowed = changes.plan().reads
    assert meter.total.files <= allowed.files
    assert meter.total.rows <= allowed.rows
    return meter.total


@pytest.mark.parametrize("size", [1, 12])
def test_an_insert_opens_its_own_files_however_many_there_are(lakes, size):
    inserts = ["INSERT INTO t VALUES (1, 'x')"] * size
    place = lakes.written(NO_INLINING, T, *inserts, "INSERT INTO t VALUES (2, 'y')")
    with feed_of(place) as feed:
        assert opened(feed, size + 1) == (1, 0)
        assert opened(feed, size + 2) == (0, 0)
        assert cost(feed, size + 1).rows == 1


def test_a_delete_opens_the_file_it_deletes_from_and_reads_only_what_it_touches(lakes):
    place = lakes.written(
        NO_INLINING,
        SMALL_GROUPS,
        T,
        MANY,
        "INSERT INTO t SELECT range, 'others' FROM range(30000, 40000)",
        "DELETE FROM t WHERE a IN (5, 7, 15000)",
    )
    with feed_of(place) as feed:
        assert opened(feed, 3) == (1, 1)
        assert cost(feed, 3).rows == 2 * 2048
        assert cost(feed, 3).bytes < cost(feed, 1, 2).bytes


def test_rows_kept_in_the_catalog_open_nothing(lakes):
    place = lakes.written(
        T, "INSERT INTO t VALUES (1, 'x'), (2, 'y')", "UPDATE t SET b = 'z' WHERE a = 1"
    )
    with feed_of(place) as feed:
        assert opened(feed, None) == (0, 0)
        assert cost(feed, None) == Reads(files=0, rows=4, bytes=0)


def test_deletions_kept_in_the_catalog_open_the_file_alone(lakes):
    place = lakes.written(SMALL_GROUPS, T, MANY, "DELETE FROM t WHERE a = 4711")
    with feed_of(place) as feed:
        assert opened(feed, 2) == (1, 0)
        assert cost(feed, 2).rows == 2048


def test_an_update_opens_its_own_file_and_the_one_it_changes(lakes):
    place = lakes.written(
        NO_INLINING,
        T,
        "INSERT INTO t VALUES (1, 'x')",
        "INSERT INTO t VALUES (2, 'y')",
        "UPDATE t SET b = 'new' WHERE a = 2",
    )
    with feed_of(place) as feed:
        # The file that was changed has no other row and ends.
        assert opened(feed, 3) == (2, 0)


def test_a_file_that_ends_is_read_once_with_its_earlier_deletions(lakes):
    place = lakes.written(NO_INLINING, T, MANY, "DELETE FROM t WHERE a < 100", "DELETE FROM t")
    with feed_of(place) as feed:
        assert opened(feed, 3) == (1, 1)
        assert feed.changes(3).to_arrow().num_rows == 20380


def test_a_rewrite_opens_nothing(lakes):
    place = lakes.written(NO_INLINING, T, MANY, "DELETE FROM t WHERE a < 100", REWRITE)
    with feed_of(place) as feed:
        assert opened(feed, 3) == (0, 0)
        assert opened(feed, 2) == (1, 1)


def test_a_compacted_file_is_read_only_where_rows_of_the_window_are(lakes):
    inserts = [f"INSERT INTO t SELECT range, '{n}' FROM range(4096)" for n in range(6)]
    place = lakes.written(NO_INLINING, SMALL_GROUPS, T, *inserts, MERGE)
    with feed_of(place) as feed:
        assert opened(feed, 3, 4) == (1, 0)
        assert feed.changes(3, 4).to_arrow().num_rows == 4096
        assert cost(feed, 3, 4).rows <= 3 * 2048


def test_a_delete_file_without_news_does_not_open_its_data_file(lakes):
    place = lakes.written(
        T,
        "INSERT INTO t VALUES (1, 'x'), (2, 'y')",
        "DELETE FROM t WHERE a = 1",
        "CREATE TABLE other (a INT)",
        FLUSH,
    )
    with feed_of(place) as feed:
        # Its deletions are older than the flush that wrote it, which only reading it shows.
        assert opened(feed, 3, 4) == (0, 1)
        assert opened(feed, 5) == (0, 0)

"""One deletion kept in two places, as flushes of DuckDB leave it: we read it once, and mend it."""

from __future__ import annotations

from collections import Counter

import pytest

import quacklake as ql
from quacklake.catalog import Backend
from tests.support.lakes import lakes_on
from tests.support.writers import (
    FLUSH,
    REWRITE,
    TABLE,
    check_catalog,
    check_current,
    delete,
    increment,
    insert,
    rows_from,
)

META = "__ducklake_metadata_lake"


@pytest.fixture
def place(request, tmp_path):
    """PostgreSQL, where a transaction of one DuckDB does not lock out another."""
    return lakes_on(Backend.POSTGRES, request, tmp_path).place()


@pytest.fixture
def lake(place):
    with ql.connect(place.url, data_path=place.data_path) as made:
        made.create_table("t", TABLE).append(rows_from(0, 40))
        made.create_table("aside", TABLE)
        yield made


def rows_at(lake, snapshot=None):
    found = lake.table("t").scan(columns=["k", "n"], snapshot=snapshot).to_arrow()
    return Counter(zip(*(column.to_pylist() for column in found.columns), strict=True))


def changes(lake, until):
    found = lake.table("t").changes(since=2, until=until).to_arrow()
    columns = (found.column(name).to_pylist() for name in ("snapshot_id", "change_type", "k"))
    return Counter(zip(*columns, strict=True))


def newest(lake):
    return lake.snapshots()[-1].id


@pytest.mark.parametrize("rewriter", ["ours", "duckdb"])
def test_a_delete_file_made_after_its_data_file_ended_counts_beside_the_other(
    lake, place, rewriter
):
    with place.referee() as referee:
        delete(0, 12).ours(lake, "t")
        delete(20, 2).ours(lake, "t")
        if rewriter == "ours":
            REWRITE.ours(lake, "t")
        else:
            REWRITE.by_duckdb(referee, "t")
        insert(100, 2).ours(lake, "t")
        past = {at: rows_at(lake, at) for at in range(2, newest(lake) + 1)}
        feed = changes(lake, max(past))

        FLUSH.by_duckdb(referee, "t")

        assert {at: rows_at(lake, at) for at in past} == past
        assert changes(lake, max(past)) == feed
        rows = [(k, 0) for k in (*range(12, 20), *range(22, 40), 100, 101)]
        check_current(lake, referee, "t", rows)


def flushed_in_two_attempts(place):
    """Two DuckDB sessions: what one commits aside makes the other's flush start over."""
    with place.referee() as flusher, place.referee() as other:
        increment(3, 3).by_duckdb(flusher, "t")
        flusher.execute("BEGIN")
        FLUSH.by_duckdb(flusher, "t")
        insert(0, 1).by_duckdb(other, "aside")
        flusher.execute("COMMIT")


EXPECTED = [(k, 1 if 3 <= k < 6 else 0) for k in range(40)]


def test_duckdb_keeps_the_deletes_that_a_flush_moved_in_its_second_attempt(lake, place):
    flushed_in_two_attempts(place)

    with place.referee() as referee:
        kept = referee.rows(f"SELECT row_id FROM {META}.ducklake_inlined_delete_1 ORDER BY 1")
        assert kept == [(3,), (4,), (5,)]
        files = referee.rows(f"SELECT delete_count FROM {META}.ducklake_delete_file")
        assert files == [(3,)]
        # Two places for one deletion lead DuckDB astray: deleted rows are back.
        assert Counter(referee.rows("SELECT k, n FROM t")) != Counter(EXPECTED)
    assert rows_at(lake) == Counter(EXPECTED)


def test_our_flush_mends_what_duckdbs_left(lake, place):
    before = newest(lake)
    flushed_in_two_attempts(place)
    feed = lake.table("t").changes(since=before).to_arrow().num_rows

    FLUSH.ours(lake, "t")

    with place.referee() as referee:
        assert referee.rows(f"SELECT count(*) FROM {META}.ducklake_inlined_delete_1") == [(0,)]
        check_current(lake, referee, "t", EXPECTED)
        check_catalog(referee)
    assert lake.table("t").changes(since=before).to_arrow().num_rows == feed == 6


def worn_by_two(place):
    """Two DuckDB sessions write a delete file for the same data file, each with its union."""
    with place.referee() as late, place.referee() as other:
        delete(0, 12).by_duckdb(late, "t")
        late.execute("BEGIN")
        delete(12, 12).by_duckdb(late, "t")
        delete(24, 12).by_duckdb(other, "t")
        late.execute("COMMIT")


def test_two_live_delete_files_of_a_data_file_count_together(lake, place):
    worn_by_two(place)

    with place.referee() as referee:
        live = referee.rows(f"SELECT delete_count FROM {META}.ducklake_delete_file")
        assert live == [(24,), (24,)]
        assert len(referee.rows("SELECT k FROM t")) == 32
    assert rows_at(lake) == Counter((k, 0) for k in range(36, 40))


@pytest.mark.parametrize(
    ("mend", "left"),
    [
        (REWRITE, range(36, 40)),
        (delete(36, 1), range(37, 40)),
        (delete(0, 40), ()),
        (increment(36, 4), range(36, 40)),
    ],
    ids=["rewrite", "a small delete", "truncation", "update"],
)
def test_a_table_with_two_live_delete_files_can_be_changed(lake, place, mend, left):
    worn_by_two(place)

    mend.ours(lake, "t")

    n = 1 if mend.sql.startswith("UPDATE") else 0
    assert rows_at(lake) == Counter((k, n) for k in left)


def test_a_large_delete_mends_two_live_delete_files(lake, place):
    lake.table("t").append(rows_from(100, 5))
    lake.set_option("data_inlining_row_limit", 0)
    worn_by_two(place)

    delete(36, 2).ours(lake, "t")

    with place.referee() as referee:
        check_current(lake, referee, "t", [(k, 0) for k in (38, 39, *range(100, 105))])
        check_catalog(referee)

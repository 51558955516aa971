"""What a committing writer asks its catalog."""

from __future__ import annotations

import pytest

from quacklake.catalog import open_catalog
from quacklake.catalog.mutations import End, Insert, InsertInlinedDeletes
from quacklake.kernel.ids import SnapshotId, TableId
from tests.support.commits import commit, head_of

TABLE = TableId(1)


@pytest.fixture
def catalog(lakes):
    place = lakes.place()
    with open_catalog(place.location, data_path=place.data_path) as opened:
        yield opened


def data_file(number, *, table=1, begin=1, end=None):
    return (
        number, table, begin, end, None, f"{number}.parquet", True, "parquet", 10, 100, 10, 0, None,
        None, None, None,
    )  # fmt: skip


def delete_file(number, data_file, *, table=1, begin=1, end=None, partial_max=None):
    return (
        number, table, begin, end, data_file, f"{number}.parquet", True, "parquet", 1, 100, 10,
        None, partial_max,
    )  # fmt: skip


def touched(catalog, since, table=TABLE):
    with catalog.write() as writer:
        return writer.touched_files(table, SnapshotId(since))


def test_commits_since_a_snapshot_come_in_order_with_their_words(catalog):
    for changes in ("altered_table:1", "altered_table:2", "altered_table:3"):
        commit(catalog, changes=changes)

    with catalog.write() as writer:
        found = writer.commits_since(SnapshotId(1))

        assert [(c.snapshot.id, c.changes) for c in found] == [
            (2, "altered_table:2"),
            (3, "altered_table:3"),
        ]
        assert writer.commits_since(SnapshotId(3)) == ()


def test_files_are_touched_by_delete_files_ends_and_inlined_deletes(catalog):
    files = tuple(data_file(number) for number in range(8))
    replaced, old = delete_file(9, 3, begin=1), delete_file(10, 0, begin=1)
    commit(
        catalog,
        Insert("data_file", (*files, data_file(8, table=2))),
        Insert("delete_file", (replaced, old)),
        files=20,
    )
    new, consolidated = delete_file(21, 1, begin=2), delete_file(22, 2, begin=1, partial_max=2)
    commit(
        catalog,
        Insert("delete_file", (new, consolidated)),
        End("delete_file", (("delete_file_id", (9,)),), SnapshotId(2)),
        Insert("delete_file", (delete_file(24, 8, table=2, begin=2),)),
        End("data_file", (("data_file_id", (4, 8)),), SnapshotId(2)),
        InsertInlinedDeletes(TABLE, ((5, 0), (5, 1)), SnapshotId(2)),
        InsertInlinedDeletes(TABLE, ((6, 0),), SnapshotId(1)),
        files=5,
    )

    assert touched(catalog, 1) == {1, 2, 3, 4, 5}
    assert touched(catalog, 0) == {0, 1, 2, 3, 4, 5, 6}
    assert touched(catalog, 2) == frozenset()
    assert touched(catalog, 1, TableId(2)) == {8}


def test_a_delete_file_that_is_dated_too_early_touches_its_data_file(catalog):
    commit(catalog, Insert("data_file", (data_file(0),)), files=1)
    commit(catalog, files=0)

    commit(catalog, Insert("delete_file", (delete_file(1, 0, begin=1, partial_max=2),)), files=1)

    assert touched(catalog, 2) == {0}
    assert touched(catalog, 3) == frozenset()


def test_the_highest_column_id_counts_columns_that_are_gone(catalog):
    def column(number, *, table=1, end=None):
        return (number, 1, end, table, number, "c", "int32", None, "NULL", True, None, None, None)

    commit(catalog, Insert("column", (column(1), column(7, end=2), column(9, table=2))))

    with catalog.write() as writer:
        assert writer.highest_column_id(TABLE) == 7
        assert writer.highest_column_id(TableId(3)) == 0


def test_a_commit_is_looked_up_by_its_id(catalog):
    made = commit(catalog, changes="altered_table:1")

    found = catalog.lookup(made.id)

    assert found is not None
    assert (found.snapshot, found.changes) == (made, "altered_table:1")
    assert catalog.lookup(SnapshotId(made.id + 1)) is None
    assert head_of(catalog) == made


def test_a_reader_of_a_catalog_may_look_a_commit_up(lakes):
    place = lakes.place()
    with open_catalog(place.location, data_path=place.data_path) as catalog:
        made = commit(catalog)

    with open_catalog(place.location, read_only=True) as catalog:
        assert catalog.lookup(made.id).snapshot == made
        assert catalog.lookup(SnapshotId(9)) is None

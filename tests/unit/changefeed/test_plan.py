"""Which files a change feed opens, decided from what the catalog says."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from quacklake.catalog.window import ChangedFile, Retained, Window
from quacklake.changefeed.bounds import has_gap
from quacklake.changefeed.lives import Span
from quacklake.changefeed.plan import chosen_tasks
from quacklake.format.files import DataFile, DeleteFile, DeleteFormat, NameMapping

SPAN = Span(Window(after=10, upto=20), silent=frozenset({15}))
PLAIN = DataFile(1, "data.parquet", 100, 1000, 5, None, 0)
OLD = DeleteFile(7, "old-delete.parquet", DeleteFormat.PARQUET, 1, 10, 8, None)
NEW = DeleteFile(8, "new-delete.parquet", DeleteFormat.PARQUET, 1, 10, 12, None)


def opened(changed: ChangedFile, deletions=()) -> list[tuple[str, ...]]:
    """The files to open for one data file, its own first."""
    tasks = chosen_tasks([changed], {changed.file.id: deletions}, {}, SPAN)
    return [(task.file.path, *(each.path for each in task.deletes)) for task in tasks]


@pytest.mark.parametrize("begin", [11, 20])
def test_a_file_that_began_in_the_window_is_read(begin):
    assert opened(ChangedFile(replace(PLAIN, begin_snapshot=begin), None))


def test_a_file_that_a_silent_snapshot_wrote_is_left_alone():
    assert not opened(ChangedFile(replace(PLAIN, begin_snapshot=15), None))


def test_a_file_with_rows_of_several_snapshots_is_read_if_one_may_be_of_the_window():
    assert opened(ChangedFile(replace(PLAIN, begin_snapshot=3, partial_max=12), None))
    assert not opened(ChangedFile(replace(PLAIN, begin_snapshot=3, partial_max=10), None))


def test_a_file_that_ended_needs_all_its_delete_files():
    assert opened(ChangedFile(PLAIN, 12, (NEW,), (OLD,))) == [
        ("data.parquet", "old-delete.parquet", "new-delete.parquet")
    ]


def test_a_file_that_was_rewritten_needs_only_new_delete_files():
    assert opened(ChangedFile(PLAIN, 15, (), (OLD,))) == []
    assert opened(ChangedFile(PLAIN, 15, (NEW,), (OLD,))) == [
        ("data.parquet", "new-delete.parquet")
    ]


def test_deletions_kept_by_the_catalog_count_if_they_are_of_the_window():
    assert opened(ChangedFile(PLAIN, None), deletions=((4, 12),))
    assert not opened(ChangedFile(PLAIN, 15), deletions=((4, 9),))


def test_a_task_takes_its_name_mapping_and_travels():
    mapping = NameMapping(3, ())
    changed = ChangedFile(replace(PLAIN, begin_snapshot=11, mapping_id=3), None)

    tasks = chosen_tasks([changed], {}, {3: mapping}, SPAN)

    assert tasks[0].mapping == mapping
    assert pickle.loads(pickle.dumps(tasks)) == tasks


@pytest.mark.parametrize(
    ("began", "there", "gap"),
    [
        (3, 11, False),
        (3, 10, True),
        (10, 11, False),
        (14, 7, False),
        (14, 6, True),
        (20, 1, False),
    ],
)
def test_a_history_has_a_gap_if_a_snapshot_it_needs_is_missing(began, there, gap):
    retained = Retained(began, there, first_file=0, is_start_readable=True)

    assert has_gap(Window(after=10, upto=20), retained) is gap

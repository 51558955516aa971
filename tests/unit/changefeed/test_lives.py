"""When rows come and go."""

from __future__ import annotations

import numpy as np
import pytest

from quacklake.catalog.window import Window
from quacklake.changefeed.lives import NEVER, Span, born, died, ends_of
from quacklake.storage.deletes import Deletions


def listed(**snapshots: int) -> Deletions:
    """Deletions written as `p3=7`: the row at position 3 went in snapshot 7."""
    positions = [int(name[1:]) for name in snapshots]
    return Deletions(np.array(positions, np.int64), np.array(list(snapshots.values()), np.int64))


def numbers(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_rows_nobody_deleted_are_there_for_ever():
    assert ends_of([], None).between(0, 3).tolist() == [NEVER] * 3


def test_rows_of_a_file_that_ended_went_with_it():
    assert ends_of([], 9).between(0, 2).tolist() == [9, 9]


def test_a_deleted_row_went_before_its_file():
    ends = ends_of([listed(p1=4)], 9)

    assert ends.between(0, 3).tolist() == [9, 4, 9]


def test_the_earliest_of_several_deletions_counts():
    ends = ends_of([listed(p0=7, p2=7), listed(p2=5)], None)

    assert ends.between(0, 3).tolist() == [7, NEVER, 5]


def test_a_deletion_from_a_file_that_is_gone_says_nothing():
    ends = ends_of([listed(p0=12)], 9)

    assert ends.positions.size == 0
    assert ends.between(0, 1).tolist() == [9]


def test_ends_are_cut_out_by_position():
    ends = ends_of([listed(p2=3, p5=4, p8=5)], None)

    assert ends.between(4, 3).tolist() == [NEVER, 4, NEVER]


@pytest.mark.parametrize(
    ("begin", "end", "came", "went"),
    [
        (3, NEVER, False, False),
        (4, NEVER, True, False),
        (8, NEVER, True, False),
        (9, NEVER, False, False),
        (2, 3, False, False),
        (2, 4, False, True),
        (2, 8, False, True),
        (2, 9, False, False),
        (5, 7, True, True),
        (5, 5, False, False),
        (6, 5, False, False),
        (5, 9, True, False),
    ],
)
def test_a_row_comes_at_its_begin_and_goes_at_its_end(begin, end, came, went):
    span = Span(Window(after=3, upto=8))

    assert born(numbers(begin), numbers(end), span).tolist() == [came]
    assert died(numbers(begin), numbers(end), span).tolist() == [went]


def test_silent_snapshots_are_not_covered():
    span = Span(Window(after=0, upto=5), frozenset({2, 4}))

    assert span.covers(numbers(0, 1, 2, 3, 4, 5, 6)).tolist() == [
        False, True, False, True, False, True, False,
    ]  # fmt: skip
    assert [snapshot in span for snapshot in (2, 3, None)] == [False, True, False]

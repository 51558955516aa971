"""Jobs in threads: their results come in order, few at a time."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from quacklake.scan.stream import in_order


def test_results_come_in_the_order_of_the_jobs():
    jobs = [partial(int, n) for n in range(50)]

    assert list(in_order(jobs, threads=3, ahead=4)) == list(range(50))


def test_a_job_may_leave_smaller_ones_in_its_place():
    def split(n):
        return [partial(str, n), partial(str, -n)]

    jobs = [partial(split, 1), partial(str, "x"), partial(split, 2)]

    assert list(in_order(jobs, threads=2, ahead=2)) == ["1", "-1", "x", "2", "-2"]


@pytest.mark.parametrize("jobs", [[], [list]], ids=["none", "one that leaves none"])
def test_nothing_to_do_gives_nothing(jobs):
    assert list(in_order(jobs, threads=2, ahead=2)) == []


def test_a_job_without_company_is_done_by_the_caller():
    (thread,) = in_order([threading.get_ident], threads=2, ahead=2)

    assert thread == threading.get_ident()


def test_what_a_lonely_job_leaves_is_shared_out():
    meeting = threading.Barrier(2, timeout=30)

    def split():
        return [meeting.wait, meeting.wait]

    assert sorted(in_order([split], threads=2, ahead=2)) == [0, 1]


def test_an_error_ends_the_stream():
    def fail():
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        list(in_order([partial(int, 1), fail, partial(int, 3)], threads=2, ahead=2))

"""Writers that want the same snapshot: one gets it, on every kind of catalog."""

from __future__ import annotations

import multiprocessing
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from quacklake.catalog import Backend, open_catalog, parse_location
from quacklake.catalog.mutations import Insert, InsertInlinedDeletes
from quacklake.format.snapshot import Latest
from quacklake.kernel.errors import Busy, RivalCommit
from tests.support.commits import after, commit, head_of, rows_in, said

WRITERS = 4
PROCESSES = 2


@pytest.fixture
def place(lakes):
    place = lakes.place()
    open_catalog(place.location, data_path=place.data_path).close()
    return place


def attempt(url, expected, writer_number, wait):
    """Commit on top of a snapshot that others commit on too; what became of it."""
    with open_catalog(parse_location(url)) as catalog:
        wait()
        try:
            with catalog.write() as writer:
                snapshot = after(expected)
                writer.claim(snapshot)
                mark = Insert("tag", ((writer_number, snapshot.id, None, "k", "v"),))
                writer.apply([mark, said(snapshot, f"altered_table:{writer_number}")])
        except (RivalCommit, Busy) as lost:
            return type(lost).__name__
        return "won"


def test_of_threads_that_want_one_snapshot_exactly_one_gets_it(place):
    with open_catalog(place.location) as catalog:
        head = head_of(catalog)
        barrier = threading.Barrier(WRITERS)
        with ThreadPoolExecutor(WRITERS) as pool:
            outcomes = [
                pool.submit(attempt, place.url, head, number, barrier.wait)
                for number in range(WRITERS)
            ]
            found = [outcome.result() for outcome in outcomes]

        assert found.count("won") == 1
        (row,) = rows_in(catalog, "tag")
        assert row[0] == found.index("won")
        with catalog.read() as reader:
            assert reader.commits()[-1].changes == f"altered_table:{row[0]}"


def _in_process(url, expected, number):
    return attempt(url, expected, number, _line.wait)


def _at_the_line(line):
    global _line  # noqa: PLW0603  how a pool hands a barrier to its processes
    _line = line


@pytest.mark.slow
def test_of_processes_that_want_one_snapshot_exactly_one_gets_it(place):
    if place.backend is Backend.DUCKDB:
        pytest.skip("a DuckDB file belongs to one process at a time")
    with open_catalog(place.location) as catalog:
        head = head_of(catalog)
    context = multiprocessing.get_context("spawn")
    line = context.Barrier(PROCESSES)

    with ProcessPoolExecutor(PROCESSES, context, _at_the_line, (line,)) as pool:
        tasks = [pool.submit(_in_process, place.url, head, n) for n in range(PROCESSES)]
        found = [task.result() for task in tasks]

    assert found.count("won") == 1
    with open_catalog(place.location) as catalog:
        assert [row[0] for row in rows_in(catalog, "tag")] == [found.index("won")]


def test_writers_that_try_again_all_get_their_turn(place):
    each = 5

    def work(number):
        for i in range(each):
            while True:
                try:
                    commit(
                        catalog,
                        Insert("tag", ((number, i, None, "k", "v"),)),
                        InsertInlinedDeletes(1, ((number, i),), 1),
                        changes=f"altered_table:{number}",
                    )
                except (RivalCommit, Busy):
                    continue
                break

    with open_catalog(place.location) as catalog:
        with ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(work, range(WRITERS)))

        assert len(rows_in(catalog, "tag")) == WRITERS * each
        assert head_of(catalog).id == WRITERS * each
        with catalog.read() as reader:
            ids = [commit.snapshot.id for commit in reader.commits()]
        assert ids == list(range(WRITERS * each + 1))


def test_a_snapshot_that_was_committed_meanwhile_is_refused(place):
    with open_catalog(place.location) as catalog:
        base = head_of(catalog)
        commit(catalog)

        with pytest.raises(RivalCommit), catalog.write() as writer:
            writer.claim(after(base))


def test_what_is_read_after_the_claim_is_what_rivals_left(place):
    with open_catalog(place.location) as catalog:
        commit(catalog, Insert("table_stats", ((1, 10, 10, 0),)))

        with catalog.write() as writer:
            head = writer.snapshot(Latest())
            writer.claim(after(head))

            assert rows_in(writer, "table_stats") == [(1, 10, 10, 0)]
            assert writer.commits_since(head.id)[0].snapshot.id == head.id + 1

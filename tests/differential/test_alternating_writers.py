"""We and DuckDB write to one lake by turns, both attached all the time; both always read the same.

Every operation is done by both in turn. The session of DuckDB lives through all of it, so a
counter that we forget to raise shows up as rows that it prunes away or counts wrongly.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quacklake as ql
from quacklake.catalog import Backend
from quacklake.client.lake import Lake
from tests.support.lakes import Place, lakes_on
from tests.support.referee import Referee
from tests.support.writers import (
    ALTER,
    CLEAN_UP,
    COMPACT,
    FLUSH,
    REWRITE,
    TABLE,
    TRUNCATE,
    Operation,
    Row,
    altered,
    check_catalog,
    check_current,
    check_past,
    delete,
    expire,
    increment,
    insert,
    merge,
    rows_from,
)

SCRIPT = [
    insert(0, 5),
    insert(100, 30),
    increment(2, 2),
    increment(110, 30),
    delete(120, 2),
    insert(200, 3, 9),
    delete(102, 15),
    merge(3, 4, 50),
    merge(125, 40, 60),
    ALTER,
    insert(300, 4),
    altered("RENAME COLUMN c TO d", lambda t: t.rename_column("c", "d")),
    FLUSH,
    insert(400, 25, -5),
    delete(410, 1),
    COMPACT,
    insert(-20, 2),
    increment(400, 3),
    FLUSH,
    REWRITE,
    delete(-20, 1),
    altered("DROP COLUMN d", lambda t: t.drop_column("d")),
    insert(500, 20),
    COMPACT,
    expire([3, 4, 5]),
    CLEAN_UP,
    TRUNCATE,
    insert(600, 3),
    insert(700, 30),
]


class Pair:
    """One lake held by us and by DuckDB, and what must be in it."""

    def __init__(self, lake: Lake, referee: Referee, *, ours_first: bool) -> None:
        self._lake = lake
        self._referee = referee
        self._ours_next = ours_first
        self._rows: list[Row] = []
        self._past: dict[int, list[Row]] = {}

    def create(self) -> None:
        """The table, made by whose turn it is."""
        if self._ours_next:
            self._lake.create_table("t", TABLE)
        else:
            self._referee.execute("CREATE TABLE t (k INTEGER, n BIGINT)")
        self._remember()

    def turn(self, operation: Operation) -> None:
        """The next operation, by the one whose turn it is; then both look."""
        if self._ours_next:
            operation.ours(self._lake, "t")
        else:
            operation.by_duckdb(self._referee, "t")
        self._ours_next = not self._ours_next
        self._rows = operation.model(self._rows)
        check_current(self._lake, self._referee, "t", self._rows)
        self._remember()
        early, late = list(self._past)[:1], list(self._past)[-2:]
        check_past(self._lake, self._referee, "t", {s: self._past[s] for s in (*early, *late)})

    def _remember(self) -> None:
        there = {snapshot.id for snapshot in self._lake.snapshots()}
        self._past = {s: rows for s, rows in self._past.items() if s in there}
        self._past[max(there)] = self._rows

    def end(self) -> None:
        """Look at the whole history and at the catalog."""
        check_past(self._lake, self._referee, "t", self._past)
        check_catalog(self._referee)


@contextmanager
def pair(place: Place, *, ours_first: bool) -> Iterator[Pair]:
    with ql.connect(place.url, data_path=place.data_path) as lake, place.referee() as referee:
        made = Pair(lake, referee, ours_first=ours_first)
        made.create()
        yield made


@pytest.mark.parametrize("ours_first", [True, False])
@pytest.mark.parametrize("backend", [Backend.SQLITE, Backend.POSTGRES])
def test_both_read_the_same_whoever_wrote_last(backend, ours_first, request, tmp_path):
    place = lakes_on(backend, request, tmp_path).place()
    with pair(place, ours_first=ours_first) as both:
        for operation in SCRIPT:
            both.turn(operation)
        both.end()


FIRST = st.integers(0, 40)
COUNT = st.sampled_from([1, 2, 12, 30])
OPERATIONS = st.one_of(
    st.builds(insert, FIRST, COUNT),
    st.builds(delete, FIRST, COUNT),
    st.builds(increment, FIRST, COUNT),
    st.builds(merge, FIRST, COUNT, st.integers(-5, 5)),
    st.sampled_from([FLUSH, COMPACT, REWRITE, TRUNCATE]),
)


@settings(max_examples=6)
@given(st.lists(OPERATIONS, min_size=3, max_size=8), st.booleans())
def test_any_history_by_turns_reads_the_same(history, ours_first):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "catalog.sqlite"
        place = Place(Backend.SQLITE, f"sqlite:///{file}", f"sqlite:{file}", f"{folder}/data/")
        with pair(place, ours_first=ours_first) as both:
            both.turn(insert(0, 30))
            for operation in history:
                both.turn(operation)
            both.end()


def test_a_wider_type_does_not_spoil_the_statistics_of_a_live_session(tmp_path):
    file = tmp_path / "catalog.sqlite"
    place = Place(Backend.SQLITE, f"sqlite:///{file}", f"sqlite:{file}", f"{tmp_path}/data/")
    with ql.connect(place.url, data_path=place.data_path) as lake, place.referee() as referee:
        lake.create_table("t", TABLE).append(rows_from(-20, 50))
        assert referee.rows("SELECT count(*) FROM t WHERE k = -20") == [(1,)]

        lake.table("t").set_type("k", "bigint")
        insert(450, 2).by_duckdb(referee, "t")
        insert(500, 20).by_duckdb(referee, "t")

        keys = (*range(-20, 30), 450, 451, *range(500, 520))
        check_current(lake, referee, "t", [(k, 0) for k in keys])

"""For all queries, data and histories: a stream table on a lake is its query, computed anew."""

from __future__ import annotations

from itertools import count
from random import Random

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from quacklake.catalog import Backend
from tests.support.examples import examples
from tests.support.ivm_histories import random_tables, relations
from tests.support.ivm_queries import Queries
from tests.support.ivm_world import Table, on_duckdb
from tests.support.lakes import lakes_on
from tests.support.streams import Changing, arrow_rows, make_source, streams

pytestmark = pytest.mark.slow

RANDOM = st.randoms(use_true_random=False)
LONG = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def lakes(request, tmp_path_factory):
    """Places of a kind of catalog."""
    folder = tmp_path_factory.mktemp("lakes")
    numbers = count()

    def place(backend):
        below = folder / str(next(numbers))
        below.mkdir()
        return lakes_on(backend, request, below).place()

    return place


def spelled(query: str, tables: tuple[Table, ...]) -> str:
    """A query with the columns that `*` meant when it was declared."""
    for each in tables:
        columns = ", ".join(column.name for column in each.columns)
        query = query.replace(f"select * from {each.name})", f"select {columns} from {each.name})")
    return query


def keeps_up(place, random: Random, *, depth: int, views: int = 4, windows: int = 3):
    tables = random_tables(random)
    grammar = Queries(random, relations(tables))
    with streams(place) as made:
        if random.random() < 0.5:
            made.lake.set_option("data_inlining_row_limit", random.choice([0, 2]))
        for each in tables:
            make_source(made.lake, each)
            made.lake.table(each.name).append(arrow_rows(random, each, random.randint(0, 8)))
        for number in range(views):
            query = grammar.query(depth).sql
            made.keep(f"view_{number}", query, oracle=on_duckdb(spelled(query, tables)))
        for each in made.queries.values():
            note(each)
        for window in range(windows):
            changing = Changing(made.lake, random, tables)
            changing.window()
            note(f"window: {', '.join(changing.done)}")
            reports = made.refreshed()
            assert {report.mode for report in reports.values()} <= {"incremental", "no-change"}
            made.check(verify=window == windows - 1)


@settings(LONG, max_examples=examples(6))
@given(RANDOM)
def test_views_of_one_operator_are_kept_exactly(lakes, random):
    keeps_up(lakes(Backend.SQLITE), random, depth=1)


@settings(LONG, max_examples=examples(6))
@given(RANDOM)
def test_views_of_nested_operators_are_kept_exactly(lakes, random):
    keeps_up(lakes(Backend.SQLITE), random, depth=2)


@pytest.mark.parametrize("backend", [Backend.DUCKDB, Backend.POSTGRES])
@settings(LONG, max_examples=examples(3))
@given(RANDOM)
def test_views_are_kept_exactly_on_other_catalogs(lakes, backend, random):
    keeps_up(lakes(backend), random, depth=2, windows=2)

"""For all queries, data and histories: what is kept by deltas is what is computed anew."""

from __future__ import annotations

from random import Random

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.ivm_histories import random_start, random_tables, random_window, relations
from tests.support.ivm_queries import Queries
from tests.support.ivm_world import World, check_history

RANDOM = st.randoms(use_true_random=False)


@pytest.fixture(scope="module")
def con():
    with duckdb.connect(config={"threads": 1}) as connection:
        yield connection


def keeps_up(con: duckdb.DuckDBPyConnection, random: Random, depth: int, *, keep_state: bool):
    tables = random_tables(random)
    world = World(tables, con)
    world.step(random_start(random, tables))
    sql = Queries(random, relations(tables)).query(depth).sql
    windows = (random_window(random, world) for _ in range(3))

    check_history(world, sql, windows, keep_state=keep_state)


@settings(max_examples=examples(200))
@given(RANDOM)
def test_one_operator_is_kept_exactly(con, random):
    keeps_up(con, random, 1, keep_state=True)


@pytest.mark.slow
@settings(max_examples=examples(160))
@given(RANDOM)
def test_two_nested_operators_are_kept_exactly(con, random):
    keeps_up(con, random, 2, keep_state=True)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@settings(max_examples=examples(50))
@given(RANDOM)
def test_three_nested_operators_are_kept_exactly(con, random):
    keeps_up(con, random, 3, keep_state=True)


@pytest.mark.slow
@settings(max_examples=examples(120))
@given(RANDOM)
def test_without_state_everything_is_kept_exactly_too(con, random):
    keeps_up(con, random, 2, keep_state=False)

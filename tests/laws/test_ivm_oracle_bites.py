"""The harness finds wrong rules: each rule is broken on purpose, and that is seen."""

from __future__ import annotations

from random import Random

import duckdb
import pytest

from quacklake.ivm.delta import change as rules
from quacklake.ivm.delta import stored
from quacklake.ivm.delta.states import States
from tests.support.ivm_histories import random_start, random_window
from tests.support.ivm_world import World, check_history, table

TABLES = (table("a", "id int, k int, v int"), table("b", "id int, k int, v int"))


def caught(sql: str) -> int:
    """In how many of some random histories the harness sees a difference."""
    found = 0
    with duckdb.connect(config={"threads": 1}) as con:
        for seed in range(12):
            random = Random(seed)
            world = World(TABLES, con)
            world.step(random_start(random, TABLES))
            try:
                check_history(world, sql, (random_window(random, world) for _ in range(3)))
            except AssertionError:
                found += 1
    return found


JOIN = "select a.id, b.v from a join b on a.k = b.k"
ANTI = "select id from a where not exists (select 1 from b where b.k = a.k)"
LEFT = "select a.id, b.v from a left join b on a.k = b.k"
EXTREMA = "select k, max(v) as m from a group by k"


@pytest.mark.parametrize("sql", [JOIN, ANTI, LEFT, EXTREMA])
def test_the_rules_as_they_are_pass(sql):
    assert caught(sql) == 0


@pytest.mark.parametrize("sql", [JOIN, ANTI, LEFT])
def test_the_new_state_in_place_of_the_old_is_caught(monkeypatch, sql):
    monkeypatch.setattr(States, "old", States.new)

    assert caught(sql) > 2


def test_a_left_join_that_forgets_its_pads_is_caught(monkeypatch):
    def without_pads(self, plan, left, right):
        return rules.Filter(
            rules.exactly(lonely(self, plan, left, right), rules.columns_of(plan)),
            rules.exp.false(),
        )

    lonely = rules.Differential._lonely
    monkeypatch.setattr(rules.Differential, "_lonely", without_pads)

    assert caught(LEFT) > 2


def test_an_extremum_that_is_never_recomputed_is_caught(monkeypatch):
    monkeypatch.setattr(stored._Carrying, "mended", lambda self, after, *_: after)

    assert caught(EXTREMA) > 2


def test_keys_that_do_not_match_null_are_caught(monkeypatch):
    from quacklake.ivm.lowering import operators

    plain = lambda left, right: operators.exp.EQ(this=left.copy(), expression=right.copy())  # noqa: E731
    monkeypatch.setattr(operators, "null_safe_equal", plain)

    assert caught("select k, count(distinct v) as n from a group by k") > 2

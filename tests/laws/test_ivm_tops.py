"""First rows of all are kept exactly, and the input is read again only when rows ran out."""

from __future__ import annotations

from collections import Counter

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quacklake.ivm import State
from quacklake.ivm.passes import store_tops
from tests.support.examples import examples
from tests.support.ivm_histories import random_row
from tests.support.ivm_world import World, check_history, maintained, reads_of, table

L = table("l", "k int, v int, s string")
R = table("r", "k int, w int")
QUERIES = (
    "select * from l order by v, k, s limit 3",
    "select v, s from l order by v desc nulls last, s limit 2",
    "select s, k from l where k is not null order by k + v desc, s, k limit 2 offset 2",
    "select l.v, r.w from l join r on l.k = r.k order by r.w desc, l.v limit 4",
    "select k, count(*) as n from l group by k order by n desc, k limit 2",
    "select r.w, t.v from r left join (select k, v from l order by v, k limit 3) t on r.k = t.k",
    "select sum(v) as total from (select v from l order by v desc limit 3)",
    "(select v from l order by v limit 2) union all (select w from r order by w desc limit 2)",
)
RANDOM = st.randoms(use_true_random=False)


@pytest.fixture(scope="module")
def con():
    with duckdb.connect(config={"threads": 1}) as connection:
        yield connection


@pytest.fixture(scope="module", autouse=True)
def little_to_spare():
    """As many rows in reserve as are shown, so that they run out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store_tops, "_SPARE", 0)
        yield


def changed(random, world) -> dict[str, Counter]:
    """Rows come and go; now and then many go at once."""
    change = {}
    for each in (L, R):
        there = list(world.rows[each.name].elements())
        some = random.choice([0, 1, 1, 2, 8])
        bag = Counter(random_row(random, each) for _ in range(random.choice([0, 0, 1, 3])))
        bag.subtract(random.sample(there, min(some, len(there))))
        change[each.name] = bag
    return change


@pytest.mark.parametrize("sql", QUERIES)
@settings(max_examples=examples(6))
@given(random=RANDOM)
def test_first_rows_are_kept_exactly(con, sql, random):
    world = World((L, R), con)
    world.step({each.name: Counter(random_row(random, each) for _ in range(14)) for each in (L, R)})

    check_history(world, sql, (changed(random, world) for _ in range(6)))


def numbered(*numbers: int, weight: int = 1) -> Counter:
    return Counter({(number, number, "x"): weight for number in numbers})


def test_the_input_is_read_again_only_when_the_rows_ran_out(con):
    world = World((L, R), con)
    world.step({"l": numbered(*range(100))})
    kept = maintained(world, "select v from l order by v limit 3")

    def reads(change: Counter) -> bool:
        """Whether a refresh after the change needs rows of the table."""
        touched = world.step({"l": change})
        program = kept.view.delta("duckdb", changed=touched)
        (new,) = [read for read in program.reads if read.state is State.NEW]
        (key,) = new.keys
        assert key.columns == ()
        own = reads_of(program, kept.own)
        needed = con.execute(program.step_sql(key.step, reads=own)).fetchall()
        kept.refresh(touched)
        assert kept.rows == world.recomputed("select v from l order by v limit 3")[1]
        return bool(needed)

    assert not reads(numbered(200, 201))
    assert not reads(numbered(50, 60, 70, weight=-1))
    assert not reads(numbered(-1) + numbered(300))
    assert not reads(Counter({(0, 0, "x"): -1, (1, 1, "x"): -1}))
    assert reads(numbered(2, 3, 4, weight=-1))
    assert not reads(numbered(5, weight=-1))

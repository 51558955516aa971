"""A sample of the law on Spark: what is kept by deltas is what Spark computes of the query."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

import quacklake as ql
from tests.support.ivm_histories import random_tables, relations
from tests.support.ivm_queries import Queries
from tests.support.ivm_world import comparable
from tests.support.spark import ONE_WORKER, held_here_up_to
from tests.support.streams import Changing, arrow_rows, make_source

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), ONE_WORKER]


@pytest.mark.parametrize(("seed", "large"), [(0, 1_000_000), (2, 1)])
def test_random_views_are_kept_exactly(seed, large, tmp_path, spark, monkeypatch):
    """Changes of more than `large` rows are applied by Spark itself."""
    held_here_up_to(large, monkeypatch)
    random = Random(seed)
    tables = random_tables(random)
    grammar = Queries(random, relations(tables))
    url = f"sqlite:///{tmp_path}/c.sqlite"
    with ql.connect(url, data_path=f"{tmp_path}/data/", engine="spark") as lake:
        for each in tables:
            make_source(lake, each)
            lake.table(each.name).append(arrow_rows(random, each, 6))
        queries = {f"view_{number}": grammar.query(1 + number % 2).sql for number in range(3)}
        for name, query in queries.items():
            lake.create_stream_table(name, query, mode="incremental")
        for _ in range(2):
            changing = Changing(lake, random, tables)
            changing.insert(random.choice(tables))
            changing.update(random.choice(tables))
            changing.delete(random.choice(tables))
            changing.moved()
            reports = lake.refresh()

            assert {report.mode for report in reports} <= {"incremental", "no-change"}
            for name, query in queries.items():
                stored, expected = rows(lake.table(name)), rows(lake.sql(spelled(lake, query)))
                assert stored == expected, f"{name} after {changing.done}: {query}"


def spelled(lake: ql.Lake, query: str) -> str:
    """A query with the columns that `*` meant before any was added."""
    for name in "abc":
        columns = [c for c in lake.table(name).schema.names if not c.startswith("more_")]
        query = query.replace(f"select * from {name})", f"select {', '.join(columns)} from {name})")
    return query


def rows(found) -> Counter[tuple[object, ...]]:
    return Counter(comparable(row.values()) for row in found.to_arrow().to_pylist())

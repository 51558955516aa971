"""Recursive stream tables kept by Spark: rows that come are followed, all else is computed anew."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

import quacklake as ql
from tests.support.graphs import add, bag, graph_lake
from tests.support.spark import ONE_WORKER

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), ONE_WORKER]

PATHS = """WITH RECURSIVE reached AS (
    SELECT child, 1 AS depth FROM edges WHERE parent = 0
    UNION ALL
    SELECT e.child, r.depth + 1 FROM reached r JOIN edges e ON e.parent = r.child
) SELECT n.name, count(*) AS n, max(r.depth) AS depth
FROM reached r LEFT JOIN names n ON n.id = r.child GROUP BY n.name"""
PAIRS = """WITH RECURSIVE pairs(a, b) AS (
    SELECT parent, child FROM edges
    UNION
    SELECT p.a, e.child FROM pairs p JOIN edges e ON e.parent <=> p.b
) SELECT a, count(*) AS n, max(b) AS furthest FROM pairs GROUP BY a"""
ANEW = """WITH RECURSIVE reached AS (
    SELECT max(child) AS child FROM edges
    UNION ALL
    SELECT e.parent FROM reached r JOIN edges e ON e.child = r.child
) SELECT child FROM reached"""


@pytest.fixture
def lake(tmp_path):
    with graph_lake(tmp_path, "spark") as made:
        names = {"id": pa.array([1, 2, 3], pa.int32()), "name": ["one", "two", None]}
        made.table("names").append(pa.table(names))
        yield made


def test_spark_follows_a_recursion_round_by_round(lake):
    view = lake.create_stream_table("reached", PATHS, mode="incremental")
    assert bag(view.to_arrow()) == bag(lake.sql(PATHS).to_arrow())
    add(lake, (3, 7), (1, 4))
    lake.table("names").delete("id = 2")

    assert view.refresh().mode == "incremental"

    assert bag(view.to_arrow()) == Counter([("one", 1, 1), (None, 5, 5)])
    assert view.verify()
    lake.table("edges").delete("parent = 3")
    with pytest.raises(ql.Unsupported, match="lost rows"):
        view.refresh()
    report = view.refresh(mode="full")
    assert (report.mode, bag(view.to_arrow())) == ("full", Counter([("one", 1, 1), (None, 3, 3)]))
    add(lake, (4, 5), (5, 6))
    assert view.refresh().mode == "incremental"
    assert bag(view.to_arrow()) == bag(lake.sql(PATHS).to_arrow())


def test_spark_knows_distinct_rows_though_its_own_recursion_does_not(lake):
    view = lake.create_stream_table("pairs", PAIRS, mode="incremental")
    assert bag(view.to_arrow()) == Counter([(0, 3, 3), (1, 2, 3), (2, 1, 3), (7, 1, 8)])
    add(lake, (3, 1), (3, 1), (8, None), (None, 9))

    assert view.refresh().mode == "incremental"

    assert bag(view.to_arrow()) == Counter(
        [(0, 3, 3), (1, 3, 3), (2, 3, 3), (3, 3, 3), (7, 3, 9), (8, 2, 9), (None, 1, 9)]
    )
    assert view.verify()


def test_spark_computes_anew_what_it_cannot_follow(lake):
    view = lake.create_stream_table("up", ANEW)
    add(lake, (3, 9))

    report = view.refresh()

    assert (report.mode, "an aggregate on 'edges'" in report.reason) == ("full", True)
    assert bag(view.to_arrow()) == Counter([(9,), (3,), (2,), (1,), (0,)])
    assert view.verify()

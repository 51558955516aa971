"""Recursive queries as stream tables: rows that come are followed, all else is computed anew."""

from __future__ import annotations

import math
from collections import Counter

import pyarrow as pa
import pytest

import quacklake as ql
from tests.support.graphs import add, bag, graph_lake
from tests.support.referee import Referee

REACHED = """WITH RECURSIVE reached AS (
    SELECT child, parent FROM edges WHERE parent = 0
    UNION ALL
    SELECT e.child, r.parent FROM edges e JOIN reached r ON e.parent = r.child
) SELECT child FROM reached"""

PAIRS = """WITH RECURSIVE pairs(a, b) AS (
    SELECT parent, child FROM edges
    UNION
    SELECT p.a, e.child FROM pairs p JOIN edges e ON e.parent = p.b
) SELECT a, count(*) AS n, max(b) AS furthest FROM pairs GROUP BY a"""

COUNTED = """WITH RECURSIVE reached AS (
    SELECT child, 1 AS depth FROM edges WHERE parent = 0
    UNION ALL
    SELECT e.child, r.depth + 1 FROM reached r, edges e WHERE e.parent = r.child AND r.depth < 9
), named AS (SELECT id, name FROM names WHERE name IS NOT NULL)
SELECT r.child, r.depth, n.name FROM reached r LEFT JOIN named n ON n.id = r.child"""


@pytest.fixture
def lake(tmp_path):
    with graph_lake(tmp_path, "local") as made:
        yield made


def children(view):
    return sorted(view.to_arrow().column("child").to_pylist())


def states(lake):
    return [f"{each.schema}.{each.name}" for each in lake.tables() if each.schema == "_quacklake"]


def test_rows_that_come_are_followed_and_rows_that_go_are_not(lake):
    view = lake.create_stream_table("reached", REACHED)
    assert children(view) == [1, 2, 3]
    add(lake, (3, 7))

    report = view.refresh()

    assert (report.mode, report.rows_in, report.rows_out) == ("incremental", 1, 2)
    assert children(view) == [1, 2, 3, 7, 8]
    assert view.verify()
    assert view.refresh().mode == "no-change"
    lake.table("edges").delete("parent = 1")
    report = view.refresh()
    assert (report.mode, children(view)) == ("full", [1])
    assert report.reason == (
        "'main.edges' lost rows, and the recursion 'reached' follows only rows that come"
    )
    assert view.history()[0].report.reason == report.reason
    add(lake, (1, 3))
    assert (view.refresh().mode, children(view)) == ("incremental", [1, 3, 7, 8])


@pytest.mark.parametrize("query", [REACHED, PAIRS, COUNTED])
def test_every_shape_is_kept_as_duckdb_computes_it(lake, tmp_path, query):
    view = lake.create_stream_table("kept", query, mode="incremental")
    windows = [
        [(3, 4), (3, 4), (4, 5)],
        [(8, 9), (5, 7)],
        [(0, 0)] if query is PAIRS else [(0, 2)],
        [(None, 6), (6, None), (5, 6)],
    ]
    for window in windows:
        add(lake, *window)
        lake.table("names").append(pa.table({"id": pa.array([4, 9], pa.int32()), "name": [*"xy"]}))

        assert view.refresh().mode == "incremental"

        with Referee(f"sqlite:{tmp_path}/c.sqlite") as referee:
            expected = Counter(map(tuple, referee.rows(query)))
        assert bag(view.to_arrow()) == expected
        assert view.verify()


def test_what_only_the_rest_of_the_query_reads_may_lose_rows(lake):
    view = lake.create_stream_table("named", COUNTED)
    lake.table("names").append(pa.table({"id": pa.array([1, 2], pa.int32()), "name": [*"ab"]}))
    view.refresh()
    lake.table("names").delete("id = 1")
    add(lake, (3, 4))

    assert view.refresh().mode == "incremental"

    assert bag(view.to_arrow()) == Counter([(1, 1, None), (2, 2, "b"), (3, 3, None), (4, 4, None)])
    assert view.verify()


def test_a_change_that_leaves_the_columns_alone_which_are_read_is_followed(lake):
    lake.table("edges").add_column("note", "varchar")
    view = lake.create_stream_table("reached", REACHED)
    lake.table("edges").update({"note": "'x'"}, where="parent = 1")
    add(lake, (3, 4))

    assert (view.refresh().mode, children(view)) == ("incremental", [1, 2, 3, 4])


def test_only_changes_means_an_error_where_rows_went(lake):
    view = lake.create_stream_table("reached", REACHED, mode="incremental")
    lake.table("edges").delete("parent = 1")
    add(lake, (3, 4))

    with pytest.raises(ql.Unsupported, match="lost rows"):
        view.refresh()

    assert children(view) == [1, 2, 3]
    assert "the next refresh: refused, 'main.reached' cannot be" in str(view.explain())
    assert view.refresh(mode="full").mode == "full"
    add(lake, (1, 5))
    assert (view.refresh().mode, children(view)) == ("incremental", [1, 5])


NOT_KEPT = {
    "an aggregate over 'r'": """WITH RECURSIVE r AS (SELECT child FROM edges UNION ALL
        SELECT max(r.child) + 1 AS child FROM r HAVING max(r.child) < 5) SELECT child FROM r""",
    "a DISTINCT over 'r'": """WITH RECURSIVE r AS (SELECT child FROM edges UNION ALL
        SELECT DISTINCT r.child + 1 AS child FROM r WHERE child < 5) SELECT child FROM r""",
    "an outer join over 'r'": """WITH RECURSIVE r AS (SELECT child FROM edges WHERE parent = 0
        UNION ALL SELECT e.child FROM r LEFT JOIN edges e ON e.parent = r.child
        WHERE e.child IS NOT NULL) SELECT child FROM r""",
    "an anti join over 'r'": """WITH RECURSIVE r AS (SELECT child FROM edges WHERE parent = 0
        UNION ALL SELECT r.child + 1 AS child FROM r WHERE child < 9 AND NOT EXISTS
        (SELECT 1 FROM edges e WHERE e.parent = r.child)) SELECT child FROM r""",
    "an aggregate on 'edges'": """WITH RECURSIVE r AS (SELECT max(child) AS child FROM edges
        UNION ALL SELECT r.child + 1 AS child FROM r WHERE child < 9) SELECT child FROM r""",
    "2 uses of 'r' in its own definition": """WITH RECURSIVE r AS (SELECT parent, child FROM edges
        UNION SELECT a.parent, b.child FROM r a JOIN r b ON a.child = b.parent)
        SELECT child FROM r""",
    "columns of 'r' without a name": """WITH RECURSIVE r AS (SELECT child + 1 FROM edges
        UNION SELECT e.child FROM r JOIN edges e ON e.parent > 100) SELECT count(*) AS n FROM r""",
    "a recursion inside a subquery": """SELECT child FROM (WITH RECURSIVE r AS
        (SELECT child FROM edges UNION ALL SELECT child + 1 FROM r WHERE child < 5)
        SELECT child FROM r) AS x""",
}


@pytest.mark.parametrize("why", NOT_KEPT)
def test_what_does_not_fit_is_computed_anew_and_says_why_by_name(lake, why):
    query = NOT_KEPT[why]

    found = lake.validate(query)

    assert not found
    assert found.reason == f"a recursive common table expression with {why} is computed anew"
    with pytest.raises(ql.Unsupported, match="recursive"):
        lake.create_stream_table("kept", query, mode="incremental")
    view = lake.create_stream_table("kept", query)
    add(lake, (3, 4))
    with pytest.raises(ql.Unsupported, match="recursive"):
        view.refresh(mode="incremental")
    report = view.refresh()
    assert (report.mode, report.reason) == ("full", found.reason)
    assert found.reason in str(view.explain())
    assert view.verify()


def test_what_can_be_followed_says_so_before_and_after(lake):
    found = lake.validate(REACHED)
    assert found
    assert found.reason == "every operator has a rule; the recursion follows only rows that come"
    view = lake.create_stream_table("reached", REACHED)

    told = str(view.explain())

    assert "recursion reached  [semi-naive, where rows only come; else computed anew]" in told
    assert "rows of the recursion 'reached' (child, parent), by child" in told
    assert "the next refresh: nothing" in told
    lake.table("edges").delete("parent = 2")
    assert "the next refresh: full, 'main.edges' lost rows" in str(view.explain())
    assert view.lineage() == {"child": ["main.edges.child"]}
    counted = lake.create_stream_table("counted", COUNTED)
    assert counted.lineage()["name"] == ["main.names.name"]
    assert counted.lineage()["depth"] == []


def test_a_cycle_without_end_is_an_error_that_changes_nothing(lake):
    view = lake.create_stream_table("reached", REACHED)
    before = view.to_arrow(), view.frontier, [lake.table(each).to_arrow() for each in states(lake)]
    add(lake, (3, 1))

    with pytest.raises(ql.Unsupported, match="does not end") as refused:
        view.refresh()

    assert "UNION" in refused.value.hint
    assert before == (
        view.to_arrow(),
        view.frontier,
        [lake.table(each).to_arrow() for each in states(lake)],
    )


def test_a_cycle_ends_where_rows_are_distinct(lake):
    view = lake.create_stream_table("pairs", PAIRS)
    add(lake, (3, 1), (3, 1))

    assert view.refresh().mode == "incremental"

    assert bag(view.to_arrow()) == Counter([(0, 3, 3), (1, 3, 3), (2, 3, 3), (3, 3, 3), (7, 1, 8)])
    assert view.verify()


def test_nan_and_zeros_and_null_are_the_same_as_to_distinct(lake):
    lake.create_table("hops", {"a": "double", "b": "double"})
    query = """WITH RECURSIVE r AS (SELECT a, b FROM hops UNION
        SELECT r.a, h.b FROM r JOIN hops h ON h.a <=> r.b) SELECT a, b FROM r"""
    view = lake.create_stream_table("r", query, mode="incremental")
    numbers = [(0.0, math.nan), (math.nan, None), (None, -0.0), (-0.0, math.nan), (1.0, 0.0)]
    for pair in numbers:
        lake.table("hops").append(pa.table({"a": [pair[0]], "b": [pair[1]]}))
        assert view.refresh().mode == "incremental"
        assert view.verify()
    assert view.to_arrow().num_rows == 12


def test_state_goes_along_with_rewind_replace_and_drop(lake):
    view = lake.create_stream_table("reached", REACHED)
    at = lake.snapshots()[-1].id
    add(lake, (3, 4))
    view.refresh()
    assert len(states(lake)) == 1

    view.rewind(snapshot=at)

    assert children(view) == [1, 2, 3]
    assert lake.table(states(lake)[0]).to_arrow().num_rows == 3
    add(lake, (4, 5))
    assert (view.refresh().mode, children(view)) == ("incremental", [1, 2, 3, 4, 5])
    kept = lake.create_stream_table("reached", REACHED + " -- the same", replace=True)
    assert kept.made.mode == "no-change"
    other = lake.create_stream_table("reached", REACHED + " WHERE child > 2", replace=True)
    assert (len(states(lake)), children(other)) == (1, [3, 4, 5])
    add(lake, (5, 6))
    assert (other.refresh().mode, children(other)) == ("incremental", [3, 4, 5, 6])
    other.drop()
    assert states(lake) == []


def test_stream_tables_read_each_other_through_a_recursion(lake):
    lake.create_stream_table("short", "SELECT parent, child FROM edges WHERE child < 100")
    lake.create_stream_table("reached", REACHED.replace("edges", "short"))
    lake.create_stream_table("total", "SELECT count(*) AS n, sum(child) AS s FROM reached")
    add(lake, (3, 4), (4, 200))

    reports = lake.refresh()

    assert [each.mode for each in reports] == ["incremental"] * 3
    assert bag(lake.table("total").to_arrow()) == Counter([(4, 10)])
    lake.table("edges").delete("child = 4")
    assert [each.mode for each in lake.refresh()] == ["incremental", "full", "incremental"]
    assert bag(lake.table("total").to_arrow()) == Counter([(3, 6)])


@pytest.mark.parametrize("union", ["UNION ALL", "UNION"])
def test_rows_read_stay_the_same_as_the_edges_grow(tmp_path, union):
    read = [rows_read_at_a_leaf(tmp_path / str(size), size, union) for size in (4_000, 64_000)]

    assert read[1] <= read[0] * 1.1


def rows_read_at_a_leaf(folder, size, union):
    folder.mkdir()
    url = f"sqlite:///{folder}/c.sqlite"
    with ql.connect(url, data_path=f"{folder}/data/", engine="local") as lake:
        lake.set_option("parquet_row_group_size", 500)
        # A tree in which the parent of n is n / 4.
        numbers = range(1, size)
        edges = {"parent": [number // 4 for number in numbers], "child": list(numbers)}
        lake.create_table("edges", pa.table(edges))
        view = lake.create_stream_table("reached", REACHED.replace("UNION ALL", union))
        new = [size * 10, size * 10 + 1]
        lake.table("edges").append(pa.table({"parent": [size - 1, new[0]], "child": new}))
        report = view.refresh()
        assert (report.mode, report.rows_in, report.rows_out) == ("incremental", 2, 2)
        assert view.verify()
    return report.rows_read

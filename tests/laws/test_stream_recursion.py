"""Recursive stream tables over random graphs are what DuckDB computes, after every window."""

from __future__ import annotations

from collections import Counter
from random import Random

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from quacklake.catalog import Backend
from quacklake.pipeline import recursing
from tests.support.examples import examples
from tests.support.lakes import Lakes
from tests.support.streams import Streams, streams

pytestmark = pytest.mark.slow

# Nodes of an acyclic graph are joined upwards only, so that UNION ALL has an end.
ACYCLIC = {
    "paths": """WITH RECURSIVE r AS (
        SELECT parent AS a, child AS b, 1 AS depth FROM edges WHERE parent < 3
        UNION ALL
        SELECT r.a, e.child, r.depth + 1 FROM r JOIN edges e ON e.parent = r.b
    ) SELECT a, b, depth FROM r""",
    "counted": """WITH RECURSIVE r(node, label) AS (
        SELECT id, label FROM nodes WHERE id = 0 OR label = 'root'
        UNION ALL
        SELECT n.id, r.label FROM edges e, r, nodes n
        WHERE e.parent = r.node AND n.id = e.child AND n.label IS NOT NULL
    ), few AS (SELECT label, count(*) AS n, max(node) AS top FROM r GROUP BY label)
    SELECT n.id, f.label, f.n, f.top FROM nodes n LEFT JOIN few f ON f.top = n.id""",
    "met": """WITH RECURSIVE known AS (SELECT DISTINCT id FROM nodes WHERE id > 0), r AS (
        SELECT child AS b FROM edges WHERE parent IS NULL
        UNION ALL
        SELECT e.child FROM r JOIN edges e ON e.parent <=> r.b
        WHERE e.parent IN (SELECT id FROM known)
    ) SELECT b, count(*) AS n FROM r GROUP BY b HAVING count(*) < 20""",
}
ANY = {
    "closure": """WITH RECURSIVE r AS (
        SELECT parent AS a, child AS b FROM edges
        UNION
        SELECT r.a, e.child FROM r JOIN edges e ON e.parent = r.b
    ) SELECT a, b FROM r""",
    "spread": """WITH RECURSIVE r AS (
        SELECT id, label FROM nodes WHERE id < 3
        UNION
        SELECT e.child, coalesce(n.label, r.label) FROM r
        JOIN edges e ON e.parent <=> r.id JOIN nodes n ON n.id = r.id
    ) SELECT label, count(*) AS n, count(DISTINCT id) AS ids FROM r GROUP BY label""",
    "apart": """WITH RECURSIVE r AS (
        SELECT 0 AS id UNION SELECT e.child FROM edges e, r WHERE e.parent = r.id
    ) SELECT n.id, n.label FROM nodes n WHERE n.id NOT IN (SELECT id FROM r WHERE id IS NOT NULL)
    UNION ALL SELECT max(id), 'most' FROM r""",
}
EDGES, LABELS = ("edges", ("parent", "child")), ("nodes", ("id", "label"))
FOLLOWED = {
    "paths": {EDGES}, "counted": {EDGES, LABELS}, "met": {EDGES, ("nodes", ("id",))},
    "closure": {EDGES}, "spread": {EDGES, LABELS}, "apart": {EDGES},
}  # fmt: skip
NODES = 9


def numbers(values):
    return pa.array(values, pa.int32())


def edges(random: Random, *, acyclic: bool):
    pairs = []
    for _ in range(random.randint(1, 4)):
        one, other = random.randrange(NODES), random.randrange(NODES)
        if acyclic:
            one, other = sorted(random.sample(range(NODES), 2))
            one = random.choice([one, one, one, None])
        elif random.random() < 0.15:
            one, other = random.choice([(None, other), (one, None)])
        pairs.append((one, other))
    return pa.table({"parent": numbers([a for a, _ in pairs]),
                     "child": numbers([b for _, b in pairs])})  # fmt: skip


def nodes(random: Random):
    count = random.randint(1, 3)
    labels = [random.choice(["root", "x", "y", None]) for _ in range(count)]
    ids = [random.choice([*range(NODES), None]) for _ in range(count)]
    return pa.table({"id": numbers(ids), "label": pa.array(labels, pa.string())})


def window(made: Streams, random: Random, *, acyclic: bool) -> None:
    """Changes of both tables; rows go seldom, and sometimes are only moved."""
    lake = made.lake
    for _ in range(random.randint(1, 3)):
        if random.random() < 0.7:
            lake.table("edges").append(edges(random, acyclic=acyclic))
        else:
            lake.table("nodes").append(nodes(random))
    if random.random() < 0.3:
        table, key = random.choice([("edges", "parent"), ("nodes", "id")])
        lake.table(table).delete(f"{key} = {random.randrange(NODES)}")
    if random.random() < 0.2:
        lake.table("nodes").update({"label": "'x'"}, where=f"id = {random.randrange(NODES)}")
    if random.random() < 0.3:
        lake.flush_inlined_data()
        lake.merge_adjacent_files("edges")


def has_lost(made: Streams, since: int, table: str, columns: tuple[str, ...]) -> bool:
    """Whether there are, in sum, fewer of some values than before."""
    change = made.lake.table(table).changes(since).weighted().to_arrow()
    sums: Counter[tuple[object, ...]] = Counter()
    for row in change.to_pylist():
        sums[tuple(row[name] for name in columns)] += row["weight"]
    return min(sums.values(), default=0) < 0


@pytest.fixture(scope="module")
def lakes(tmp_path_factory):
    return Lakes(Backend.SQLITE, tmp_path_factory.mktemp("lakes"))


@pytest.mark.parametrize("acyclic", [True, False])
@settings(max_examples=examples(4), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.randoms(use_true_random=False))
def test_a_recursion_is_exact_after_every_window_and_says_how_it_was_kept(lakes, acyclic, random):
    with streams(lakes.place()) as made:
        made.lake.create_table("edges", {"parent": "int", "child": "int"})
        made.lake.create_table("nodes", {"id": "int", "label": "varchar"})
        if random.random() < 0.5:
            made.lake.set_option("data_inlining_row_limit", 0)
        for name, query in {**ANY, **(ACYCLIC if acyclic else {})}.items():
            made.keep(name, query)
        for number in range(4):
            at = made.lake.snapshots()[-1].id
            window(made, random, acyclic=acyclic)
            for report in made.lake.refresh():
                read = FOLLOWED[report.name.removeprefix("main.")]
                lost = any(has_lost(made, at, table, columns) for table, columns in read)
                note(f"{report.name}: {report.mode}, {report.reason}")
                assert (report.mode == "full") is lost
                assert not lost or "lost rows, and the recursion 'r' follows" in report.reason
            made.check(verify=number == 3)


def test_the_law_would_notice_a_round_that_is_left_out(lakes, monkeypatch):
    whole = recursing.gained

    def first_round_only(view, *rest):
        return whole(view, *rest).slice(0, 1)

    monkeypatch.setattr("quacklake.pipeline.refreshing.gained", first_round_only)
    with streams(lakes.place()) as made:
        made.lake.create_table("edges", {"parent": "int", "child": "int"})
        made.keep("closure", ANY["closure"])
        chain = {"parent": numbers([1, 2, 3]), "child": numbers([2, 3, 4])}
        made.lake.table("edges").append(pa.table(chain))
        made.refreshed()
        with pytest.raises(AssertionError, match="closure"):
            made.check()

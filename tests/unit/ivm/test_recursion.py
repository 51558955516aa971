"""Recursive queries taken apart: what is read, by which keys, and what stands against it."""

from __future__ import annotations

import pytest

from quacklake.ivm import RECURSION, ROWS, RecursiveView, SourceColumn, State, recursive_view

SCHEMA = {
    "edges": [SourceColumn("parent", "INT"), SourceColumn("child", "INT")],
    "shop.names": [SourceColumn("id", "INT"), SourceColumn("name", "STRING")],
}
REACHED = """with recursive some as (select * from edges where child > 0), r as (
    select child, 1 as depth from some where parent = 0
    union all
    select e.child, r.depth + 1 from r join some e on e.parent = r.child
) select n.name, count(*) as n from r join shop.names n on n.id = r.child group by n.name"""


def followed(sql: str) -> RecursiveView:
    view = recursive_view(sql, SCHEMA)
    assert isinstance(view, RecursiveView), view.recomputed
    return view


def reads(program):
    return {
        (each.source, each.state, tuple(key.columns for key in each.keys)) for each in program.reads
    }


def test_a_recursive_view_knows_its_parts():
    view = followed(REACHED)

    assert (view.name, view.columns, view.distinct) == ("r", ("child", "depth"), False)
    assert (view.names, view.types) == (("name", "n"), ("STRING", "BIGINT"))
    assert (view.sources, view.followed) == ({"edges", "shop.names"}, {"edges"})
    assert [(each.name, each.key) for each in view.states] == [
        (RECURSION, None),
        ("state_1", ("key_1",)),
    ]


def test_the_first_round_meets_old_rows_by_the_keys_of_the_change():
    assert reads(followed(REACHED).seed("duckdb", {"edges"})) == {
        ("edges", State.CHANGE, ()),
        (ROWS, State.NEW, (("child",),)),
    }


def test_each_other_round_meets_tables_by_the_keys_of_the_last_one():
    assert reads(followed(REACHED).round("spark")) == {
        (ROWS, State.CHANGE, ()),
        ("edges", State.NEW, (("parent",),)),
    }


def test_nothing_is_gained_where_only_the_rest_of_the_query_changed():
    assert followed(REACHED).seed("spark", {"shop.names"}) is None


def test_the_whole_is_computed_once_and_kept_as_it_will_be_looked_for():
    program = followed(REACHED).full("duckdb")

    assert [each.name for each in program.steps][:2] == [RECURSION, "new_1"]
    assert {each.source for each in program.reads} == {"edges", "shop.names"}
    assert program.state_sql(RECURSION, kept=(RECURSION,)) == (
        'SELECT "child", "depth" FROM "recursion" ORDER BY "child"'
    )
    assert "WITH RECURSIVE" in program.sql()


def test_lineage_leads_through_any_number_of_rounds():
    sql = """with recursive r(a, b) as (select parent, 0 from edges union select r.b, e.child
        from r join edges e on e.parent = r.a) select a, b, 1 as one from r"""

    assert followed(sql).lineage() == {
        "a": {("edges", "parent"), ("edges", "child")},
        "b": {("edges", "child")},
        "one": frozenset(),
    }


@pytest.mark.parametrize(
    ("why", "sql"),
    [
        ("2 recursions", """with recursive a as (select 1 as n union all select n + 1 from a),
            b as (select 1 as n union all select n + 1 from b) select a.n from a, b"""),
        ("no UNION of a start and a step in 'r'",
         """with recursive r as (select child from edges except select child from r)
            select child from r"""),
        ("'r' in the start of its own definition", """with recursive r as (select child from edges
            union all select child from r union all select child from r) select child from r"""),
        ("an order or a limit of 'r'", """with recursive r as (select child from edges union all
            select child + 1 from r limit 5) select child from r"""),
        ("a WITH inside of 'r'", """with recursive r as (with x as (select child from edges)
            select child from x union all select child + 1 from r) select child from r"""),
        ("parts of 'r' that have not as many columns", """with recursive r(a) as
            (select parent, child from edges union all select a, a from r) select a from r"""),
        ("a window function over 'r'", """with recursive r as (select child from edges union all
            select row_number() over (order by child) from r) select child from r"""),
        ("a LIMIT over 'r'", """with recursive r as (select child from edges union all
            select x.child from (select child from r order by child limit 1) as x)
            select child from r"""),
        ("an EXCEPT on 'edges' and 'shop.names'", """with recursive r as
            (select child from edges except select id from shop.names
             union all select child + 1 from r) select child from r"""),
        ("several uses over 'r'", """with recursive r as (select child from edges union all
            (with x as (select child from r) select a.child from x a join x b
             on a.child = b.child + 1)) select child from r"""),
        ("2 common table expressions called 'r'", """with recursive r as (select child from edges
            union all select child + 1 from r) select a.child from r a,
            (with r as (select id from shop.names) select id from r) b"""),
    ],
)  # fmt: skip
def test_what_stands_against_following_is_named(why, sql):
    view = recursive_view(sql, SCHEMA)

    assert view.recomputed == f"a recursive common table expression with {why} is computed anew"

from __future__ import annotations

import pytest

from quacklake.ivm import (
    ROW_ID_COLUMN,
    WEIGHT_COLUMN,
    ByContent,
    ByKey,
    ByRowId,
    Origin,
    SourceColumn,
    State,
    compile_view,
)

SCHEMA = {
    "orders": [
        SourceColumn("id", "BIGINT", nullable=False),
        SourceColumn("customer", "BIGINT"),
        SourceColumn("amount", "DECIMAL(12,2)"),
    ],
    "shop.customers": [
        SourceColumn("id", "BIGINT", nullable=False),
        SourceColumn("Name", "STRING"),
    ],
}
JOIN = "select o.id, c.name from orders o join shop.customers c on o.customer = c.id"
TOTALS = "select customer, sum(amount) as total, max(amount) as top from orders group by customer"


def view(sql, **options):
    return compile_view(sql, SCHEMA, **options)


def test_a_view_knows_its_sources_and_names():
    assert view(JOIN).sources == {"orders", "shop.customers"}
    assert view(JOIN).names == ("id", "name")


def test_nothing_is_to_do_when_no_source_of_the_view_changed():
    assert view(TOTALS).delta("spark", changed={"shop.customers"}) is None


def test_terms_of_unchanged_sources_are_left_out():
    program = view(JOIN).delta("spark", changed={"orders"})

    assert {(each.source, each.state) for each in program.reads} == {
        ("orders", State.CHANGE),
        ("shop.customers", State.NEW),
    }


def test_the_other_side_of_a_join_is_read_at_the_keys_of_the_change():
    program = view(JOIN).delta("duckdb", changed={"orders"})

    other = next(each for each in program.reads if each.source == "shop.customers")
    assert other.columns == ("id", "Name")
    assert [each.columns for each in other.keys] == [("id",)]
    keys = next(each for each in program.steps if each.name == other.keys[0].step)
    assert keys.is_key_set
    assert keys.uses == (next(e.name for e in program.reads if e.state is State.CHANGE),)


def test_an_aggregate_with_state_reads_its_source_only_where_an_extremum_went():
    program = view(TOTALS).delta("duckdb")

    new = [each for each in program.reads if each.state is State.NEW]
    assert [(each.source, [key.columns for key in each.keys]) for each in new] == [
        ("orders", [("customer",)])
    ]
    assert not [e for e in program.reads if e.state is State.OLD and e.origin is Origin.SOURCE]
    assert [each.name for each in program.states] == ["state_1"]


def test_state_tables_are_declared_with_their_key():
    assert [(each.name, each.key) for each in view(TOTALS).states] == [("state_1", ("key_1",))]
    assert view(TOTALS, keep_state=False).states == ()


def test_without_state_the_old_rows_come_from_the_stored_result():
    program = view(TOTALS, keep_state=False).delta("duckdb")

    origins = {(each.origin, each.state) for each in program.reads}
    assert origins == {
        (Origin.SOURCE, State.CHANGE),
        (Origin.SOURCE, State.NEW),
        (Origin.RESULT, State.OLD),
    }


def test_rows_are_identified_by_row_id_key_or_content():
    assert view("select id, amount * 2 as a from orders where amount > 1").identity == ByRowId(
        "orders"
    )
    assert view(TOTALS).identity == ByKey(("customer",))
    assert view(JOIN).identity == ByContent()


@pytest.mark.parametrize(
    "sql",
    [
        "select a.id from orders a join orders b on a.id = b.id",
        "select id from orders union all select id from orders",
        "select id from orders where id in (select id from shop.customers)",
        "select id, (select max(id) from shop.customers) as m from orders",
        "select id, explode(array(1, 2)) as e from orders",
        "select distinct id from orders",
        "select id from orders order by id limit 3",
        "select id, row_number() over (partition by customer order by id) as n from orders",
        "select id as __ROW_id from orders",
    ],
)
def test_rows_that_are_not_rows_of_one_source_have_no_row_id(sql):
    assert not isinstance(view(sql).identity, ByRowId)


def test_row_ids_are_read_last_and_stand_before_the_weight():
    query = "select a + 1 as b from (select amount * 2 as a, id from orders) where id > 1"

    whole = view(query).full("duckdb", row_ids=True)
    change = view(query).delta("duckdb", row_ids=True)

    [read], [changed] = whole.reads, change.reads
    assert (read.row_ids, changed.row_ids) == (True, True)
    assert read.columns[-1] == changed.columns[-1] == ROW_ID_COLUMN
    assert whole.query.named_selects == ["b", ROW_ID_COLUMN]
    assert change.query.named_selects == ["b", ROW_ID_COLUMN, WEIGHT_COLUMN]
    assert not any(each.row_ids for each in view(query).delta("duckdb").reads)


def test_explain_names_the_rule_of_every_operator():
    lines = list(view(TOTALS).explain().lines())

    rules = [line.rsplit("[", 1)[1] for line in lines]
    assert {"linear]", "state]", "keyed]", "source]"} == set(rules)


def test_strategies_say_how_each_aggregate_is_kept():
    kept = {each.call.split("(")[0]: each.strategy for each in view(TOTALS).strategies()}
    assert kept["SUM"] == "state"
    assert "extremum" in kept["MAX"]

    floats = {"f": [SourceColumn("x", "DOUBLE")]}
    recomputed = compile_view("select sum(x) as s from f", floats).strategies()
    assert [each.strategy for each in recomputed] == ["recomputed for touched groups"]


def test_lineage_leads_to_source_columns():
    lineage = view("select o.id + c.id as x, 1 as one from orders o, shop.customers c").lineage()

    assert lineage == {"x": {("orders", "id"), ("shop.customers", "id")}, "one": frozenset()}


def test_types_are_known_beyond_a_lateral_subquery():
    inner = "select a.k, l.v from a, lateral (select b.v from b where b.k = a.k) l"
    schema = {
        "a": [SourceColumn("k", "SMALLINT", True)],
        "b": [SourceColumn("k", "SMALLINT", True), SourceColumn("v", "INT", True)],
    }

    view = compile_view(
        f"select v, v + 1 as more, sum(v) over (partition by k) as s from ({inner})", schema
    )

    assert view.types == ("INT", "INT", "BIGINT")

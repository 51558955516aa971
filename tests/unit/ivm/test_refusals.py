from __future__ import annotations

from pathlib import Path

import pytest

from quacklake.ivm import REFUSED_FUNCTIONS, SourceColumn, compile_view, unsupported_page
from quacklake.kernel.errors import NotFound, Unsupported, UsageError

SCHEMA = {
    "t": [SourceColumn("id", "BIGINT"), SourceColumn("k", "INT"), SourceColumn("a", "ARRAY<INT>")],
    "main.s": [SourceColumn("id", "BIGINT")],
}
ROW_NUMBERS = "select monotonically_increasing_id() as i from t"


@pytest.mark.parametrize(
    ("construct", "sql"),
    [
        ("the function rand", "select id, rand() as r from t"),
        ("the function uuid", "select uuid() as u from t"),
        ("the function now", "select id from t where id > unix_seconds(now())"),
        ("the function current_date", "select current_date() as d from t"),
        ("the function monotonically_increasing_id", ROW_NUMBERS),
        ("the function max_by", "select max_by(id, k) as m from t"),
        ("LIMIT without ORDER BY", "select id from t limit 3"),
        ("LIMIT without ORDER BY", "select id from (select id from t limit 3)"),
        ("TABLESAMPLE", "select id from t tablesample (10 percent)"),
        ("PIVOT or UNPIVOT", "select * from t pivot (sum(id) for k in (1, 2))"),
        ("a recursive common table expression",
         "with recursive r as (select 1 as n union all select n + 1 from r) select n from r"),
        ("last over a RANGE frame", "select last_value(id) over (order by k) as l from t"),
        ("a statement that is not a query", "delete from t"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_refused_by_name(construct, sql):
    with pytest.raises(Unsupported) as refused:
        compile_view(sql, SCHEMA)

    assert refused.value.facts["construct"] in {construct, construct.replace("last ", "lastvalue ")}
    assert refused.value.hint


def test_an_unknown_table_is_not_found():
    with pytest.raises(NotFound, match="'nowhere'"):
        compile_view("select 1 as one from nowhere", SCHEMA)


@pytest.mark.parametrize(
    "sql",
    ["select nothing from t", "select from where", "select id, k as id from t",
     "select 1; select 2", "select id, count(*) as n from t group by k"],
)  # fmt: skip
def test_a_wrong_query_is_a_usage_error(sql):
    with pytest.raises(UsageError):
        compile_view(sql, SCHEMA)


def test_the_page_of_refusals_is_the_one_in_the_docs():
    page = Path(__file__).parents[3] / "docs" / "unsupported.md"

    assert page.read_text() == unsupported_page()


def test_every_refused_function_is_on_the_page():
    assert all(f"`{name}`" in unsupported_page() for name in REFUSED_FUNCTIONS)

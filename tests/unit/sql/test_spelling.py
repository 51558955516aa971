import pytest

from quacklake.sql.spelling import canonical


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("FROM t AT SNAPSHOT 5", "FROM t AT (VERSION => 5)"),
        ("FROM t at snapshot 5 AS x", "FROM t AS x AT (VERSION => 5)"),
        ("FROM t AT TIMESTAMP '2026-01-31'", "FROM t AT (TIMESTAMP => '2026-01-31')"),
        ("FROM t AS OF TIMESTAMP '2026-01-31'", "FROM t AT (TIMESTAMP => '2026-01-31')"),
        ("FROM t AT (VERSION => 5) AS x", "FROM t AS x AT (VERSION => 5)"),
        ("FROM t AT (VERSION => 5) AS x(a, b)", "FROM t AS x(a, b) AT (VERSION => 5)"),
        (
            "FROM t AT (VERSION => (1 + 1)) AS x JOIN u AT SNAPSHOT 2 USING (a)",
            "FROM t AS x AT (VERSION => (1 + 1)) JOIN u AT (VERSION => 2) USING (a)",
        ),
    ],
)
def test_every_spelling_becomes_the_one_of_duckdb(written, meant):
    assert canonical(written) == meant


@pytest.mark.parametrize(
    "text",
    [
        "FROM t AT (VERSION => 5)",
        "FROM t AS x AT (VERSION => 5) WHERE a",
        "SELECT 'AT SNAPSHOT 5', \"AT SNAPSHOT 5\" -- AT SNAPSHOT 5",
        "SELECT ts AT TIME ZONE 'UTC' AS of FROM t",
        "SELECT at FROM at",
        "",
    ],
)
def test_other_text_is_left_alone(text):
    assert canonical(text) == text

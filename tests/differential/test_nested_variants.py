"""Variants inside structs, lists and maps; the catalog keeps them, no file can."""

from __future__ import annotations

import quacklake as ql
from tests.support.referee import Referee


def test_a_null_inside_a_nested_value_stays_null(tmp_path):
    with Referee(f"{tmp_path}/lake.ducklake", data_path=f"{tmp_path}/data/") as referee:
        referee.execute(
            "CREATE TABLE t (i INTEGER, v VARIANT, s STRUCT(a VARIANT, b INTEGER), "
            "l VARIANT[], m MAP(VARCHAR, VARIANT))"
        )
        referee.execute(
            "INSERT INTO t VALUES "
            "(1, NULL, {'a': NULL, 'b': 1}, [NULL, 3::VARIANT], MAP {'k': NULL::VARIANT}), "
            "(2, 'null'::VARIANT, {'a': 'x'::VARIANT, 'b': 2}, NULL, MAP {'k': 'null'::VARIANT}), "
            "(3, {'n': NULL}::VARIANT, NULL, [], NULL)"
        )
        absent = "SELECT v IS NULL, s.a IS NULL, l[1] IS NULL, m['k'] IS NULL FROM t ORDER BY i"
        expected = referee.rows(absent)

    with ql.connect(f"duckdb:///{tmp_path}/lake.ducklake", create=False) as lake:
        rows = sorted(lake.table("t").to_arrow().to_pylist(), key=lambda row: row["i"])
        again = [tuple(row.values()) for row in lake.sql(absent).to_arrow().to_pylist()]

    assert [each["v"] for each in rows] == [None, '"null"', '{"n":null}']
    assert [each["s"] for each in rows] == [{"a": None, "b": 1}, {"a": '"x"', "b": 2}, None]
    assert [each["l"] for each in rows] == [[None, "3"], None, []]
    assert [each["m"] for each in rows] == [[("k", None)], [("k", '"null"')], None]
    assert again == expected

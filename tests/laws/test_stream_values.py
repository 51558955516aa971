"""Keys and values of every type, in files and in the catalog, NULL among them."""

from __future__ import annotations

import pytest

from quacklake.catalog import Backend
from tests.support.lakes import Lakes
from tests.support.streams import streams

pytestmark = pytest.mark.slow

VALUES = {
    "integer": ["1", "-7", "2147483647"],
    "bigint": ["9223372036854775807", "0", "-3"],
    "decimal(10,2)": ["1.00", "1.10", "-3.05"],
    "decimal(30,4)": ["12345678901234567890.1234", "0.0001", "1.0"],
    "date": ["'2024-02-29'", "'1969-12-31'", "'0001-01-01'"],
    "timestamp": ["'2024-03-31 02:30:00'", "'1900-01-01 00:00:00.000001'", "'1970-01-01'"],
    "timestamptz": [
        "'2024-03-31 01:30:00+01:00'",
        "'2024-03-31 00:30:00+00:00'",
        "'2024-10-27 02:30:00+02:00'",
    ],
    "varchar": ["'a'", "'A'", "'ä '", "''"],
    "blob": ["'\\x00'::BLOB", "'\\xFF\\x00'::BLOB", "''::BLOB"],
    "boolean": ["true", "false"],
    "uuid": [
        "'123e4567-e89b-12d3-a456-426614174000'",
        "'00000000-0000-0000-0000-000000000000'",
        "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
    ],
    "double": ["0.0", "'-0.0'::DOUBLE", "'nan'::DOUBLE", "'inf'::DOUBLE", "1.5"],
    "float": ["0.5", "'-0.0'::FLOAT", "'nan'::FLOAT"],
}
VIEWS = {
    "plain": "select x from t where x is not null",
    "groups": "select x, count(*) as n, min(k) as m from t group by x",
    "pairs": "select a.k, b.k as j from t a join t b on a.x = b.x",
    "extrema": "select k, min(x) as lo, max(x) as hi, count(distinct x) as d from t group by k",
    "minus": "select x from t except all select x from t where k > 1",
}


@pytest.mark.parametrize("limit", [0, 100], ids=["files", "catalog"])
@pytest.mark.parametrize("kind", VALUES)
def test_views_over_a_type_are_kept_exactly(kind, limit, tmp_path):
    values = [*VALUES[kind], "NULL"]
    with streams(Lakes(Backend.SQLITE, tmp_path).place()) as made:
        made.lake.set_option("data_inlining_row_limit", limit)
        made.lake.create_table("t", {"k": "integer", "x": kind})
        with made.place.referee() as referee:

            def insert(rows):
                texts = ", ".join(f"({place % 3}, {value})" for place, value in rows)
                referee.execute(f"INSERT INTO t VALUES {texts}")

            insert(enumerate(values * 2))
            for name, query in VIEWS.items():
                made.keep(name, query)
            windows = [
                lambda: made.lake.table("t").delete("k = 0"),
                lambda: insert([(0, values[0]), (1, values[0]), (2, values[-1])]),
                lambda: made.lake.table("t").update({"k": "k + 1"}, where="x is null or k = 2"),
                lambda: insert([(place + 1, value) for place, value in enumerate(values)]),
            ]
            for change in windows:
                change()
                modes = {str(each.mode) for each in made.refreshed().values()}
                assert modes <= {"incremental", "no-change"}
                made.check(verify=False)
            made.check()


def test_numbers_equal_in_sql_and_written_otherwise_meet(tmp_path):
    with streams(Lakes(Backend.SQLITE, tmp_path).place()) as made:
        lake = made.lake
        lake.create_table("a", {"id": "integer", "x": "decimal(10,1)"})
        lake.create_table("b", {"id": "bigint", "x": "decimal(12,2)", "f": "double"})
        with made.place.referee() as referee:
            referee.execute("INSERT INTO a VALUES (1, 1.0), (2, 2.5), (3, NULL), (4, 0.0)")
            referee.execute(
                "INSERT INTO b VALUES (1, 1.00, 1.0), (2, 2.50, -0.0), (3, NULL, 'nan')"
            )
            made.keep("joined", "select a.id, b.id as j from a join b on a.x = b.x")
            made.keep("by_id", "select a.x, b.x as y from a left join b on a.id = b.id")
            made.keep("union_all", "select x, count(*) as n from "
                      "(select x from a union all select x from b) group by x")  # fmt: skip
            made.keep("floats", "select a.id, b.f from a join b on cast(a.x as double) = b.f")
            referee.execute("INSERT INTO b VALUES (4, 0.00, 0.0), (5, 1.00, 'nan')")
            referee.execute("UPDATE a SET x = 1.0 WHERE id = 2")
            made.refreshed()
            made.check()
            lake.table("b").delete("x = 1")
            lake.table("a").delete("id = 4")
            made.refreshed()
            made.check()


def test_zeros_of_both_signs_go_and_come_by_the_number_of_their_copies(tmp_path):
    with streams(Lakes(Backend.SQLITE, tmp_path).place()) as made:
        made.lake.create_table("t", {"k": "integer", "x": "double"})
        with made.place.referee() as referee:
            referee.execute("INSERT INTO t VALUES (1, 0.0), (2, '-0.0'::DOUBLE), (3, 'nan')")
            view = made.keep("plain", "select x from t")
            made.lake.table("t").delete("k < 3")
            view.refresh(mode="full")
            made.check()
            referee.execute("INSERT INTO t VALUES (4, '-0.0'::DOUBLE), (5, 0.0), (6, 0.0)")
            made.refreshed()
            made.check()
            made.lake.table("t").delete("k in (4, 5)")
            made.refreshed()
            made.check()

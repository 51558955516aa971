"""NaN and the two zeros: conditions that DuckDB hands to a scan keep DuckDB's meaning."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

import quacklake as ql

NAN = float("nan")
ROWS = {"id": [1, 2, 3, 4, 5, 6], "k": [NAN, 0.0, -0.0, 1.5, None, float("inf")]}
KINDS = {"DOUBLE": pa.float64(), "FLOAT": pa.float32()}

QUERIES = [
    "SELECT a.id AS i, b.id AS j FROM t a JOIN t b ON a.k = b.k",
    "SELECT a.id AS i, b.id AS j FROM t a JOIN t b ON a.k IS NOT DISTINCT FROM b.k",
    "SELECT id FROM t WHERE k IN ('nan'::DOUBLE, 0.0)",
    "SELECT id FROM t WHERE k IN (-0.0, 1.5, 7)",
    "SELECT id FROM t WHERE k = 'nan'::DOUBLE OR k = -0.0",
    "SELECT id FROM t WHERE k >= 'nan'::DOUBLE",
    "SELECT id FROM t WHERE k > 1 AND k <> 'nan'::DOUBLE",
    "SELECT id FROM t WHERE k < 'inf'::DOUBLE OR k IS NULL",
    "SELECT id FROM t WHERE NOT k > 0 AND id IN (2, 3, 5)",
    "SELECT id FROM t WHERE k BETWEEN -0.0 AND 'nan'::DOUBLE AND id < 6",
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("query", QUERIES)
def test_the_rows_are_those_of_duckdb(query, kind, tmp_path):
    rows = pa.table({"id": ROWS["id"], "k": pa.array(ROWS["k"], KINDS[kind])})
    with duckdb.connect() as own:
        own.execute(f"CREATE TABLE t (id BIGINT, k {kind})")
        own.execute("INSERT INTO t SELECT * FROM rows")
        expected = sorted(own.execute(query).fetchall())
    with ql.connect(f"sqlite:///{tmp_path}/c.sqlite", data_path=f"{tmp_path}/d/") as lake:
        lake.set_option("data_inlining_row_limit", 0)
        lake.create_table("t", rows)

        found = [tuple(row.values()) for row in lake.sql(query).to_arrow().to_pylist()]

    assert sorted(found) == expected

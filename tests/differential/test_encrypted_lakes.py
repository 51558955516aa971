"""Encrypted lakes that we write: DuckDB reads and goes on writing them, nested columns included."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import quacklake as ql
from tests.support.referee import Referee

COUNT = 3000
TABLE = {
    "k": "int",
    "s": "struct(a int, b varchar[])",
    "l": "int[]",
    "m": "map(varchar, struct(x double))",
    "v": "varchar",
}
SUMS = "SELECT count(*), sum(s.a), sum(len(s.b)), sum(len(l)), sum(cardinality(m)), max(v) FROM t"


def row(k: int) -> dict[str, object]:
    return {
        "k": k,
        "s": None if k % 7 == 0 else {"a": k if k % 3 else None, "b": ["x" * (k % 9)] * (k % 4)},
        "l": None if k % 5 == 0 else list(range(k % 6)),
        "m": None if k % 4 == 0 else [(str(j), {"x": float(k)}) for j in range(k % 3)],
        "v": f"text {k}",
    }


@pytest.fixture
def lake(tmp_path):
    url = f"sqlite:///{tmp_path}/lake.sqlite"
    with ql.connect(url, data_path=f"{tmp_path}/data/", encrypted=True) as made:
        made.create_table("t", TABLE)
        yield made


def test_both_read_and_write_nested_columns(lake, tmp_path: Path) -> None:
    table = lake.table("t")
    rows = [row(k) for k in range(COUNT)]
    table.append(pa.Table.from_pylist(rows, schema=table.schema))
    table.delete("k % 10 = 3")
    table.update({"v": "'new'", "l": "[1]"}, where="k < 100")

    with Referee(f"sqlite:{tmp_path}/lake.sqlite") as referee:
        assert referee.rows(SUMS) == [
            tuple(row.values()) for row in lake.sql(SUMS).to_arrow().to_pylist()
        ]
        assert referee.rows("SELECT k FROM t WHERE s.a = 1999 OR list_contains(l, 7)") == [(1999,)]
        referee.execute(
            "INSERT INTO t SELECT 9000 + i, {'a': i, 'b': ['q']}, [i], MAP {'z': {'x': 1.5}}, 'd' "
            "FROM range(30) r(i)"
        )
        assert table.scan(["l"], filter="k >= 9000").to_arrow().num_rows == 30

        lake.merge_adjacent_files()
        lake.rewrite_data_files(delete_threshold=0.01)
        assert referee.rows(SUMS) == [
            tuple(row.values()) for row in lake.sql(SUMS).to_arrow().to_pylist()
        ]
        referee.execute("CALL ducklake_rewrite_data_files('lake', delete_threshold => 0)")
        assert referee.rows(SUMS) == [
            tuple(row.values()) for row in lake.sql(SUMS).to_arrow().to_pylist()
        ]


def test_no_word_of_the_rows_is_on_disk(lake, tmp_path: Path) -> None:
    secret = "a very telling word"
    rows = [{**row(k), "v": secret, "s": {"a": 1, "b": [secret]}} for k in range(50)]
    lake.table("t").append(pa.Table.from_pylist(rows, schema=lake.table("t").schema))

    files = list((tmp_path / "data").rglob("*.parquet"))
    assert files
    assert not any(secret.encode() in file.read_bytes() for file in files)

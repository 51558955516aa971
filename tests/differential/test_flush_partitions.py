"""Rows that the catalog kept from before a table was partitioned, flushed into its partitions."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import quacklake as ql
from tests.support.referee import Referee


@pytest.mark.parametrize("key", ["c", "bucket(4, c)"])
def test_rows_older_than_the_key_lie_where_its_default_says(key: str, tmp_path: Path) -> None:
    with ql.connect(f"sqlite:///{tmp_path}/lake.sqlite", data_path=f"{tmp_path}/data/") as lake:
        table = lake.create_table("t", {"a": "int"})
        table.append(pa.table({"a": [1, 2]}))
        table.add_column("c", "int", default="5")
        table.set_partitioning([key])
        table.append(pa.table({"a": [3, 4], "c": [6, 5]}))
        table.rename_column("c", "d")

        lake.flush_inlined_data()

        assert sorted(table.scan(["a"], filter="d = 5").to_arrow()["a"].to_pylist()) == [1, 2, 4]
        assert table.scan(snapshot=2).to_arrow().to_pylist() == [{"a": 1}, {"a": 2}]
    with Referee(f"sqlite:{tmp_path}/lake.sqlite") as referee:
        assert sorted(referee.rows("SELECT a FROM t WHERE d = 5")) == [(1,), (2,), (4,)]
        assert referee.rows("SELECT a FROM t WHERE d = 6") == [(3,)]
        assert sorted(referee.rows("FROM t AT (VERSION => 2)")) == [(1,), (2,)]
        values = "SELECT count(*) FROM __ducklake_metadata_lake.ducklake_file_partition_value"
        assert referee.rows(values) == [(3,)]

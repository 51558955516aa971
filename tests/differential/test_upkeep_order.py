"""Files that maintenance writes have the table's sort order, as the extension's have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import quacklake as ql
from quacklake.client.lake import Lake
from tests.support.referee import Referee

ORDER = 'n desc nulls first, lower("a ""name""")'


@contextmanager
def lakes(tmp_path: Path) -> Iterator[tuple[Lake, Referee]]:
    """Our lake and the extension's, with the same table."""
    with (
        ql.connect(f"sqlite:///{tmp_path}/ours.sqlite", data_path=f"{tmp_path}/ours/") as ours,
        Referee(f"sqlite:{tmp_path}/theirs.sqlite", data_path=f"{tmp_path}/theirs/") as theirs,
    ):
        yield ours, theirs


def both(ours: Lake, theirs: Referee, sql: str) -> None:
    ours.sql(sql)
    theirs.execute(sql)


def filled(ours: Lake, theirs: Referee, *, rows: int) -> None:
    """Two inserts whose rows are in no order; the order is set afterwards."""
    both(ours, theirs, 'CREATE TABLE t (k INTEGER, n INTEGER, "a ""name""" VARCHAR)')
    for first in (0, rows):
        both(
            ours,
            theirs,
            "INSERT INTO t SELECT i, CASE WHEN i % 7 > 0 THEN i * 5 % 7 END, 'x' || i * 3 % 4 "
            f"FROM range({first}, {first + rows}) r(i)",
        )
    both(ours, theirs, f"ALTER TABLE t SET SORTED BY ({ORDER})")


def newest_rows(folder: Path) -> list[tuple[Any, ...]]:
    """The first columns of the newest data file, in its order."""
    files = sorted(folder.rglob("*.parquet"), key=lambda file: file.stat().st_mtime_ns)
    newest = [file for file in files if "-delete" not in file.name][-1]
    read = pq.read_table(newest)
    return list(zip(*(read.column(place).to_pylist() for place in range(3)), strict=True))


def keys(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """What the order looks at: no number is before all numbers, and large ones before small."""
    return [(n is not None, -(n or 0), name) for _, n, name in rows]


@pytest.mark.parametrize("call", ["merge_adjacent_files", "flush_inlined_data"])
def test_moved_rows_are_in_the_order_set_last(call: str, tmp_path: Path) -> None:
    with lakes(tmp_path) as (ours, theirs):
        filled(ours, theirs, rows=30 if call.startswith("merge") else 9)

        getattr(ours, call)()
        theirs.execute(f"CALL ducklake_{call}('lake')")

        mine, other = newest_rows(tmp_path / "ours"), newest_rows(tmp_path / "theirs")
        assert keys(mine) == sorted(keys(mine)) == keys(other)
        if call.startswith("flush"):
            assert mine == other


def test_rewritten_files_are_in_the_order_set_last(tmp_path: Path) -> None:
    with lakes(tmp_path) as (ours, theirs):
        filled(ours, theirs, rows=30)
        both(ours, theirs, "DELETE FROM t WHERE k % 2 = 0 AND k < 30")

        ours.rewrite_data_files(delete_threshold=0.3)
        theirs.execute("CALL ducklake_rewrite_data_files('lake', delete_threshold => 0.3)")

        mine, other = newest_rows(tmp_path / "ours"), newest_rows(tmp_path / "theirs")
        assert keys(mine) == sorted(keys(mine)) == keys(other)
        assert sorted(k for k, _, _ in mine) == sorted(k for k, _, _ in other)


def test_the_order_means_columns_as_they_are_called_today(tmp_path: Path) -> None:
    with lakes(tmp_path) as (ours, _):
        table = ours.create_table("t", {"a": "int", "gone": "int"})
        for first in (0, 20):
            table.append(pa.table({"a": list(range(first, first + 20)), "gone": [1] * 20}))
        table.append(pa.table({"a": [50, 41], "gone": [1, 1]}))
        table.drop_column("gone")
        table.rename_column("a", "b")
        table.add_column("a", "int", default="7")
        table.add_column("gone", "int")
        table.set_sort_order(["a", "gone", "b desc"])

        ours.merge_adjacent_files()
        merged = [row[0] for row in newest_rows(tmp_path / "ours")]
        ours.flush_inlined_data()
        flushed = [row[0] for row in newest_rows(tmp_path / "ours")]

        assert merged == list(range(39, -1, -1))
        assert flushed == [50, 41]
        assert table.scan(["b"]).to_arrow().column(0).to_pylist() == [*merged, *flushed]

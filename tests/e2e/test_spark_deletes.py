"""Deleted rows through Spark: one file, files of different sizes, equal ones, and very many."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import quacklake as ql
from tests.support.bags import differences
from tests.support.spark import ONE_WORKER, arrow_of

pytestmark = ONE_WORKER

EDGES = "id IN (0, 1, 63, 64, 65, 127, 128, 199, 200, 263)"


@pytest.fixture
def lake(tmp_path):
    with ql.connect(f"sqlite:///{tmp_path}/c.sqlite", data_path=f"{tmp_path}/data/") as lake:
        lake.create_table("t", {"id": "bigint", "k": "integer"})
        yield lake


def numbered(first: int, count: int) -> pa.Table:
    """`count` rows from `first` on."""
    keys = pa.array(range(count), pa.int32())
    return pa.table({"id": range(first, first + count), "k": keys})


def agree(table: ql.Table, spark: object) -> None:
    """Spark has the rows, the filtered rows and the row ids of other results."""
    scans = (
        table.scan(),
        table.scan(["rowid", "id", "snapshot_id"]),
        table.scan(["k"], filter="id % 3 = 0 AND k > 1"),
    )
    for scan in scans:
        assert not differences(arrow_of(scan, spark), scan.to_arrow())


def test_rows_at_the_edges_of_one_file_are_left_out(spark, lake):
    table = lake.table("t")
    table.append(numbered(0, 200))
    table.delete(EDGES)

    assert table.scan().to_spark(spark).count() == 192
    agree(table, spark)


def test_files_of_different_sizes_share_a_bitmap(spark, lake):
    table = lake.table("t")
    for first, count in ((0, 200), (200, 64), (264, 1000), (1264, 65)):
        table.append(numbered(first, count))
    table.delete(f"{EDGES} OR id % 100 = 7")
    table.append(numbered(2000, 50))

    agree(table, spark)


def test_files_of_the_same_size_are_told_apart(spark, lake):
    table = lake.table("t")
    for first in (0, 100, 200):
        # Values of the same width at the same places make the same size.
        table.append(numbered(1000 + first, 100))
    sizes = [file.size_bytes for file in table.files()]
    table.delete("id % 100 IN (1, 50) AND id >= 1100")
    table.delete("id % 100 = 99")

    assert len(set(sizes)) < len(sizes)
    agree(table, spark)


def test_many_files_lose_rows_at_once(spark, lake):
    table = lake.create_table("many", {"id": "bigint", "k": "integer"}, partition_by=["k"])
    keys = pa.array(np.repeat(np.arange(70), np.arange(70) + 2), pa.int32())
    table.append(pa.table({"id": range(len(keys)), "k": keys}))
    table.delete("id % 2 = 0")

    agree(table, spark)


def test_inlined_and_listed_deletes_meet(spark, lake):
    table = lake.table("t")
    table.append(numbered(0, 300))
    table.append(numbered(300, 200))
    table.delete("id < 150")
    table.delete("id IN (299, 301)")
    at = lake.snapshots()[-1].id
    table.delete("id > 200")

    agree(table, spark)
    earlier = table.scan(snapshot=at)
    assert not differences(arrow_of(earlier, spark), earlier.to_arrow())


def test_rows_that_came_later_and_rows_that_went_are_both_left_out(spark, lake):
    table = lake.table("t")
    table.append(numbered(0, 100))
    at = lake.snapshots()[-1].id
    table.append(numbered(100, 150))
    lake.merge_adjacent_files("t")
    earlier = table.scan(snapshot=at)

    assert not differences(arrow_of(earlier, spark), earlier.to_arrow())
    table.delete("id % 10 = 3")
    agree(table, spark)

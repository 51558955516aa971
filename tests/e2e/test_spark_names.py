"""Names that moved from one column to another do not mislead Spark, nor do keys of many spellings.

Spark finds columns by id, and skips parts of files by the names in them.
"""

from __future__ import annotations

import pyarrow as pa
import pytest

import quacklake as ql
from quacklake.kernel.errors import UsageError
from tests.support.spark import ONE_WORKER

pytestmark = ONE_WORKER

UPPER = "F79C3E09-677C-4BBD-A479-3F349CB785E7"


@pytest.fixture
def lake(tmp_path, spark):
    del spark
    url = f"sqlite:///{tmp_path}/c.sqlite"
    with ql.connect(url, data_path=f"{tmp_path}/data/", engine="spark") as lake:
        yield lake


def swapped(lake):
    table = lake.create_table("t", {"a": "bigint", "b": "bigint", "s": "struct(x int, y int)"})
    rows = range(1000)
    table.append(
        pa.table(
            {
                "a": list(rows),
                "b": [row + 100_000 for row in rows],
                "s": [{"x": row, "y": -row - 1} for row in rows],
            }
        )
    )
    for old, new in (("a", "c"), ("b", "a"), ("c", "b")):
        table.rename_column(old, new)
    return table


@pytest.mark.parametrize("where", ["a > 100500", "b < 10", "a = 100001", "a IS NULL OR b = 5"])
def test_columns_that_exchanged_their_names_are_filtered_by_what_they_hold(lake, spark, where):
    table = swapped(lake)
    expected = table.scan(filter=where).to_arrow().num_rows
    assert table.scan(filter=where).to_spark(spark).count() == expected
    assert table.scan().to_spark(spark).where(where).count() == expected


def test_a_column_that_took_the_name_of_a_dropped_one_is_null_in_older_files(lake, spark):
    table = lake.create_table("t", {"k": "int", "n": "int"})
    table.append(pa.table({"k": pa.array(range(100), pa.int32()), "n": pa.array([7] * 100)}))
    table.drop_column("n")
    table.add_column("n", "int")
    assert table.scan().to_spark(spark).where("n IS NULL").count() == 100
    assert table.scan().to_spark(spark).where("n = 7").count() == 0


def test_fields_that_exchanged_their_names_are_filtered_by_what_they_hold(lake, spark):
    table = swapped(lake)
    for old, new in (("s.x", "z"), ("s.y", "x"), ("s.z", "y")):
        table.rename_column(old, new)
    assert table.scan().to_spark(spark).where("s.x < 0").count() == 1000
    assert table.scan().to_spark(spark).where("s.y = 5").count() == 1


def test_a_column_called_as_spark_calls_its_own_is_read(lake, spark):
    table = lake.create_table("t", {"_metadata": "int", "k": "int"})
    table.append(pa.table({"_metadata": [5] * 100, "k": list(range(100))}))
    table.delete("k >= 30 AND k < 40")
    assert table.scan().to_spark(spark).count() == 90


def test_a_key_is_matched_whatever_its_spelling(lake, spark):
    table = lake.create_table("t", {"u": "uuid", "n": "int"})
    table.append(pa.table({"u": [UPPER.lower()], "n": [1]}))
    table.merge(spark.createDataFrame([(UPPER, 2)], "u string, n int"), on="u")
    assert table.to_arrow().to_pylist() == [{"u": UPPER.lower(), "n": 2}]


def test_a_key_that_does_not_fit_matches_nothing_by_being_rounded(lake, spark):
    table = lake.create_table("t", {"k": "int", "n": "int"})
    table.append(pa.table({"k": [1], "n": [1]}))
    with pytest.raises(UsageError, match="does not fit"):
        table.merge(spark.createDataFrame([(1.5, 2)], "k double, n int"), on="k")
    assert table.to_arrow().to_pylist() == [{"k": 1, "n": 1}]

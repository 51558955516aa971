"""Rows that this process hands to Spark all arrive."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tests.support.spark import ONE_WORKER

pytestmark = [pytest.mark.slow, ONE_WORKER]


@pytest.mark.parametrize(
    "chunks", [[[], [1, 2, 3]], [[1, 2], [], [3]], [[1], [2, 3], []], [[], []], [[1, 2, 3]]]
)
def test_empty_batches_end_nothing(chunks, spark):
    from pyspark.sql import types as t

    from quacklake.engine.spark.given import frame_of

    rows = pa.table({"x": pa.chunked_array([pa.array(each, pa.int64()) for each in chunks])})

    found = frame_of(spark, rows, t.StructType([t.StructField("x", t.LongType())]))

    assert sorted(row.x for row in found.collect()) == [each for chunk in chunks for each in chunk]

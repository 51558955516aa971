"""The one Spark session of a test process, and rows taken out of its frames."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest

import quacklake as ql

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROOT: Final = Path(__file__).parents[2]
PYTHONPATH: Final = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
ONE_WORKER: Final = pytest.mark.xdist_group("spark")
"""Tests with this mark run in one process, so that Spark starts once."""

_CONFIG: Final = {
    # A task may fail twice; tests of retries rely on it.
    "spark.master": "local[2,3]",
    "spark.driver.memory": "1g",
}


def start() -> SparkSession:
    """A session on two cores; its workers find the tests and the product."""
    from quacklake.engine.spark.session import spark_session

    with pytest.MonkeyPatch.context() as patch:
        # Spark's process inherits it, and hands it on to the workers.
        patch.setenv("PYTHONPATH", PYTHONPATH)
        return spark_session(config=_CONFIG)


def arrow_of(scan: ql.Scan, spark: SparkSession) -> pa.Table:
    """The rows that Spark has for a scan, in the types of other results."""
    from quacklake.engine.spark.carriers import from_spark

    columns = scan.plan().columns
    rows = scan.to_spark(spark).toArrow().combine_chunks()
    names = [column.name for column in columns]
    batches = [
        pa.RecordBatch.from_arrays(list(from_spark(batch, columns)), names=names)
        for batch in rows.to_batches()
    ]
    return pa.Table.from_batches(batches) if batches else scan.plan().schema.empty_table()


def collected(frame: DataFrame) -> list[tuple[Any, ...]]:
    """The rows of a frame as sorted tuples."""
    return sorted((tuple(row) for row in frame.collect()), key=repr)


def in_process(
    script: str, *arguments: str, env: dict[str, str] | None = None, timeout: float = 240
) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process of its own, which may start another Spark."""
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
        env={**os.environ, "PYTHONPATH": PYTHONPATH, **(env or {})},
    )


def held_here_up_to(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Spark apply changes of more rows than that: a small one then shows what a large does."""
    for module in ("runs", "programs"):
        monkeypatch.setattr(f"quacklake.engine.spark.{module}.LARGE", rows)

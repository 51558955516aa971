"""Compaction, rewriting and flushing on Spark: each move of rows is a task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import SparkSession

from quacklake.engine.spark import manifests
from quacklake.engine.spark.failures import running
from quacklake.engine.spark.manifests import Manifest, Word, said, telling
from quacklake.engine.spark.workers import Batches
from quacklake.maintenance.moving import Move, Moved


@dataclass(frozen=True, slots=True)
class MoveRows:
    """Makes the moves whose numbers come in."""

    moves: tuple[Move, ...]

    def __call__(self, numbers: Batches) -> Batches:
        """The manifest of the task."""
        return telling(lambda: self._moved(numbers))

    def _moved(self, numbers: Batches) -> Iterator[pa.RecordBatch]:
        for batch in numbers:
            for number in batch.column(0).to_pylist():
                yield said(Word.MOVED, (number, self.moves[number]()))


def carry(spark: SparkSession, moves: Sequence[Move]) -> list[tuple[Moved, ...]]:
    """Make all moves side by side; when one fails, what the others wrote is removed."""
    if not moves:
        return []
    manifest = Manifest()
    numbers = spark.range(0, len(moves), 1, len(moves))
    with running():
        told = numbers.mapInArrow(MoveRows(tuple(moves)), manifests.SCHEMA).collect()
    for word, payload in told:
        manifest.hear(word, bytes(payload))
    manifest.checked(moves[0].pen.storage)
    by_number = dict(manifest.moved)
    return [by_number[number] for number in range(len(moves))]

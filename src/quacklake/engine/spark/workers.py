"""What runs in Python workers of Spark: functions over values, without a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from quacklake.engine.spark.carriers import inward, to_spark
from quacklake.scan.masks import RowFilter
from quacklake.scan.plan import FileTask, ScanPlan
from quacklake.scan.reading import read_batches
from quacklake.storage.filesystem import Storage

Batches = Iterator[pa.RecordBatch]
Work = Callable[[Batches], Batches]


@dataclass(frozen=True, slots=True)
class ReadPortions:
    """Reads the portions of a plan whose numbers come in, with our own reader."""

    plan: ScanPlan
    storage: Storage
    portions: tuple[tuple[FileTask, ...], ...]

    def __call__(self, numbers: Batches) -> Batches:
        """The rows of the portions, as Spark takes them."""
        for batch in numbers:
            for number in batch.column(0).to_pylist():
                part = replace(self.plan, tasks=self.portions[number], inlined=())
                for rows in read_batches(part, self.storage, threads=1):
                    yield to_spark(rows, self.plan.columns)


@dataclass(frozen=True, slots=True)
class KeepWanted:
    """Drops the rows that a filter does not let through; Spark has no words for it."""

    chosen: RowFilter

    def __call__(self, batches: Batches) -> Batches:
        """The rows that pass, under the same columns."""
        columns = self.chosen.columns
        for batch in batches:
            arrays = [inward(batch.column(column.name), column.type) for column in columns]
            seen = pa.table(arrays, names=[column.name for column in columns])
            if not columns:
                seen = pa.table({"": pa.nulls(batch.num_rows)})
            wanted = np.concatenate([c.to_numpy(zero_copy_only=False) for c in _chunks(self, seen)])
            yield batch.filter(pa.array(wanted))


def _chunks(work: KeepWanted, seen: pa.Table) -> list[pa.Array]:
    mask = work.chosen.mask(seen)
    return list(mask.chunks) or [pa.array([], pa.bool_())]

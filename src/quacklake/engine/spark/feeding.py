"""A large change of a source: read in parts by Python workers, summed up share by share."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from quacklake.changefeed.plan import ChangePlan, ChangeTask
from quacklake.changefeed.reading import read_signed
from quacklake.changefeed.weighted import consolidated
from quacklake.engine.spark.carriers import carrier_schema, spark_schema, to_spark
from quacklake.engine.spark.sharing import rows_of_share, shared, shares_of
from quacklake.engine.spark.splitting import anchored, portions
from quacklake.engine.spark.workers import Batches
from quacklake.format.files import DataFile, DeleteFile
from quacklake.format.types import Column
from quacklake.storage.filesystem import Storage


def change_frame(
    spark: SparkSession,
    plan: ChangePlan,
    storage: Storage,
    columns: tuple[Column, ...],
    *,
    row_ids: bool,
) -> DataFrame:
    """The change of a plan, each distinct row once with its weight, in `columns`."""
    cores = int(spark.conf.get("spark.sql.shuffle.partitions", "8") or 8)
    tasks = [_anchored(task, storage) for task in plan.tasks]
    parts = tuple(portions(tasks, cores)) or ((),)
    work = ReadSigned(plan, storage, columns, parts, row_ids)
    numbers = spark.range(0, len(parts), 1, len(parts))
    signed = numbers.mapInArrow(work, spark_schema(columns))
    shares = shares_of(signed, plan.rows)
    summed = SumShare(columns)
    return shared(signed, columns[:-1], shares).applyInArrow(
        # Spark counts the parameters of what it is given, and a method has one more.
        lambda rows: summed(rows),  # noqa: PLW0108
        spark_schema(columns),
    )


def _anchored(task: ChangeTask, storage: Storage) -> ChangeTask:
    def found(file: DataFile | DeleteFile) -> str:
        return anchored(file.path, storage)

    return replace(
        task,
        file=replace(task.file, path=found(task.file)),
        deletes=tuple(replace(each, path=found(each)) for each in task.deletes),
    )


@dataclass(frozen=True, slots=True)
class ReadSigned:
    """Reads the parts of a change whose numbers come in; the first has the catalog's rows."""

    plan: ChangePlan
    storage: Storage
    columns: tuple[Column, ...]
    parts: tuple[tuple[ChangeTask, ...], ...]
    row_ids: bool

    def __call__(self, numbers: Batches) -> Batches:
        """Rows that came and went, not summed."""
        for batch in numbers:
            for number in batch.column(0).to_pylist():
                part = replace(self.plan, tasks=self.parts[number])
                if number:
                    part = replace(part, came=(), went=())
                for rows in read_signed(part, self.storage, row_ids=self.row_ids, threads=1):
                    yield to_spark(rows, self.columns)


@dataclass(frozen=True, slots=True)
class SumShare:
    """Sums the weights of equal rows, which are all in one share."""

    columns: tuple[Column, ...]

    def __call__(self, share: pa.Table) -> pa.Table:
        """Each distinct row once; zeroes are left out."""
        rows = rows_of_share(share, self.columns)
        summed = consolidated(rows.to_batches(), self.columns[:-1], rows.schema)
        batches = [to_spark(batch, self.columns) for batch in summed.to_batches()]
        return pa.Table.from_batches(batches, carrier_schema(self.columns))

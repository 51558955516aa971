"""A scan's plan becomes a Spark DataFrame with the same rows as every other way to read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

import numpy as np
import pyarrow as pa
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql import types as t

from quacklake.client.ports import Planner
from quacklake.engine.spark.absence import Gone, Positions, without
from quacklake.engine.spark.carriers import FIELD_ID, carrier_schema, spark_schema, to_spark
from quacklake.engine.spark.failures import running
from quacklake.engine.spark.given import frame_of
from quacklake.engine.spark.mapping import mapped
from quacklake.engine.spark.predicates import condition, named, necessary
from quacklake.engine.spark.splitting import (
    defaulted,
    file_name,
    naming,
    portions,
    retyped,
    split,
)
from quacklake.engine.spark.workers import KeepWanted, ReadPortions
from quacklake.format.files import ROW_ID_FIELD, SNAPSHOT_ID_FIELD
from quacklake.format.types import Column
from quacklake.kernel.ids import ColumnId, DataFileId
from quacklake.scan.masks import PredicateFilter, RowFilter
from quacklake.scan.plan import FILE, PLACE, ROW_ID, SNAPSHOT_ID, VERSION, FileTask, ScanPlan
from quacklake.scan.reading import read_inlined
from quacklake.storage.deletes import deleted_positions
from quacklake.storage.filesystem import Storage

_NAME: Final = "_quacklake_name"
_INDEX: Final = "_quacklake_index"
_OWN_ROW: Final = "_quacklake_own_row"
_OWN_SNAPSHOT: Final = "_quacklake_own_snapshot"
_START: Final = "_quacklake_start"
_BEGIN: Final = "_quacklake_begin"
_ID: Final = "_quacklake_file"
_PER_FILE: Final = frozenset({ROW_ID.id, SNAPSHOT_ID.id, FILE.id})
_VIRTUAL: Final = frozenset({ROW_ID.id, SNAPSHOT_ID.id, FILE.id, PLACE.id, VERSION.id})


def lowered(plan: ScanPlan, source: Planner, spark: SparkSession) -> DataFrame:
    """The rows of a plan as a DataFrame."""
    with running():
        return Lowering(plan, source.storage, spark).dataframe(source)


@dataclass(frozen=True, slots=True)
class Lowering:
    """A plan on its way into Spark."""

    plan: ScanPlan
    storage: Storage
    spark: SparkSession

    def dataframe(self, source: Planner) -> DataFrame:
        """The rows of the plan; nothing is read before Spark runs it."""
        stored = self._stored()
        lacking = [column.id for column in defaulted(stored)]
        known = source.complete_files(self.plan, lacking) if lacking else None
        settled = retyped(stored, source.types_ever(self.plan)) if self.plan.tasks else 0
        names = naming(self.plan, source.names_ever(self.plan) if self.plan.tasks else ())
        parts = split(self.plan, stored, self.storage, known, settled, names.moved)
        frames: list[DataFrame] = []
        hidden = names.shared
        if parts.plain:
            frames.append(self._native(parts.plain, hidden, whole=True))
        if parts.careful:
            frames += self._careful(parts.careful, hidden)
        if parts.worked:
            frames.append(self._worked(parts.worked))
        if (kept := self._inlined()) is not None:
            frames.append(kept)
        if not frames:
            return self.spark.createDataFrame([], spark_schema(self.plan.columns))
        return reduce(DataFrame.union, frames)

    def _careful(
        self, tasks: Sequence[FileTask], hidden: frozenset[ColumnId]
    ) -> Iterator[DataFrame]:
        """Files of which not every row exists: some are deleted, or some were added later."""
        gone = {task.file.id: places for task in tasks if (places := self._deleted(task)).size}
        thinned = [task for task in tasks if task.file.id in gone]
        if others := [task for task in tasks if task.file.id not in gone]:
            yield self._native(others, hidden, whole=False)
        if thinned:
            yield self._native(thinned, hidden, whole=False, gone=gone)

    def _asked(self) -> tuple[Column, ...]:
        """The result's columns, and the filter's."""
        filtered = self.plan.filter.columns if self.plan.filter else ()
        by_id = {column.id: column for column in (*self.plan.columns, *filtered)}
        return tuple(by_id.values())

    def _stored(self) -> tuple[Column, ...]:
        """The columns to be read from files."""
        return tuple(column for column in self._asked() if column.id not in _VIRTUAL)

    def _native(
        self,
        tasks: Sequence[FileTask],
        hidden: frozenset[ColumnId],
        *,
        whole: bool,
        gone: Mapping[DataFileId, Positions] | None = None,
    ) -> DataFrame:
        """Files that Spark reads itself; `hidden` columns under names that no file has."""
        stored = self._stored()
        aliases = {f"_quacklake_{c.id}": c.name for c in stored if c.id in hidden}
        named_apart = tuple(
            replace(c, name=f"_quacklake_{c.id}") if c.id in hidden else c for c in stored
        )
        schema = spark_schema(named_apart, ids=True)
        asked = {column.id for column in self._asked()}
        if not whole or asked & {ROW_ID.id, SNAPSHOT_ID.id}:
            schema = _with_internal(schema)
        frame = self._files(tasks, schema)
        if asked & _VIRTUAL:
            frame = self._placed(frame)
        if gone:
            frame = without(frame, [self._gone(task, gone[task.file.id]) for task in tasks])
        if not whole and any(task.file.partial_max is not None for task in tasks):
            frame = self._until(frame)
        if aliases:
            frame = frame.withColumnsRenamed(aliases)
        if asked & _PER_FILE:
            frame = frame.join(f.broadcast(self._file_facts(tasks)), _NAME, "left")
        if self.plan.filter is not None:
            frame = filtered(_with_virtual(frame, self.plan.filter), self.plan.filter)
        return frame.select([_selected(column) for column in self.plan.columns])

    def _files(self, tasks: Sequence[FileTask], schema: t.StructType) -> DataFrame:
        return (
            self.spark.read.schema(schema)
            # Folders named key=value are ours to interpret, and dates are as they were written.
            .option("recursiveFileLookup", "true")
            .option("datetimeRebaseMode", "CORRECTED")
            .parquet(*(task.file.path for task in tasks))
        )

    def _placed(self, frame: DataFrame) -> DataFrame:
        return frame.withColumns(
            {_NAME: f.col("_metadata.file_name"), _INDEX: f.col("_metadata.row_index")}
        )

    def _until(self, frame: DataFrame) -> DataFrame:
        """The rows that were there at the snapshot."""
        own = f.col(_OWN_SNAPSHOT)
        return frame.where(own.isNull() | (own <= f.lit(int(self.plan.snapshot.id))))

    def _gone(self, task: FileTask, places: Positions) -> Gone:
        # The size as Spark will see it, whatever the catalog says.
        size = self.storage.size(task.file.path)
        return Gone(file_name(task), size, task.file.record_count, places)

    def _deleted(self, task: FileTask) -> Positions:
        inlined = np.array(task.deleted, dtype=np.int64)
        if task.file.delete_file is None:
            return inlined
        listed = deleted_positions(self.storage, task.file.delete_file, self.plan.snapshot.id)
        return np.union1d(listed, inlined) if inlined.size else listed

    def _file_facts(self, tasks: Sequence[FileTask]) -> DataFrame:
        return self.spark.createDataFrame(
            pa.table(
                {
                    _NAME: pa.array([file_name(task) for task in tasks], pa.string()),
                    _START: pa.array([task.file.row_id_start for task in tasks], pa.int64()),
                    _BEGIN: pa.array([int(t.file.begin_snapshot) for t in tasks], pa.int64()),
                    _ID: pa.array([int(task.file.id) for task in tasks], pa.int64()),
                }
            )
        )

    def _worked(self, tasks: Sequence[FileTask]) -> DataFrame:
        cores = int(self.spark.conf.get("spark.sql.shuffle.partitions", "8") or 8)
        shares = tuple(portions(tasks, cores))
        work = ReadPortions(self.plan, self.storage, shares)
        numbers = self.spark.range(0, len(shares), 1, len(shares))
        return numbers.mapInArrow(work, spark_schema(self.plan.columns))

    def _inlined(self) -> DataFrame | None:
        tables = [read_inlined(self.plan, rows) for rows in self.plan.inlined]
        batches = [
            to_spark(batch, self.plan.columns) for table in tables for batch in table.to_batches()
        ]
        rows = pa.Table.from_batches(batches, carrier_schema(self.plan.columns))
        return frame_of(self.spark, rows, spark_schema(self.plan.columns)) if len(rows) else None


def filtered(frame: DataFrame, chosen: RowFilter) -> DataFrame:
    """The rows that a filter lets through; what Spark can say of it prunes row groups."""
    exact = condition(chosen.predicate) if isinstance(chosen, PredicateFilter) else None
    if exact is not None:
        return frame.where(exact)
    rough = necessary(chosen.predicate)
    if rough is not None:
        frame = frame.where(rough)
    return mapped(frame, KeepWanted(chosen), frame.schema)


def _with_virtual(frame: DataFrame, chosen: RowFilter) -> DataFrame:
    """The frame with what a filter asks for and no file holds."""
    virtual = [column for column in chosen.columns if column.id in _VIRTUAL]
    return frame.withColumns({c.name: _selected(c) for c in virtual}) if virtual else frame


def _with_internal(schema: t.StructType) -> t.StructType:
    own = [(_OWN_ROW, ROW_ID_FIELD), (_OWN_SNAPSHOT, SNAPSHOT_ID_FIELD)]
    fields = [t.StructField(name, t.LongType(), metadata={FIELD_ID: i}) for name, i in own]
    return t.StructType([*schema.fields, *fields])


def _selected(column: Column) -> SparkColumn:
    name = column.name
    if column.id == ROW_ID.id:
        return f.coalesce(f.col(_OWN_ROW), f.col(_START) + f.col(_INDEX)).alias(name)
    if column == SNAPSHOT_ID:
        return f.coalesce(f.col(_OWN_SNAPSHOT), f.col(_BEGIN)).alias(name)
    if column == FILE:
        return f.col(_ID).alias(name)
    if column == PLACE:
        return f.col(_INDEX).alias(name)
    if column == VERSION:
        return f.lit(None).cast("bigint").alias(name)
    return named(name)

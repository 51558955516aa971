"""`spark.read.format("ducklake")` and `df.write.format("ducklake")`: the idiom of Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

import pyarrow as pa
from pyspark.sql import datasource
from pyspark.sql.datasource import (
    DataSource,
    DataSourceArrowWriter,
    DataSourceReader,
    DataSourceStreamReader,
    InputPartition,
)
from pyspark.sql.types import StructType

from quacklake.engine.spark.carriers import spark_schema, to_spark
from quacklake.engine.spark.options import SourceOptions
from quacklake.engine.spark.sinking import DuckLakeWriter
from quacklake.engine.spark.splitting import portions
from quacklake.engine.spark.streaming import DuckLakeStream, stream_columns
from quacklake.format.predicate import (
    Compare,
    Comparison,
    IsNotNull,
    IsNull,
    OneOf,
    Predicate,
    all_of,
)
from quacklake.format.snapshot import AtVersion
from quacklake.format.table import Table
from quacklake.kernel.errors import NotFound
from quacklake.scan.masks import BothFilters, PredicateFilter, fits_arrow
from quacklake.scan.plan import Request, ScanPlan, selected_columns
from quacklake.scan.reading import read_batches
from quacklake.storage.filesystem import Storage

_COMPARED: dict[type, Comparison] = {
    datasource.EqualTo: Comparison.EQ,
    datasource.GreaterThan: Comparison.GT,
    datasource.GreaterThanOrEqual: Comparison.GE,
    datasource.LessThan: Comparison.LT,
    datasource.LessThanOrEqual: Comparison.LE,
}
_PARTS = 16


class DuckLakeSource(DataSource):
    """A table of a DuckLake."""

    @classmethod
    def name(cls) -> str:
        """The name in `format(…)`."""
        return "ducklake"

    def schema(self) -> StructType:
        """The columns of the table, or of its changes if it is read as a stream."""
        options = SourceOptions.parse(self.options)
        with options.session() as session, session.reading() as reader:
            table = reader.table(options.table, reader.snapshot(options.at))
        if options.starting is not None:
            return spark_schema(stream_columns(table.columns))
        return spark_schema(selected_columns(table, options.columns))

    def reader(self, schema: StructType) -> DataSourceReader:
        """A reader of the table at a snapshot."""
        del schema
        options = SourceOptions.parse(self.options)
        return DuckLakeReader(
            options.used_for("a read", "snapshot", "timestamp", "columns", "filter")
        )

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:  # noqa: FBT001
        """A writer that commits once; with `overwrite` the rows take the place of all others."""
        options = SourceOptions.parse(self.options).used_for("a write")
        return DuckLakeWriter(options, schema, overwrite=overwrite)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's
        """A reader of the table's changes."""
        own = schema.names[len(stream_columns(())) :]
        options = SourceOptions.parse(self.options)
        return DuckLakeStream(options.used_for("a stream", "starting_snapshot"), own)


class _Portion(InputPartition):
    """Files that one task reads; inlined rows go with the first."""

    def __init__(self, plan: ScanPlan, storage: Storage) -> None:
        super().__init__(0)
        self.plan = plan
        self.storage = storage


class DuckLakeReader(DataSourceReader):
    """Plans on the driver, reads in tasks."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        with options.session() as session:
            self._plan = session.plan(
                Request(options.table, options.at, options.columns, options.filter)
            )
            self._storage = session.storage

    def pushFilters(  # noqa: N802 - Spark's name
        self, filters: list[datasource.Filter]
    ) -> Iterable[datasource.Filter]:
        """Filters that the scan applies itself; the others stay with Spark."""
        taken: list[Predicate] = []
        for each in filters:
            meant = _meant(each, self._plan.table)
            if meant is None:
                yield each
            else:
                taken.append(meant)
        if taken:
            self._take(all_of(*taken))

    def _take(self, predicate: Predicate) -> None:
        columns = {leaf.column.id: leaf.column for leaf in _leaves(predicate)}
        chosen = PredicateFilter(tuple(columns.values()), predicate)
        own = self._plan.filter
        both = chosen if own is None else BothFilters(own, chosen)
        with self._options.session() as session:
            at = AtVersion(self._plan.snapshot.id)
            self._plan = session.plan(Request(self._options.table, at, self._options.columns, both))

    def partitions(self) -> Sequence[InputPartition]:
        """The files, shared out."""
        shares = portions(self._plan.tasks, _PARTS) if self._plan.tasks else [()]
        plans = [replace(self._plan, tasks=share, inlined=()) for share in shares]
        plans[0] = replace(plans[0], inlined=self._plan.inlined)
        return [_Portion(plan, self._storage) for plan in plans]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one share."""
        share = cast("_Portion", partition)
        for batch in read_batches(share.plan, share.storage, threads=1):
            yield to_spark(batch, share.plan.columns)


def _leaves(predicate: Predicate) -> list[Any]:
    parts = getattr(predicate, "parts", None)
    return [predicate] if parts is None else [leaf for part in parts for leaf in _leaves(part)]


def _meant(given: datasource.Filter, table: Table) -> Predicate | None:
    path: Sequence[str] = getattr(given, "attribute", ())
    if len(path) != 1:
        return None
    try:
        column = table.column(path[0])
    except NotFound:
        return None
    predicate: Predicate | None = None
    if type(given) in _COMPARED:
        predicate = Compare(column, _COMPARED[type(given)], given.value)  # type: ignore[attr-defined]
    elif isinstance(given, datasource.In):
        predicate = OneOf(column, tuple(value for value in given.value if value is not None))
    elif isinstance(given, datasource.IsNull):
        predicate = IsNull(column)
    elif isinstance(given, datasource.IsNotNull):
        predicate = IsNotNull(column)
    return predicate if predicate is not None and fits_arrow(predicate) else None

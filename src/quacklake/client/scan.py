"""A scan as a user builds it: a value until rows are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from quacklake.client import frames
from quacklake.client.ports import Planner
from quacklake.client.writing.clusters import Frame, cluster_of
from quacklake.format import casting
from quacklake.format.snapshot import AtVersion
from quacklake.format.sqltypes import quoted
from quacklake.format.types import Kind, Scalar
from quacklake.scan.masks import BothFilters, RowFilter
from quacklake.scan.plan import Request, ScanPlan
from quacklake.scan.reading import read_batches, read_table

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl

    from quacklake.scan.dataset import LakeDataset


@dataclass(frozen=True, slots=True)
class Scan:
    """Some columns and rows of a table at a snapshot."""

    source: Planner
    request: Request

    def plan(self) -> ScanPlan:
        """What reading will do: the files left after pruning, and the rows of the catalog."""
        return self.source.plan(self.request)

    def to_arrow(self) -> pa.Table:
        """All rows as one Arrow table."""
        return read_table(self.plan(), self.source.storage)

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """The rows as a stream that holds a few row groups in memory, however large the table."""
        return read_batches(self.plan(), self.source.storage)

    def to_reader(self) -> pa.RecordBatchReader:
        """The stream with its schema, as other Arrow libraries take it."""
        plan = self.plan()
        return pa.RecordBatchReader.from_batches(
            plan.schema, read_batches(plan, self.source.storage)
        )

    def to_pandas(self) -> pd.DataFrame:
        """All rows as a pandas DataFrame."""
        return frames.to_pandas(self.to_arrow())

    def to_polars(self) -> pl.DataFrame:
        """All rows as a Polars DataFrame."""
        plan = self.plan()
        table = read_table(plan, self.source.storage)
        wide = [column.name for column in plan.columns if column.type == Scalar(Kind.INT128)]
        return frames.to_polars(table, int128=wide)

    def to_duckdb(self, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        """The rows as a relation of `connection`, in the lake's own types.

        Nothing is read before the relation is used; DuckDB's column choice and filters are
        pushed into the scan.
        """
        plan = self.plan()
        typed = ", ".join(
            f"{casting.restored(quoted(column.name), column.type)} AS {quoted(column.name)}"
            for column in plan.columns
        )
        return connection.from_arrow(self._dataset(plan)).project(typed)

    def to_spark(self, spark: Any = None) -> Frame:
        """The rows as a Spark DataFrame, of the session given or of the one in use.

        Files are chosen now and read when Spark runs: it reads them itself where it can.
        """
        return cluster_of(self.source).frame(self.source, self.plan(), spark)

    def _dataset(self, plan: ScanPlan) -> LakeDataset:
        """The planned snapshot as a dataset: later uses read the same snapshot."""
        # Imported here: it brings pandas along wherever pandas is installed.
        from quacklake.scan.dataset import LakeDataset

        at = AtVersion(plan.snapshot.id)

        def opened(columns: Sequence[str] | None, given: RowFilter | None) -> pa.RecordBatchReader:
            names = None if columns is None else tuple(columns)
            asked = names or self.request.columns
            chosen = _both(plan.filter, given)
            return Scan(self.source, Request(self.request.table, at, asked, chosen)).to_reader()

        return LakeDataset(plan.table, plan.schema, opened)


def _both(first: RowFilter | None, second: RowFilter | None) -> RowFilter | None:
    return BothFilters(first, second) if first and second else first or second

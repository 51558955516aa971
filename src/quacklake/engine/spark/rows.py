"""A Spark DataFrame as rows to be written: executors write, the driver commits once."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame

from quacklake.client.workspace import Workspace
from quacklake.client.writing.adding import file_writing
from quacklake.client.writing.affected import Affected
from quacklake.client.writing.clauses import Clauses
from quacklake.client.writing.matching import matched
from quacklake.engine.spark import native
from quacklake.engine.spark.merging import merge
from quacklake.engine.spark.shapes import arrow_shape
from quacklake.engine.spark.writing import WriteRows, run, with_written, zoned
from quacklake.format.table import TableName
from quacklake.transaction.draft import TableDraft


@dataclass(frozen=True, slots=True)
class SparkRows:
    """The rows of a DataFrame; each attempt computes them anew."""

    frame: DataFrame

    @property
    def schema(self) -> pa.Schema:
        """The columns, as Arrow has them."""
        return arrow_shape(self.frame.schema)

    @property
    def repeatable(self) -> bool:
        """Spark can run the frame again."""
        return True

    def add(
        self, work: Workspace, draft: TableDraft, *, row_ids: str | None = None
    ) -> tuple[TableDraft, int]:
        """`draft` with the rows added: files of the executors, and what was too little for one."""
        table = draft.table
        frame = zoned(self.frame, table)
        matcher = matched(arrow_shape(frame.schema), table, row_ids=row_ids)
        writing = file_writing(work, table, with_ids=row_ids is not None)
        limit = work.limit(table)
        if native.suits(frame, writing, matcher):
            manifest = native.write(frame, writing, matcher, limit)
        else:
            manifest = run(frame, WriteRows(writing, matcher, limit), work)
        return with_written(work, draft, manifest)

    def merge(
        self, work: Workspace, name: TableName, on: tuple[str, ...], clauses: Clauses
    ) -> Affected:
        """Bring the rows in by key, by a Spark job."""
        return merge(self.frame, work, name, on, clauses)

"""Spark as the client sees it: frames in, frames out, and large changes made by many processes.

Nothing of pyspark is imported before a frame is asked for or given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from quacklake.client.ports import Planner
from quacklake.client.workspace import Workspace
from quacklake.client.writing.affected import Affected
from quacklake.client.writing.clusters import DistributedRows
from quacklake.engine.spark.session import prepared, spark_session
from quacklake.format.table import TableName
from quacklake.maintenance.moving import Move, Moved
from quacklake.scan.plan import ScanPlan

if TYPE_CHECKING:
    import pyarrow.compute as pc
    from pyspark.sql import DataFrame, SparkSession


class SparkCluster:
    """The Spark that a lake uses: a session given, the active one, or one at `master`."""

    def __init__(self, master: str | None = None) -> None:
        self._master = master

    def session(self) -> SparkSession:
        """The session in use; the first call may start one, which takes seconds."""
        return spark_session(self._master)

    def takes(self, rows: object) -> bool:
        """Whether `rows` is a Spark DataFrame."""
        kind = type(rows)
        return kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame"

    def rows(self, rows: DataFrame) -> DistributedRows:
        """A DataFrame, to be written by its executors."""
        from quacklake.engine.spark.rows import SparkRows

        return SparkRows(rows)

    def frame(
        self, source: Planner, plan: ScanPlan, spark: SparkSession | None = None
    ) -> DataFrame:
        """A planned scan as a DataFrame."""
        session = prepared(spark) if spark is not None else self.session()
        from quacklake.engine.spark.reading import lowered

        return lowered(plan, source, session)

    def delete(
        self, work: Workspace, name: TableName, where: str | pc.Expression | None
    ) -> Affected:
        """Remove rows found by a Spark job."""
        from quacklake.engine.spark.changing import delete

        return delete(self.session(), work, name, where)

    def update(
        self,
        work: Workspace,
        name: TableName,
        assignments: Mapping[str, str],
        where: str | pc.Expression | None,
    ) -> Affected:
        """Write changed rows by a Spark job."""
        from quacklake.engine.spark.changing import update

        return update(self.session(), work, name, assignments, where)

    def carry(self, moves: Sequence[Move]) -> list[tuple[Moved, ...]]:
        """Move rows by a Spark job with a task for each move."""
        from quacklake.engine.spark.carrying import carry

        return carry(self.session(), moves)

    def __reduce__(self) -> tuple[Any, ...]:
        return (SparkCluster, (self._master,))

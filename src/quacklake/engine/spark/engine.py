"""The Spark engine: SQL over lake tables, run by Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quacklake.client.ports import Result
from quacklake.client.session import Session
from quacklake.engine.spark.cluster import SparkCluster

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class SparkEngine:
    """Runs queries on Spark, in its SQL."""

    def __init__(self, cluster: SparkCluster) -> None:
        self._cluster = cluster

    def query(self, session: Session, sql: str) -> Result:
        """The result of `sql`, checked and planned; rows are read when the result is used.

        A statement that changes the lake is carried out at once; its result is one row that
        tells what it did.
        """
        # Imported here: opening a lake needs none of it, and it brings pandas along.
        from quacklake.client.told import told
        from quacklake.engine.local.editing import defined
        from quacklake.sql.editing import edit_of
        from quacklake.sql.edits import Define

        edit = edit_of(sql, dialect="spark")
        if isinstance(edit, Define):
            # Nothing is computed, so no Spark has to run.
            return told(defined(session, edit))
        self._cluster.session()
        from quacklake.engine.spark.editing import carried_out
        from quacklake.engine.spark.result import SparkResult

        if edit is not None:
            return told(carried_out(session, edit, lambda query: self._frame(session, query)))
        return SparkResult(self._frame(session, sql))

    def _frame(self, session: Session, sql: str) -> DataFrame:
        from quacklake.engine.spark.queries import planned

        spark = self._cluster.session()
        return planned(session, spark, sql).frame(self._cluster, session, spark)

"""Programs of views on Spark: sources as frames, key sets collected, and only they."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from quacklake.client.ports import Planner
from quacklake.engine.spark.cluster import SparkCluster
from quacklake.engine.spark.failures import running
from quacklake.engine.spark.given import in_types, rows_here
from quacklake.engine.spark.predicates import named
from quacklake.engine.spark.rounds import closure
from quacklake.engine.spark.runs import LARGE, READ_HERE, Run, rows_listed
from quacklake.engine.spark.settling import SparkChange
from quacklake.engine.spark.shapes import arrow_shape
from quacklake.format.types import Column
from quacklake.ivm import RECURSION, Program, RecursiveView
from quacklake.pipeline.comparing import LISTED, differing
from quacklake.pipeline.ports import Changed, Filled, Kept, Part
from quacklake.pipeline.sources import KeptQuery
from quacklake.pipeline.supply import WEIGHT, Supply
from quacklake.scan.plan import ScanPlan
from quacklake.scan.reading import read_table


class SparkPrograms:
    """Runs the programs of views on Spark."""

    name = "spark"
    dialect = "spark"

    def __init__(self, cluster: SparkCluster) -> None:
        self._cluster = cluster

    def filled(self, view: KeptQuery, supply: Supply, *, row_ids: bool = False) -> Filled:
        """All rows of the view and of its states, as frames."""
        given: dict[str, DataFrame] = {}
        if isinstance(view, RecursiveView) and view.distinct:
            given[RECURSION] = closure(view, lambda *each: self._computed(supply, *each))
        program = view.full(self.dialect, row_ids=row_ids)
        run = Run(self._cluster, program, supply, given).__enter__()
        try:
            states = {name: _part(frame) for name, frame in run.states().items()}
            return Filled(_part(run.result(), row_ids=row_ids), states, run.release)
        except Exception:
            run.release()
            raise

    def _computed(
        self, supply: Supply, program: Program, given: Mapping[str, DataFrame]
    ) -> DataFrame:
        with Run(self._cluster, program, supply, given) as run, running():
            return run.result().localCheckpoint()

    def changed(self, program: Program, supply: Supply, kept: Kept) -> Changed:
        """What a program computes, in the types of what is stored."""
        run = Run(self._cluster, program, supply).__enter__()
        try:
            states = {
                name: _changed(run, frame, (*kept.states[name], WEIGHT))
                for name, frame in run.states().items()
            }
            return Changed(_changed(run, run.result(), (*kept.rows, WEIGHT)), states, run.release)
        except Exception:
            run.release()
            raise

    def collected(self, program: Program, supply: Supply, kept: Kept) -> pa.Table:
        """The rows of a program, in this process."""
        with Run(self._cluster, program, supply) as run:
            return rows_here(run.result(), (*kept.rows, WEIGHT))

    def differing(self, part: Part, planner: Planner, stored: ScanPlan) -> tuple[int, pa.Table]:
        """How many rows are stored, and what turns them into those that `filled` gave.

        Few are compared here, many by Spark.
        """
        columns = stored.columns
        rows = self.few(part, columns, READ_HERE) if rows_listed(stored) <= READ_HERE else None
        if rows is not None:
            found = read_table(stored, planner.storage)
            return found.num_rows, differing(rows, found, columns)
        frame = self._cluster.frame(planner, stored, self._cluster.session())
        signed = _weighted(_frame(part), columns, 1).unionAll(_weighted(frame, columns, -1))
        # Spark, too, takes 0.0 and -0.0 for one group.
        total = f.sum(WEIGHT.name).alias(WEIGHT.name)
        summed = signed.groupBy([named(c.name) for c in columns]).agg(total)
        differences = summed.where(f.col(WEIGHT.name) != 0).limit(LISTED + 1)
        with running():
            count = frame.count()
        return count, rows_here(differences, (*columns, WEIGHT))

    def few(self, part: Part, columns: tuple[Column, ...], limit: int) -> pa.Table | None:
        """Rows that `filled` gave, unless they are more than `limit`."""
        found = rows_here(_frame(part).limit(limit + 1), columns)
        return found if found.num_rows <= limit else None


def _frame(part: Part) -> DataFrame:
    frame = part.rows
    assert isinstance(frame, DataFrame)  # noqa: S101 - this engine gives nothing else
    return frame


def _weighted(frame: DataFrame, columns: tuple[Column, ...], weight: int) -> DataFrame:
    return frame.select(*in_types(columns), f.lit(weight).cast("bigint").alias(WEIGHT.name))


def _part(frame: DataFrame, *, row_ids: bool = False) -> Part:
    shape = arrow_shape(frame.schema)
    return Part(frame, shape.remove(len(shape) - 1) if row_ids else shape)


def _changed(run: Run, frame: DataFrame, columns: tuple[Column, ...]) -> pa.Table | SparkChange:
    """A change in this process, or where it is if it is large."""
    rows = rows_here(frame.limit(LARGE + 1), columns)
    if rows.num_rows <= LARGE:
        return rows
    large = run.kept(frame.select(in_types(columns)))
    with running():
        return SparkChange(large, large.count(), columns)

"""Programs of views on Spark: sources as frames, key sets collected, and only they."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Self

import pyarrow as pa
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from sqlglot import exp

from quacklake.client.ports import Planner
from quacklake.engine.spark.carriers import (
    carrier_schema,
    inward,
    spark_schema,
    spark_type,
    to_spark,
)
from quacklake.engine.spark.cluster import SparkCluster
from quacklake.engine.spark.failures import running
from quacklake.engine.spark.given import frame_of
from quacklake.engine.spark.predicates import condition, named, roughly
from quacklake.engine.spark.rounds import closure
from quacklake.engine.spark.shapes import arrow_shape
from quacklake.format.arrow import arrow_type
from quacklake.format.types import Column
from quacklake.ivm import RECURSION, Program, Read, RecursiveView
from quacklake.pipeline.comparing import differing
from quacklake.pipeline.ports import Changed, Filled, Kept, Part
from quacklake.pipeline.sources import KeptQuery
from quacklake.pipeline.supply import WEIGHT, Supply
from quacklake.scan.masks import PredicateFilter
from quacklake.scan.plan import ScanPlan
from quacklake.scan.reading import read_table

_READ_HERE: Final = 250_000
"""Up to so many rows are searched for keys here: finding few among them is no work for a job."""


_LISTED: Final = 100_000
"""So many differences are listed; a result that is all wrong is as large as the table."""


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
        # Not closed: what is cached is read when the rows are written.
        program = view.full(self.dialect, row_ids=row_ids)
        run = _Run(self._cluster, program, supply, given).__enter__()
        states = {name: _part(frame) for name, frame in run.states().items()}
        return Filled(_part(run.result(), row_ids=row_ids), states)

    def _computed(
        self, supply: Supply, program: Program, given: Mapping[str, DataFrame]
    ) -> DataFrame:
        with _Run(self._cluster, program, supply, given) as run, running():
            return run.result().localCheckpoint()

    def changed(self, program: Program, supply: Supply, kept: Kept) -> Changed:
        """What a program computes, in the types of what is stored."""
        with _Run(self._cluster, program, supply) as run:
            states = {
                name: _collected(frame, (*kept.states[name], WEIGHT))
                for name, frame in run.states().items()
            }
            return Changed(_collected(run.result(), (*kept.rows, WEIGHT)), states)

    def differing(self, part: Part, planner: Planner, stored: ScanPlan) -> tuple[int, pa.Table]:
        """How many rows are stored, and what turns them into those that `filled` gave.

        Few are compared here, many by Spark.
        """
        columns = stored.columns
        rows = self.few(part, columns, _READ_HERE) if _size(stored) <= _READ_HERE else None
        if rows is not None:
            found = read_table(stored, planner.storage)
            return found.num_rows, differing(rows, found, columns)
        frame = self._cluster.frame(planner, stored, self._cluster.session())
        signed = _weighted(_frame(part), columns, 1).unionAll(_weighted(frame, columns, -1))
        # Spark, too, takes 0.0 and -0.0 for one group.
        total = f.sum(WEIGHT.name).alias(WEIGHT.name)
        summed = signed.groupBy([named(c.name) for c in columns]).agg(total)
        differences = summed.where(f.col(WEIGHT.name) != 0).limit(_LISTED)
        with running():
            count = frame.count()
        return count, _collected(differences, (*columns, WEIGHT))

    def few(self, part: Part, columns: tuple[Column, ...], limit: int) -> pa.Table | None:
        """Rows that `filled` gave, unless they are more than `limit`."""
        found = _collected(_frame(part).limit(limit + 1), columns)
        return found if found.num_rows <= limit else None


def _frame(part: Part) -> DataFrame:
    frame = part.rows
    assert isinstance(frame, DataFrame)  # noqa: S101 - this engine gives nothing else
    return frame


def _weighted(frame: DataFrame, columns: tuple[Column, ...], weight: int) -> DataFrame:
    return frame.select(*_typed(columns), f.lit(weight).cast("bigint").alias(WEIGHT.name))


def _typed(columns: Sequence[Column]) -> list[SparkColumn]:
    return [named(c.name).cast(spark_type(c.type)).alias(c.name) for c in columns]


class _Run:
    """One program over frames: each read and each step becomes one, in the program's order.

    Those that are `given` are there already.
    """

    def __init__(
        self,
        cluster: SparkCluster,
        program: Program,
        supply: Supply,
        given: Mapping[str, DataFrame] | None = None,
    ) -> None:
        self._cluster = cluster
        self._spark: SparkSession = cluster.session()
        self._program = program
        self._supply = supply
        self._frames: dict[str, DataFrame] = dict(given or {})
        self._keys: dict[str, pa.Table] = {}
        self._cached: list[DataFrame] = []

    def __enter__(self) -> Self:
        limits = {each.step for read in self._program.reads for each in read.keys}
        for step in self._program.steps:
            if step.name in self._frames:
                continue
            frame = self._over(step.uses, step.query)
            if step.name in limits:
                frame = self._collected(step.name, frame)
            elif self._uses(step.name) > 1:
                # Spark would compute it, and plan it, once for each use.
                with running():
                    frame = frame.cache()
                self._cached.append(frame)
            self._frames[step.name] = frame
        return self

    def __exit__(self, *_: object) -> None:
        for frame in self._cached:
            with running():
                frame.unpersist()

    def result(self) -> DataFrame:
        """The rows of the program."""
        return self._over(self._program.uses, self._program.query)

    def states(self) -> dict[str, DataFrame]:
        """The rows of its states."""
        return {each.name: self._over(each.uses, each.query) for each in self._program.states}

    def _collected(self, name: str, frame: DataFrame) -> DataFrame:
        with running():
            self._keys[name] = frame.toArrow()
            return frame_of(self._spark, self._keys[name], frame.schema)

    def _uses(self, name: str) -> int:
        program = self._program
        parts = (*(s.uses for s in program.steps), *(s.uses for s in program.states))
        return sum(name in uses for uses in (*parts, program.uses))

    def _over(self, uses: Sequence[str], query: exp.Query) -> DataFrame:
        """A query over frames that it names."""
        reads = {each.name: each for each in self._program.reads}
        for name in uses:
            if name not in self._frames:
                self._frames[name] = self._read(reads[name])
        given = ", ".join(f"`{name}` AS (SELECT * FROM {{{name}}})" for name in uses)
        text = query.sql(dialect="spark").replace("{", "{{").replace("}", "}}")
        with running():
            frames: dict[str, Any] = {name: self._frames[name] for name in uses}
            return self._spark.sql(_after(given, text) if given else text, **frames)

    def _read(self, read: Read) -> DataFrame:
        columns = self._supply.columns(read)
        if self._supply.is_change(read):
            return self._given(self._supply.change(read), columns)
        planned = self._supply.scan(read, self._keys)
        if planned is None:
            return self._given(None, columns)
        if read.keys and read.columns and _size(planned.plan) <= _READ_HERE:
            return self._given(self._supply.rows(planned), columns)
        self._supply.count(planned.plan)
        plan = _pruned(planned.plan)
        frame = self._cluster.frame(planned.planner, plan, self._spark)
        return frame if read.columns else frame.selectExpr("1 AS one")

    def _given(self, rows: pa.Table | None, columns: tuple[Column, ...]) -> DataFrame:
        batches = [] if rows is None else [to_spark(b, columns) for b in rows.to_batches()]
        with running():
            return frame_of(
                self._spark,
                pa.Table.from_batches(batches, carrier_schema(columns)),
                spark_schema(columns),
            )


def _size(plan: ScanPlan) -> int:
    return sum(task.file.record_count for task in plan.tasks)


def _after(given: str, text: str) -> str:
    """A query behind common table expressions; its own, if it has any, follow them."""
    for opening in ("WITH RECURSIVE ", "WITH "):
        if text.startswith(opening):
            return f"{opening}{given}, {text.removeprefix(opening)}"
    return f"WITH {given} {text}"


def _part(frame: DataFrame, *, row_ids: bool = False) -> Part:
    shape = arrow_shape(frame.schema)
    return Part(frame, shape.remove(len(shape) - 1) if row_ids else shape)


def _pruned(plan: ScanPlan) -> ScanPlan:
    """The plan with a filter that Spark itself can check; the program checks keys exactly."""
    if plan.filter is None:
        return plan
    predicate = roughly(plan.filter.predicate)
    exact = condition(predicate) is not None
    return replace(plan, filter=PredicateFilter(plan.filter.columns, predicate) if exact else None)


def _collected(frame: DataFrame, columns: tuple[Column, ...]) -> pa.Table:
    """The rows of a frame in the types of `columns`, in this process."""
    with running():
        rows = frame.select(_typed(columns)).toArrow()
    schema = pa.schema([(column.name, arrow_type(column.type)) for column in columns])
    batches = [
        pa.RecordBatch.from_arrays(
            [inward(a, c.type) for a, c in zip(batch.columns, columns, strict=True)], schema=schema
        )
        for batch in rows.to_batches()
    ]
    return pa.Table.from_batches(batches, schema)

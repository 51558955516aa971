"""One program on Spark: its reads and its steps become frames, in the program's order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Self

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from sqlglot import exp

from quacklake.changefeed.plan import ChangePlan
from quacklake.engine.spark.carriers import carrier_schema, spark_schema, to_spark
from quacklake.engine.spark.cluster import SparkCluster
from quacklake.engine.spark.failures import running
from quacklake.engine.spark.feeding import change_frame
from quacklake.engine.spark.given import frame_of
from quacklake.engine.spark.predicates import condition, named, roughly
from quacklake.format.types import Column
from quacklake.ivm import WEIGHT_COLUMN, Program, Read
from quacklake.pipeline.supply import Supply
from quacklake.scan.masks import PredicateFilter
from quacklake.scan.plan import ScanPlan

READ_HERE: Final = 250_000
"""Up to so many rows are searched for keys here: finding few among them is no work for a job."""
LARGE: Final = 1_000_000
"""Changes and key sets of more rows stay with Spark; this process would have to hold them."""


class Run:
    """One program over frames; those that are `given` are there already."""

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
        try:
            self._step()
        except BaseException:
            self.release()
            raise
        return self

    def _step(self) -> None:
        limits = {each.step for read in self._program.reads for each in read.keys}
        for step in self._program.steps:
            if step.name in self._frames:
                continue
            frame = self._over(step.uses, step.query)
            if step.name in limits:
                frame = self._key_set(step.name, frame)
            elif self._uses(step.name) > 1:
                # Spark would compute it, and plan it, once for each use.
                frame = self.kept(frame)
            self._frames[step.name] = frame

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Let Spark forget what it keeps."""
        for frame in self._cached:
            with running():
                frame.unpersist()

    def kept(self, frame: DataFrame) -> DataFrame:
        """The frame, computed once until the run is released."""
        with running():
            cached = frame.cache()
        self._cached.append(cached)
        return cached

    def result(self) -> DataFrame:
        """The rows of the program."""
        return self._over(self._program.uses, self._program.query)

    def states(self) -> dict[str, DataFrame]:
        """The rows of its states."""
        return {each.name: self._over(each.uses, each.query) for each in self._program.states}

    def _key_set(self, name: str, frame: DataFrame) -> DataFrame:
        """Keys, here if they are not too many to limit what is read."""
        with running():
            keys = frame.limit(LARGE + 1).toArrow()
            if keys.num_rows > LARGE:
                return self.kept(frame)
            self._keys[name] = keys
            return frame_of(self._spark, keys, frame.schema)

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
            large = self._supply.large_change(read, LARGE)
            if large is not None:
                return self._fed(read, large, columns)
            return self._given(self._supply.change(read), columns)
        planned = self._supply.scan(read, self._keys)
        if planned is None:
            return self._given(None, columns)
        if read.keys and read.columns and rows_listed(planned.plan) <= READ_HERE:
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

    def _fed(self, read: Read, plan: ChangePlan, columns: tuple[Column, ...]) -> DataFrame:
        """A change that this process should not hold."""
        supply = self._supply
        with running():
            frame = self.kept(
                change_frame(self._spark, plan, supply.work.storage, columns, row_ids=read.row_ids)
            )
            count = frame.agg(f.sum(f.abs(named(WEIGHT_COLUMN)))).first()
        supply.rows_in += (count and count[0]) or 0
        reads = plan.reads
        supply.meter.add(files=reads.files, rows=reads.rows, size=reads.bytes)
        return frame


def rows_listed(plan: ScanPlan) -> int:
    """How many rows the files of a plan have."""
    return sum(task.file.record_count for task in plan.tasks)


def _after(given: str, text: str) -> str:
    """A query behind common table expressions; its own, if it has any, follow them."""
    for opening in ("WITH RECURSIVE ", "WITH "):
        if text.startswith(opening):
            return f"{opening}{given}, {text.removeprefix(opening)}"
    return f"WITH {given} {text}"


def _pruned(plan: ScanPlan) -> ScanPlan:
    """The plan with a filter that Spark itself can check; the program checks keys exactly."""
    if plan.filter is None:
        return plan
    predicate = roughly(plan.filter.predicate)
    exact = condition(predicate) is not None
    return replace(plan, filter=PredicateFilter(plan.filter.columns, predicate) if exact else None)

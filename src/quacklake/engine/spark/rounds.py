"""Recursion with UNION on Spark, whose own recursion knows only UNION ALL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from pyspark.sql import DataFrame

from quacklake.engine.spark.failures import running
from quacklake.engine.spark.predicates import named
from quacklake.ivm import ROWS, WEIGHT_COLUMN, Program, RecursiveView
from quacklake.pipeline.recursing import ROUNDS, endless

Run: TypeAlias = Callable[[Program, Mapping[str, DataFrame]], DataFrame]
"""The rows of a program; some of its reads are given as frames."""


def closure(view: RecursiveView, run: Run) -> DataFrame:
    """All different rows of a recursion: a round is made of the rows that the last one found."""
    program = _unlimited(view.round("spark"))
    names = [read.name for read in program.reads if read.source == ROWS]
    first = run(view.start.full("spark"), {})
    with running():
        rows = first.distinct().localCheckpoint()
        everything = rows
        shape = [named(field.name).cast(field.dataType).alias(field.name) for field in rows.schema]
    for _ in range(ROUNDS):
        with running():
            if rows.isEmpty():
                return everything
            weighted = rows.selectExpr("*", f"CAST(1 AS BIGINT) AS {WEIGHT_COLUMN}")
        found = run(program, dict.fromkeys(names, weighted))
        with running():
            rows = found.select(shape).subtract(everything).localCheckpoint()
            everything = everything.unionAll(rows)
    raise endless(view, ROUNDS)


def _unlimited(program: Program) -> Program:
    """The program without keys: a round of all rows meets most of what there is."""
    return replace(program, reads=tuple(replace(each, keys=()) for each in program.reads))

"""Statements that change a lake, their rows computed and written by Spark."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame

from quacklake.client.autocommit import WriteReport, autocommit
from quacklake.client.defining import entries
from quacklake.client.session import Session
from quacklake.client.workspace import Workspace
from quacklake.client.writing import merging, operations
from quacklake.client.writing.affected import NOTHING_AFFECTED, Affected
from quacklake.engine.local.editing import operated
from quacklake.engine.spark.carriers import spark_type
from quacklake.engine.spark.predicates import named
from quacklake.engine.spark.rows import SparkRows
from quacklake.kernel.errors import UsageError
from quacklake.sql.edits import CreateFromRows, Edit, InsertRows, MergeRows

Frames = Callable[[str], DataFrame]
"""The DataFrame of a query over the lake."""


def carried_out(session: Session, edit: Edit, frames: Frames) -> WriteReport:
    """Do what a statement asks for; after a conflict it is done anew on the newest snapshot."""
    return autocommit(session, lambda work: _operate(work, edit, frames), repeatable=True)


def _operate(work: Workspace, edit: Edit, frames: Frames) -> Affected:
    match edit:
        case InsertRows():
            return _insert(work, edit, frames)
        case CreateFromRows(table, query, keys):
            if edit.if_not_exists and work.exists(table):
                return NOTHING_AFFECTED
            rows = SparkRows(frames(query))
            if edit.replaces and work.exists(table):
                entries.drop_table(work, table)
            entries.create_table(work, table, rows.schema, partition_by=keys)
            return operations.append(work, table, rows)
        case MergeRows(table, query, keys, clauses):
            brought = SparkRows(frames(query))
            return merging.merge(work, name=table, rows=brought, on=keys, clauses=clauses)
        case _:
            return operated(work, edit, lambda query: frames(query).toArrow())


def _insert(work: Workspace, edit: InsertRows, frames: Frames) -> Affected:
    """SQL inserts by position, and casts as Spark stores."""
    table = work.drafted(edit.table).table
    names = edit.columns or tuple(column.name for column in table.columns)
    frame = frames(edit.query)
    if len(frame.columns) != len(names):
        raise UsageError(
            f"the rows have {len(frame.columns)} columns, and {len(names)} are to be filled",
            hint="name the columns: INSERT INTO t (a, b) …",
        )
    # By position: a query may give two columns one name.
    placed = frame.toDF(*(f"c{place}" for place in range(len(names))))
    cast = [
        named(f"c{place}").cast(spark_type(table.column(name).type)).alias(name)
        for place, name in enumerate(names)
    ]
    return operations.append(work, edit.table, SparkRows(placed.select(cast)))

"""MERGE on Spark: both sides are shared out by key, and each share is merged as we merge here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from quacklake.client.workspace import Workspace
from quacklake.client.writing.affected import Affected
from quacklake.client.writing.clauses import Clauses
from quacklake.client.writing.deciding import INSERTS, REMOVES, decided
from quacklake.client.writing.inputs import Input
from quacklake.client.writing.merging import (
    brought_rows,
    keeps_all,
    merged_rows,
    target_plan,
    within,
)
from quacklake.client.writing.removing import remove_rows
from quacklake.engine.spark.failures import running
from quacklake.engine.spark.manifests import Word, said, told
from quacklake.engine.spark.predicates import comparable, named
from quacklake.engine.spark.reading import lowered
from quacklake.engine.spark.sharing import (
    ShareWriting,
    hashed_key,
    hashes,
    met,
    rows_of_share,
    share_writing,
    shared,
    shares_of,
    unshared,
)
from quacklake.engine.spark.writing import adapted, with_written, zoned
from quacklake.format.predicate import ANYTHING, NOTHING, Predicate, all_of
from quacklake.format.table import TableName
from quacklake.format.types import Column
from quacklake.kernel.errors import UsageError
from quacklake.scan.plan import PLACES

_FEW: Final = 1_000_000


def merge(
    frame: DataFrame, work: Workspace, name: TableName, on: tuple[str, ...], clauses: Clauses
) -> Affected:
    """Carry out a merge of a frame's rows."""
    draft = work.drafted(name)
    table = draft.table
    keys = tuple(table.column(key) for key in on)
    hashed = all(hashes(key) for key in keys)
    _check_keys(frame, keys)
    source = zoned(frame, table).persist()
    try:
        with running():
            count, bounds = _measured(source, keys)
        plan = target_plan(work, table, keys, ANYTHING if keeps_all(clauses) else bounds)
        target = lowered(plan, work, source.sparkSession)
        if hashed and not keeps_all(clauses):
            target = _matching(target, source, keys, few=count < _FEW)
        rows = count + sum(task.file.record_count for task in plan.tasks)
        shares = shares_of(source, rows) if hashed else 1
        job = MergeShare(
            tuple(source.columns),
            plan.columns,
            keys,
            clauses,
            share_writing(work, table),
        )
        manifest = met(shared(source, keys, shares), shared(target, keys, shares), job)
    finally:
        source.unpersist()
    manifest.checked(work.storage)
    if manifest.places:
        draft = remove_rows(draft, plan, pa.concat_tables(manifest.places))
    draft, _ = with_written(work, draft, manifest)
    work.stage(draft)
    counts = manifest.counts
    return Affected(counts.get("insert", 0), counts.get("update", 0), counts.get("delete", 0))


def _check_keys(frame: DataFrame, keys: tuple[Column, ...]) -> None:
    known = {name.casefold() for name in frame.columns}
    for key in keys:
        if key.name.casefold() not in known:
            raise UsageError(f"the rows have no column '{key.name}' to merge on", column=key.name)


def _measured(source: DataFrame, keys: tuple[Column, ...]) -> tuple[int, Predicate]:
    """How many rows are brought in, and within which bounds their keys lie."""
    asked = [f.count(f.lit(1))]
    ordered = [key for key in keys if comparable(key)]
    for key in ordered:
        asked += [f.min(hashed_key(key)), f.max(hashed_key(key))]
    found = source.agg(*asked).toArrow().to_pylist()
    count, *bounds = list(found[0].values()) if found else [0]
    predicate: Predicate = ANYTHING
    for place, key in enumerate(ordered):
        low, high = bounds[2 * place : 2 * place + 2]
        predicate = all_of(predicate, NOTHING if low is None else within(key, low, high))
    return int(count), predicate


def _matching(
    target: DataFrame, source: DataFrame, keys: tuple[Column, ...], *, few: bool
) -> DataFrame:
    """The rows of the table whose keys are brought in."""
    names = [f"_quacklake_key{place}" for place in range(len(keys))]
    wanted = source.select(
        [hashed_key(key).alias(name) for key, name in zip(keys, names, strict=True)]
    )
    wanted = f.broadcast(wanted) if few else wanted
    same = [hashed_key(key) == named(name) for key, name in zip(keys, names, strict=True)]
    return target.join(wanted, reduce(SparkColumn.__and__, same), "left_semi")


@dataclass(frozen=True, slots=True)
class MergeShare:
    """Merges the rows of one share: every row that matches another is in it."""

    brought: tuple[str, ...]
    columns: tuple[Column, ...]
    keys: tuple[Column, ...]
    clauses: Clauses
    writing: ShareWriting

    def __call__(self, source: pa.Table, target: pa.Table) -> pa.Table:
        """The manifest of the share."""
        return told(lambda: self._merged(source, target))

    def _merged(self, source: pa.Table, target: pa.Table) -> Iterator[pa.RecordBatch]:
        table = self.writing.fresh.table
        brought = unshared(source).rename_columns(list(self.brought))
        batches = [adapted(batch, table) for batch in brought.to_batches()]
        schema = batches[0].schema if batches else brought.schema
        given = Input(schema, pa.Table.from_batches(batches, schema), repeatable=True)
        found = rows_of_share(target, self.columns)
        done = decided(brought_rows(given, table, self.keys), found, table, self.keys, self.clauses)
        action = done.column("action")
        removed = done.filter(pc.is_in(action, pa.array(REMOVES)))
        added = merged_rows(done.filter(pc.is_in(action, pa.array(INSERTS))), table)
        yield from self.writing.write(added)
        if removed.num_rows:
            places = found.take(removed.column("target_row"))
            yield said(Word.PLACES, places.select([column.name for column in PLACES]))
        counted = done.group_by("action").aggregate([([], "count_all")]).to_pylist()
        yield said(Word.COUNT, {entry["action"]: entry["count_all"] for entry in counted})

"""A large change of a stored table, applied by Spark.

The change and the stored rows are shared out by the values that tell rows apart, so that a row
that goes and the stored row meet in one share; each share is settled as small changes are here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from quacklake.client.workspace import Workspace
from quacklake.client.writing.matching import checked_ids
from quacklake.client.writing.removing import remove_rows
from quacklake.engine.spark.given import rows_here
from quacklake.engine.spark.manifests import Word, said, told
from quacklake.engine.spark.predicates import named
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
)
from quacklake.engine.spark.writing import with_written
from quacklake.format.snapshot import AtVersion
from quacklake.format.table import Table, TableName
from quacklake.format.types import Column
from quacklake.ivm import ROW_ID_COLUMN, WEIGHT_COLUMN
from quacklake.pipeline.settling import Applied, arriving, check_alone, leaving, parted
from quacklake.pipeline.supply import IDENTITY, Supply
from quacklake.scan.plan import PLACE, PLACES, ROW_ID, VERSION, Request, ScanPlan
from quacklake.scan.reading import read_table


@dataclass(frozen=True, slots=True)
class SparkChange:
    """A change that Spark has computed and keeps; `columns` are those of its rows."""

    frame: DataFrame
    count: int
    columns: tuple[Column, ...]

    def collected(self) -> pa.Table:
        """The rows, in this process."""
        return rows_here(self.frame, self.columns)

    def apply(
        self,
        supply: Supply,
        name: TableName,
        *,
        key: Sequence[str] | None = None,
        row_ids: bool = False,
    ) -> Applied:
        """Stage the change; raises `CorruptLake` if a row that must go is not there."""
        work = supply.work
        draft = work.drafted(name)
        table = draft.table
        tells = table.columns if key is None else tuple(table.column(each) for each in key)
        plan = _stored(work, table, row_ids=row_ids)
        supply.count(plan)
        job = ShareOfChange(
            self.columns,
            plan.columns,
            None if key is None else tuple(key),
            row_ids,
            share_writing(work, table),
        )
        stored = _leaving(lowered(plan, work, self.frame.sparkSession), self.frame, tells)
        shares = shares_of(self.frame, self.count)
        mine, theirs = (shared(frame, tells, shares) for frame in (self.frame, stored))
        manifest = met(mine, theirs, job).checked(work.storage)
        removed = 0
        if manifest.places:
            places = pa.concat_tables(manifest.places)
            removed = places.num_rows
            if row_ids:
                _check_kept(work, plan, places)
            draft = remove_rows(draft, plan, places)
        if manifest.counts:
            draft = replace(draft, borrows_ids=row_ids)
        draft, added = with_written(work, draft, manifest)
        work.stage(draft)
        return Applied(added, removed)


@dataclass(frozen=True, slots=True)
class ShareOfChange:
    """Settles one share: every stored row that a row of the change may mean is in it."""

    changed: tuple[Column, ...]
    stored: tuple[Column, ...]
    key: tuple[str, ...] | None
    row_ids: bool
    writing: ShareWriting

    def __call__(self, change: pa.Table, found: pa.Table) -> pa.Table:
        """The manifest of the share."""
        return told(lambda: self._settled(change, found))

    def _settled(self, change: pa.Table, found: pa.Table) -> Iterator[pa.RecordBatch]:
        table = self.writing.fresh.table
        rows = rows_of_share(change, self.changed)
        if self.row_ids:
            checked_ids(rows.column(ROW_ID_COLUMN), table)
        gone, come = parted(rows)
        left = None
        if gone.num_rows:
            stored = rows_of_share(found, self.stored)
            left = leaving(table, stored, gone, row_ids=self.row_ids)
        if come.num_rows:
            added = arriving(table, come, left, key=self.key, row_ids=self.row_ids)
            yield from self.writing.write(added)
            yield said(Word.COUNT, {"insert": added.num_rows})
        if left is not None:
            yield said(Word.PLACES, left.select([column.name for column in PLACES]))


def _stored(work: Workspace, table: Table, *, row_ids: bool) -> ScanPlan:
    at = AtVersion(work.ground.snapshot.id)
    plan = work.plan(Request(table.name, at, None, None, places=True))
    return replace(plan, columns=(*table.columns, IDENTITY if row_ids else ROW_ID, *PLACES))


def _leaving(stored: DataFrame, change: DataFrame, tells: Sequence[Column]) -> DataFrame:
    """The stored rows that may go, by those values that mean the same to Spark."""
    known = [column for column in tells if hashes(column)]
    if not known:
        return stored
    gone = change.where(named(WEIGHT_COLUMN) < 0)
    names = [f"_quacklake_key{place}" for place in range(len(known))]
    pairs = list(zip(known, names, strict=True))
    wanted = gone.select([hashed_key(column).alias(name) for column, name in pairs])
    same = [hashed_key(column).eqNullSafe(f.col(name)) for column, name in pairs]
    return stored.join(wanted, reduce(SparkColumn.__and__, same), "left_semi")


def _check_kept(work: Workspace, plan: ScanPlan, places: pa.Table) -> None:
    """Rows in the catalog go by their ids, which no other one there may have."""
    kept = places.filter(pc.is_valid(places.column(VERSION.name)))
    if kept.num_rows:
        held = read_table(replace(plan, tasks=(), columns=(IDENTITY, *PLACES)), work.storage)
        ids = pc.is_in(held.column(PLACE.name), value_set=kept.column(PLACE.name))
        check_alone(plan.table, held.filter(ids))

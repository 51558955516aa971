"""Rows that stop existing: found by a scan that tells where each one lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quacklake.kernel.ids import DataFileId
from quacklake.scan.plan import FILE, PLACE, VERSION, ScanPlan
from quacklake.transaction.draft import FileDeletes, Positions, StagedRows, TableDraft


def remove_rows(draft: TableDraft, plan: ScanPlan, places: pa.Table) -> TableDraft:
    """`draft` without the rows of `plan` that lie at `places`."""
    in_files = places.filter(pc.is_valid(places.column(FILE.name)))
    in_catalog = places.filter(pc.is_valid(places.column(VERSION.name)))
    tasks = {task.file.id: task for task in plan.tasks}
    deletes = dict(draft.deletes)
    own = dict(draft.own_deletes)
    for file, positions in _grouped(in_files, FILE.name).items():
        identity = DataFileId(file)
        if file < 0:
            own[identity] = _union(own.get(identity), positions)
            continue
        known = deletes.get(identity)
        task = tasks[identity]
        already = known.already if known else task.deleted
        merged = _union(known.positions if known else None, positions)
        deletes[identity] = FileDeletes(task.file, already, merged)
    draft = replace(draft, deletes=deletes, own_deletes=own)
    draft = _without_emptied_files(draft)
    return _without_catalog_rows(draft, _grouped(in_catalog, VERSION.name))


def _grouped(places: pa.Table, by: str) -> Mapping[int, Positions]:
    if not places.num_rows:
        return {}
    keys = places.column(by).to_numpy()
    found = places.column(PLACE.name).to_numpy()
    order = np.lexsort((found, keys))
    keys, found = keys[order], found[order]
    values, starts = np.unique(keys, return_index=True)
    return dict(zip(values.tolist(), np.split(found, starts[1:]), strict=True))


def _union(known: Positions | None, more: Positions) -> Positions:
    return more if known is None else np.union1d(known, more)


def _without_emptied_files(draft: TableDraft) -> TableDraft:
    """A file of this transaction that lost all its rows is not committed at all."""
    emptied = {
        file.id
        for file in draft.files
        if file.id in draft.own_deletes
        and draft.own_deletes[file.id].size == file.written.record_count
    }
    if not emptied:
        return draft
    kept = tuple(file for file in draft.files if file.id not in emptied)
    own = {file: gone for file, gone in draft.own_deletes.items() if file not in emptied}
    return replace(draft, files=kept, own_deletes=own)


def _without_catalog_rows(draft: TableDraft, by_version: Mapping[int, Positions]) -> TableDraft:
    ended = dict(draft.ended_rows)
    rows = list(draft.rows)
    for version, places in by_version.items():
        if version >= 0:
            ended[version] = (*ended.get(version, ()), *places.tolist())
        else:
            rows[-version - 1] = _without(rows[-version - 1], places)
    kept = tuple(staged for staged in rows if staged.rows.num_rows)
    return replace(draft, ended_rows=ended, rows=kept)


def _without(staged: StagedRows, places: Positions) -> StagedRows:
    keep = np.ones(staged.rows.num_rows, dtype=np.bool_)
    keep[places] = False
    return replace(staged, rows=staged.rows.filter(pa.array(keep)))

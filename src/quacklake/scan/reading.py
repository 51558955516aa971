"""A plan becomes batches of rows, in any process that can reach the files."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import pyarrow as pa

from quacklake.catalog.reader import InlinedRows
from quacklake.scan.conform import conversion, converted, default_values
from quacklake.scan.files import FileReader, Shapes
from quacklake.scan.pieces import Piece
from quacklake.scan.plan import (
    FILE,
    PLACE,
    ROW_ID,
    SNAPSHOT_ID,
    VERSION,
    FileTask,
    ScanPlan,
)
from quacklake.scan.reads import Meter
from quacklake.scan.shape import as_stored
from quacklake.scan.stream import Job, default_threads, in_order
from quacklake.storage.filesystem import Storage

_BEGUN_PER_THREAD = 2
_ROWS_PER_GROUP = 25_000
_ROWS_PER_SPAN = 1_000_000
_PIECES_WORTH_SEEKING = 4
_SPARSE = 0.1
"""Up to this share of wanted rows, seeking them is cheaper than reading and filtering all."""


def read_batches(
    plan: ScanPlan, storage: Storage, *, threads: int | None = None, meter: Meter | None = None
) -> Iterator[pa.RecordBatch]:
    """The rows of `plan`; few row groups are held at a time."""
    for table in _read_tables(plan, storage, threads or default_threads(), meter):
        yield from table.to_batches()


def read_table(plan: ScanPlan, storage: Storage, *, meter: Meter | None = None) -> pa.Table:
    """All rows of `plan`, where they were read: nothing is copied to put them together."""
    tables = list(_read_tables(plan, storage, default_threads(), meter, collecting=True))
    return pa.concat_tables(tables) if tables else plan.schema.empty_table()


def _read_tables(
    plan: ScanPlan,
    storage: Storage,
    threads: int,
    meter: Meter | None,
    *,
    collecting: bool = False,
) -> Iterator[pa.Table]:
    if meter is not None:
        meter.add(rows=sum(kept.rows.num_rows for kept in plan.inlined))
    jobs = _jobs(Shapes(plan, meter), storage, collecting=collecting)
    return in_order(jobs, threads=threads, ahead=_BEGUN_PER_THREAD * threads)


def _jobs(shapes: Shapes, storage: Storage, *, collecting: bool) -> Iterator[Job[pa.Table]]:
    """The work of a scan; `collecting` tells that everything will be in memory at once."""
    plan = shapes.plan
    for tasks in _together(plan.tasks, storage):
        if len(tasks) == 1:
            yield partial(_open, shapes, tasks[0], storage, collecting=collecting)
        else:
            yield partial(_read_all, shapes, tasks, storage)
    for rows in plan.inlined:
        yield partial(read_inlined, plan, rows)


def _together(tasks: Iterable[FileTask], storage: Storage) -> Iterator[Sequence[FileTask]]:
    """Small files in groups that are worth a thread's while."""
    group: list[FileTask] = []
    rows = 0
    for task in tasks:
        # Over a network a file is waited for, not worked on: there, each has its own job.
        apart = not storage.is_local(task.file.path)
        if group and (apart or rows + task.file.record_count > _ROWS_PER_GROUP):
            yield group
            group, rows = [], 0
        group.append(task)
        rows += task.file.record_count
    if group:
        yield group


def _open(
    shapes: Shapes, task: FileTask, storage: Storage, *, collecting: bool
) -> pa.Table | list[Job[pa.Table]]:
    """The rows of a small file, or one job for each piece of a large one."""
    reader = FileReader(shapes, task, storage)
    pieces = reader.pieces()
    if len(pieces) == 1:
        # Not so for batches: whoever takes those may be a thread that Arrow's own pool needs.
        alone = collecting and len(shapes.plan.tasks) == 1
        worthwhile = alone and pieces[0].row_count > _ROWS_PER_GROUP
        return reader.read(replace(pieces[0], alone=worthwhile))
    if shapes.plan.filter is not None and len(pieces) >= _PIECES_WORTH_SEEKING:
        return _sampled(reader, pieces, sys.maxsize if collecting else _ROWS_PER_SPAN)
    return [partial(reader.read, piece) for piece in pieces]


def _sampled(reader: FileReader, pieces: Sequence[Piece], span: int) -> list[Job[pa.Table]]:
    """A job for each piece, or, where a sample has few wanted rows, one for `span` rows."""
    sample = pieces[len(pieces) // 2]
    few = reader.wants_places_only or reader.wants_few(sample, _SPARSE)
    seeker = reader.seeker() if few else None
    if seeker is None:
        return [partial(reader.read, piece) for piece in pieces]
    return [partial(reader.seek, seeker, each) for each in reader.spans(pieces, span)]


def _read_all(shapes: Shapes, tasks: Sequence[FileTask], storage: Storage) -> pa.Table:
    tables: list[pa.Table] = []
    for task in tasks:
        reader = FileReader(shapes, task, storage)
        tables += [reader.read(piece) for piece in reader.pieces()]
    return pa.concat_tables(tables) if tables else shapes.schema.empty_table()


def read_inlined(plan: ScanPlan, inlined: InlinedRows) -> pa.Table:
    """Rows the catalog keeps itself, under the table's present columns."""
    stored = {column.id: place for place, column in enumerate(inlined.columns)}
    count = inlined.rows.num_rows
    needed = {column.id: column for column in plan.columns}
    needed.update({column.id: column for column in (plan.filter.columns if plan.filter else ())})
    found: dict[int, pa.ChunkedArray | pa.Array] = {
        ROW_ID.id: inlined.rows.column("row_id"),
        SNAPSHOT_ID.id: inlined.rows.column("begin_snapshot"),
        FILE.id: pa.nulls(count, pa.int64()),
        PLACE.id: place_in_catalog(inlined),
        VERSION.id: pa.repeat(pa.scalar(inlined.schema_version, pa.int64()), count),
    }
    for column in needed.values():
        if column.id in found:
            continue
        place = stored.get(column.id)
        if place is None:
            found[column.id] = default_values(column, count)
            continue
        how = conversion(as_stored(inlined.columns[place]), column)
        found[column.id] = converted(inlined.rows.column(2 + place), how)
    table = pa.table([found[column.id] for column in plan.columns], schema=plan.schema)
    if plan.filter is None:
        return table
    names = [column.name for column in plan.filter.columns]
    seen = pa.table([found[column.id] for column in plan.filter.columns], names=names)
    if not names:
        seen = inlined.rows.select(["row_id"])
    return table.filter(plan.filter.mask(seen))


def place_in_catalog(inlined: InlinedRows) -> pa.Array | pa.ChunkedArray:
    """A row id finds a committed row; rows not committed yet are found by their order."""
    if inlined.schema_version >= 0:
        return inlined.rows.column("row_id")
    return pa.array(range(inlined.rows.num_rows), pa.int64())

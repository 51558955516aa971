"""New rows: small statements go into the catalog, larger ones into files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.client.settings import sorts_on_insert
from quacklake.client.workspace import Workspace
from quacklake.client.writing.matching import plain_schema
from quacklake.format.files import ROW_ID_NAME
from quacklake.format.partition import PartitionSpec
from quacklake.format.table import Table
from quacklake.kernel.ids import DataFileId
from quacklake.storage.filesystem import Storage
from quacklake.storage.writing.data import write_data_files
from quacklake.storage.writing.manifest import WrittenFile
from quacklake.storage.writing.options import WriteOptions
from quacklake.storage.writing.physical import ROW_ID
from quacklake.storage.writing.sorting import sorted_batches
from quacklake.transaction.draft import StagedFile, StagedRows, TableDraft


def add_rows(
    work: Workspace, draft: TableDraft, batches: Iterator[pa.RecordBatch], *, with_ids: bool = False
) -> tuple[TableDraft, int]:
    """`draft` with rows in the table's columns added, and how many they were.

    With `with_ids` a last column has the row ids that the rows keep, NULL for new rows.
    """
    limit = work.limit(draft.table)
    held, rest = _first_rows(batches, limit)
    count = sum(batch.num_rows for batch in held)
    if count == 0:
        return draft, 0
    if count <= limit:
        ordered = list(_in_order(work, draft.table, iter(held))) if count > 1 else held
        inlined = _inlined(draft, ordered, with_ids=with_ids)
        rows = inlined.rows[-1].rows
        if work.session.catalog.can_keep(draft.table.columns, rows.drop_columns(["row_id"])):
            return inlined, count
    if with_ids:
        return _filed_with_ids(work, draft, pa.Table.from_batches(chain(held, rest)))
    return _filed(work, draft, chain(held, rest), with_ids=False)


def _filed_with_ids(work: Workspace, draft: TableDraft, rows: pa.Table) -> tuple[TableDraft, int]:
    """Rows that keep their ids and new ones go into different files: one carries all or none."""
    if not rows.column(ROW_ID_NAME).null_count:
        return _filed(work, draft, iter(rows.to_batches()), with_ids=True)
    is_new = rows.column(ROW_ID_NAME).is_null()
    kept, new = rows.filter(pc.invert(is_new)), rows.filter(is_new).drop_columns([ROW_ID_NAME])
    total = 0
    for part, with_ids in ((kept, True), (new, False)):
        if part.num_rows:
            draft, count = _filed(work, draft, iter(part.to_batches()), with_ids=with_ids)
            total += count
    return draft, total


def _first_rows(
    batches: Iterator[pa.RecordBatch], limit: int
) -> tuple[list[pa.RecordBatch], Iterator[pa.RecordBatch]]:
    """Enough batches to know whether there are more than `limit` rows, and the others."""
    held: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
            count += batch.num_rows
        if count > limit:
            break
    return held, batches


def _inlined(draft: TableDraft, held: list[pa.RecordBatch], *, with_ids: bool) -> TableDraft:
    table = pa.Table.from_batches(held)
    width = len(draft.table.columns)
    ids = table.column(width) if with_ids else pa.nulls(table.num_rows, pa.int64())
    columns = [ids, *table.columns[:width]]
    rows = pa.table(columns, names=["row_id", *table.column_names[:width]])
    return replace(draft, rows=(*draft.rows, StagedRows(draft.table.columns, rows)))


def _filed(
    work: Workspace, draft: TableDraft, batches: Iterator[pa.RecordBatch], *, with_ids: bool
) -> tuple[TableDraft, int]:
    writing = file_writing(work, draft.table, with_ids=with_ids)
    return with_files(work, draft, writing.write(batches), with_ids=with_ids)


@dataclass(frozen=True, slots=True)
class FileWriting:
    """How rows of a table become files; a value, so that other processes can do it."""

    storage: Storage
    table: Table
    options: WriteOptions
    encrypt: bool
    sorts: bool
    with_ids: bool

    def write(self, batches: Iterator[pa.RecordBatch]) -> tuple[WrittenFile, ...]:
        """Write rows in the table's columns, followed by the ids they keep if they have any."""
        table = self.table
        if table.sort and self.sorts:
            batches = sorted_batches(batches, table.columns, table.sort)
        return write_data_files(
            self.storage,
            table.location,
            table.columns,
            batches,
            options=self.options,
            partition=_partition(table),
            encrypt=self.encrypt,
            internal=(ROW_ID,) if self.with_ids else (),
        )


def file_writing(work: Workspace, table: Table, *, with_ids: bool = False) -> FileWriting:
    """How files of a table are written now."""
    options = work.options(table)
    return FileWriting(
        work.session.storage,
        table,
        WriteOptions.from_format(options),
        work.ground.encrypted,
        sorts_on_insert(options),
        with_ids,
    )


def with_files(
    work: Workspace, draft: TableDraft, files: Sequence[WrittenFile], *, with_ids: bool
) -> tuple[TableDraft, int]:
    """`draft` with files that were written for it, and how many rows they have."""
    partition = _partition(draft.table)
    spec = partition.id if partition else None
    staged: list[StagedFile] = []
    for written in files:
        work.wrote(written.location)
        identity = DataFileId(work.local_id())
        staged.append(StagedFile(identity, written, spec, carries_row_ids=with_ids))
    count = sum(file.record_count for file in files)
    return replace(draft, files=(*draft.files, *staged)), count


def _partition(table: Table) -> PartitionSpec | None:
    return table.partition if table.partition and table.partition.keys else None


def _in_order(
    work: Workspace, table: Table, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    if not (table.sort and sorts_on_insert(work.options(table))):
        return batches
    return sorted_batches(batches, table.columns, table.sort)


def schema_with_ids(table: Table) -> pa.Schema:
    """The table's columns, then the row ids that rows keep."""
    return plain_schema(table.columns).append(pa.field(ROW_ID_NAME, pa.int64()))

"""New rows: small statements go into the catalog, larger ones into files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.client.settings import sorts_on_insert
from quacklake.client.workspace import Workspace
from quacklake.client.writing.matching import plain_schema
from quacklake.format.files import ROW_ID_NAME
from quacklake.format.table import Table
from quacklake.kernel.errors import Unsupported
from quacklake.kernel.ids import DataFileId
from quacklake.storage.writing.data import write_data_files
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
        inlined = _inlined(draft, held, with_ids=with_ids)
        rows = inlined.rows[-1].rows
        if work.session.catalog.can_keep(draft.table.columns, rows.drop_columns(["row_id"])):
            return inlined, count
    if with_ids:
        return _filed_with_ids(work, draft, pa.Table.from_batches(chain(held, rest)))
    return _filed(work, draft, chain(held, rest), with_ids=False)


def _filed_with_ids(work: Workspace, draft: TableDraft, rows: pa.Table) -> tuple[TableDraft, int]:
    """Rows that keep their ids and new ones go into different files: one carries all or none."""
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
    table = draft.table
    _check_encryptable(work, table)
    options = work.options(table)
    if table.sort and sorts_on_insert(options):
        batches = sorted_batches(batches, table.columns, table.sort)
    internal = (ROW_ID,) if with_ids else ()
    staged: list[StagedFile] = []
    partition = table.partition if table.partition and table.partition.keys else None
    for written in write_data_files(
        work.session.storage,
        table.location,
        table.columns,
        batches,
        options=WriteOptions.from_format(options),
        partition=partition,
        encrypt=work.ground.encrypted,
        internal=internal,
    ):
        work.wrote(written.location)
        identity = DataFileId(work.local_id())
        spec = partition.id if partition else None
        staged.append(StagedFile(identity, written, spec, carries_row_ids=with_ids))
    count = sum(file.written.record_count for file in staged)
    return replace(draft, files=(*draft.files, *staged)), count


def _check_encryptable(work: Workspace, table: Table) -> None:
    """DuckDB cannot decrypt nested columns that Arrow encrypted: such a file were ours alone."""
    nested = [column.name for column in table.columns if column.children()]
    if work.ground.encrypted and nested:
        raise Unsupported(
            f"column '{nested[0]}' is nested, which cannot be written to an encrypted lake",
            hint="DuckDB could not read the file; keep such tables in a lake without encryption",
            column=nested[0],
        )


def schema_with_ids(table: Table) -> pa.Schema:
    """The table's columns, then the row ids that rows keep."""
    return plain_schema(table.columns).append(pa.field(ROW_ID_NAME, pa.int64()))

"""Rows removed: ended files, delete files, and positions and rows the catalog keeps itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from quacklake.catalog.mutations import (
    Delete,
    End,
    EndInlined,
    Insert,
    InsertInlinedDeletes,
    Mutation,
)
from quacklake.format.paths import relative_path
from quacklake.kernel.ids import TableId
from quacklake.transaction.deletion import Deletion, Ended, Inlined, Written
from quacklake.transaction.draft import Draft
from quacklake.transaction.lowering.filerows import NewDeleteFile
from quacklake.transaction.lowering.numbering import Numbering


def removals(
    draft: Draft,
    numbers: Numbering,
    done: Mapping[TableId, Sequence[Deletion]],
    data_path: str,
    now: datetime,
) -> Iterator[Mutation]:
    """Everything that stops being visible."""
    for table in draft.tables.values():
        outcomes = done.get(table.table.id, ())
        ended = tuple(int(o.file) for o in outcomes if isinstance(o, Ended))
        if ended:
            yield End("data_file", (("data_file_id", ended),), numbers.snapshot)
    for table in draft.tables.values():
        outcomes = done.get(table.table.id, ())
        written = [o for o in outcomes if isinstance(o, Written)]
        yield from _delete_files(written, table.table.id, table.table.location, numbers)
        replaced = [each for o in written if o.replaced for each in o.replaced.each()]
        if replaced:
            yield Delete("delete_file", (("delete_file_id", tuple(int(r.id) for r in replaced)),))
            rows = [(int(r.id), *relative_path(r.path, data_path), now) for r in replaced]
            yield Insert("files_scheduled_for_deletion", tuple(rows))
    for table in draft.tables.values():
        own = TableId(numbers.catalog_id(table.table.id))
        for version, row_ids in table.ended_rows.items():
            yield EndInlined(own, version, row_ids, numbers.snapshot)
        positions = tuple(
            (o.file, int(position))
            for o in done.get(table.table.id, ())
            if isinstance(o, Inlined)
            for position in o.positions
        )
        if positions:
            yield InsertInlinedDeletes(own, positions, numbers.snapshot)


def _delete_files(
    outcomes: Sequence[Written], table: TableId, location: str, numbers: Numbering
) -> Iterator[Mutation]:
    rows = tuple(
        NewDeleteFile(
            numbers.new_file_id(),
            numbers.catalog_id(table),
            location,
            # A file of this commit may have lost rows in it, too.
            numbers.file_id(outcome.file),
            outcome.written,
            # The snapshot it was prepared for may have been taken; only tags hold on to it.
            int(numbers.snapshot if outcome.replaced is None else outcome.begin),
            None if outcome.partial_max is None else int(outcome.partial_max),
        ).cells()
        for outcome in outcomes
    )
    if rows:
        yield Insert("delete_file", rows)

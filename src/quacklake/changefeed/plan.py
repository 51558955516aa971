"""What a change feed will read: files of the window only, found by the catalog.

A plan and its tasks are values; they pickle, and reading them needs no catalog.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from quacklake.catalog.reader import CatalogReader, InlinedRows
from quacklake.catalog.window import ChangedFile, Deletion, TableWindow
from quacklake.changefeed.bounds import checked_span, window_of
from quacklake.changefeed.lives import Span
from quacklake.format.files import DataFile, DeleteFile, NameMapping
from quacklake.format.snapshot import Snapshot, SnapshotRef
from quacklake.format.table import Table, TableName
from quacklake.format.types import Column
from quacklake.kernel.ids import DataFileId, MappingId, SnapshotId
from quacklake.scan.reads import Reads


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """What a user asks of one table; without `since` everything from the table's first row on."""

    table: TableName
    since: SnapshotRef | None
    until: SnapshotRef
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ChangeTask:
    """One data file with rows that came or went.

    `ended` is when the file left the table, `deletes` and `deleted` say which rows went
    before that.
    """

    file: DataFile
    ended: SnapshotId | None
    deletes: tuple[DeleteFile, ...] = ()
    deleted: tuple[Deletion, ...] = ()
    mapping: NameMapping | None = None


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """The changes of one table in `span`; `columns` are the table's as of `snapshot`."""

    table: Table
    snapshot: Snapshot
    span: Span
    columns: tuple[Column, ...]
    tasks: tuple[ChangeTask, ...] = ()
    came: tuple[InlinedRows, ...] = ()
    went: tuple[InlinedRows, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The locations of all files that reading opens."""
        return tuple(
            path
            for task in self.tasks
            for path in (task.file.path, *(each.path for each in task.deletes))
        )

    @property
    def rows(self) -> int:
        """How many rows came and went, at most, as the catalog counts them."""
        kept = sum(int(rows.rows.num_rows) for rows in (*self.came, *self.went))
        return kept + sum(self._rows_of(task) for task in self.tasks)

    def _rows_of(self, task: ChangeTask) -> int:
        whole = task.file.record_count
        came = whole if _has_births(task.file, self.span) else 0
        listed = sum(when in self.span for _, when in task.deleted)
        went = whole if task.ended in self.span else sum(d.delete_count for d in task.deletes)
        return came + min(went + listed, whole)

    @property
    def reads(self) -> Reads:
        """The most that reading can cost."""
        kept = sum(rows.rows.num_rows for rows in (*self.came, *self.went))
        return Reads(
            files=len(self.files),
            rows=kept + sum(task.file.record_count for task in self.tasks),
            bytes=sum(
                task.file.file_size_bytes + sum(each.file_size_bytes for each in task.deletes)
                for task in self.tasks
            ),
        )


def plan_changes(reader: CatalogReader, request: ChangeRequest, *, net: bool = False) -> ChangePlan:
    """The plan for `request`, read in the one transaction of `reader`.

    With `net` only the sum of all changes has to be right, which needs less of the history.
    """
    until = reader.snapshot(request.until)
    table = reader.table(request.table, until)
    names = request.columns
    columns = table.columns if names is None else tuple(table.column(name) for name in names)
    window = window_of(reader, request.since, until)
    if window.after == window.upto:
        return ChangePlan(table, until, Span(window), columns)
    asked = reader.window(table, window)
    retained = asked.retained()
    span = checked_span(asked, table, window, retained, net=net)
    tasks = _tasks(reader, asked, span, retained.first_file)
    came, went = reader.inlined_changes(table, window)
    return ChangePlan(table, until, span, columns, tasks, came, went)


def _tasks(
    reader: CatalogReader, asked: TableWindow, span: Span, first_file: int
) -> tuple[ChangeTask, ...]:
    files = asked.files(first_file)
    mappings = reader.mapping({f.file.mapping_id for f in files if f.file.mapping_id is not None})
    return chosen_tasks(files, asked.deletions(), mappings, span)


def chosen_tasks(
    files: Iterable[ChangedFile],
    deletions: Mapping[DataFileId, tuple[Deletion, ...]],
    mappings: Mapping[MappingId, NameMapping],
    span: Span,
) -> tuple[ChangeTask, ...]:
    """Those of `files` that have to be opened, with the delete files that must be read first."""
    tasks = []
    for changed in files:
        file, listed = changed.file, deletions.get(changed.file.id, ())
        has_ended = changed.ended in span
        touched = has_ended or changed.news or any(when in span for _, when in listed)
        if touched or _has_births(file, span):
            tasks.append(
                ChangeTask(
                    file,
                    changed.ended,
                    (*changed.older, *changed.news) if has_ended else changed.news,
                    listed,
                    None if file.mapping_id is None else mappings[file.mapping_id],
                )
            )
    return tuple(tasks)


def _has_births(file: DataFile, span: Span) -> bool:
    """Whether some row of the file may have come in `span`."""
    if file.partial_max is not None:
        return file.partial_max > span.window.after
    return file.begin_snapshot in span

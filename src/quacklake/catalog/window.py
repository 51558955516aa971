"""What the catalog knows of a table's changes between two snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, TypeAlias

from sqlalchemy.sql import Executable

from quacklake.catalog.assemble import data_file_of
from quacklake.catalog.statements import window as statements
from quacklake.catalog.statements.scope import Scope
from quacklake.format.changes import ChangeKind, parse_changes
from quacklake.format.files import DataFile, DeleteFile
from quacklake.format.table import Table
from quacklake.kernel.ids import DataFileId, SnapshotId

Deletion: TypeAlias = tuple[int, SnapshotId]
"""A position in a file, and the snapshot in which its row went away."""

_MOVES: Final = frozenset(
    {
        ChangeKind.REWRITE_DELETE,
        ChangeKind.MERGE_ADJACENT,
        ChangeKind.COMPACTED_TABLE,
        ChangeKind.INLINE_FLUSH,
    }
)


@dataclass(frozen=True, slots=True)
class Window:
    """The snapshots after `after`, up to and including `upto`."""

    after: int
    upto: int

    def __contains__(self, snapshot: int | None) -> bool:
        return snapshot is not None and self.after < snapshot <= self.upto


@dataclass(frozen=True, slots=True)
class Retained:
    """How much of a table's history is left for a window.

    `began` is the table's first snapshot; `there` counts the readable snapshots from the
    window's start, or from `began` if that is later, to its end. `first_file` is the least
    file id that may have been given after the start.
    """

    began: SnapshotId
    there: int
    first_file: int
    is_start_readable: bool


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A data file with rows that came or went; `ended` is when it left the table.

    Deletions of the window are in delete files that are `news`. The `older` ones are there
    only if the file ended: its other rows are those that went with it.
    """

    file: DataFile
    ended: SnapshotId | None
    news: tuple[DeleteFile, ...] = ()
    older: tuple[DeleteFile, ...] = ()


class Ask(Protocol):
    """Runs one statement in the transaction of the reader that made the window.

    Called any number of times, by one thread; every answer is from the same state.
    """

    def __call__(self, statement: Executable, **parameters: Any) -> Sequence[Any]:
        """The rows of the answer."""
        ...


class TableWindow:
    """Questions about one table and one window, answered from one state of the catalog."""

    def __init__(
        self, ask: Ask, scope: Scope, table: Table, window: Window, *, inlined_deletes: bool
    ) -> None:
        self._ask = ask
        self._scope = scope
        self._table = table
        self._bounds = {"after": window.after, "upto": window.upto}
        self._inlined_deletes = inlined_deletes

    def retained(self) -> Retained:
        """How much of the history is left."""
        statement = statements.retained(self._scope)
        began, there, next_file = self._ask(statement, table=self._table.id, **self._bounds)[0]
        return Retained(began, there, next_file or 0, next_file is not None)

    def unbroken_since(self) -> SnapshotId:
        """The oldest snapshot from which the history up to the window's end has no gap."""
        rows = self._ask(statements.unbroken(self._scope), upto=self._bounds["upto"])
        return SnapshotId(rows[0][0])

    def moves(self) -> frozenset[SnapshotId]:
        """The snapshots that moved rows of the table between files, and did nothing else to it."""
        rows = self._ask(
            statements.rewrites(self._scope),
            rewritten=f"%{ChangeKind.REWRITE_DELETE}:{self._table.id}%",
            compacted=f"%{ChangeKind.COMPACTED_TABLE}:{self._table.id}%",
            **self._bounds,
        )
        return frozenset(number for number, said in rows if self._only_moves(said))

    def _only_moves(self, said: str | None) -> bool:
        kinds = {change.kind for change in parse_changes(said) if change.id == self._table.id}
        return bool(kinds) and kinds <= _MOVES

    def files(self, first_file: int) -> tuple[ChangedFile, ...]:
        """The files with rows that came or went, in the order of their ids."""
        table, scope = self._table, self._scope
        has_own = self._inlined_deletes
        statement = statements.files_of(scope, table.id) if has_own else statements.files(scope)
        rows = self._ask(statement, table=table.id, first_file=first_file, **self._bounds)
        return _changed_files(rows, table.location)

    def deletions(self) -> dict[DataFileId, tuple[Deletion, ...]]:
        """The deletions that the catalog itself keeps, by file, in the order of positions."""
        if not self._inlined_deletes:
            return {}
        statement = statements.deletions(self._scope, self._table.id)
        found: dict[DataFileId, list[Deletion]] = {}
        for file, position, snapshot in self._ask(statement, table=self._table.id, **self._bounds):
            found.setdefault(file, []).append((position, snapshot))
        return {file: tuple(each) for file, each in found.items()}


def _changed_files(rows: Iterable[Sequence[Any]], location: str) -> tuple[ChangedFile, ...]:
    found: dict[DataFileId, ChangedFile] = {}
    for row in rows:
        *described, ended, is_news = row
        file = data_file_of(described, location)
        known = found.get(file.id) or ChangedFile(replace(file, delete_file=None), ended)
        if file.delete_file is not None and is_news:
            known = replace(known, news=(*known.news, file.delete_file))
        elif file.delete_file is not None:
            known = replace(known, older=(*known.older, file.delete_file))
        found[file.id] = known
    return tuple(found.values())

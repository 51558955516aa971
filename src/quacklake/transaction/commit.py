"""Committing: optimistic, with bounded retries, and never in doubt for long.

Whoever inserts the row of the next snapshot first has won. What is read before that insert
stays true if it succeeds, because any other commit would have taken the same id.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Protocol

from quacklake.catalog.connection import Catalog
from quacklake.catalog.mutations import Mutation
from quacklake.catalog.writer import CatalogWriter
from quacklake.format.changes import parse_changes
from quacklake.format.snapshot import Commit, Latest, Snapshot
from quacklake.kernel.errors import Busy, CommitConflict, CommitUnknown, RivalCommit, Unavailable
from quacklake.kernel.ids import SnapshotId
from quacklake.transaction.conflicts import Footprint, TheirCommit, first_conflict


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently a commit tries again; DuckDB's own defaults."""

    retries: int = 10
    first_wait: float = 0.1
    growth: float = 1.5

    def pause(self, attempt: int) -> float:
        """Seconds to wait after an attempt, never the same for two rivals."""
        return self.first_wait * self.growth**attempt * random.uniform(0.5, 1.0)  # noqa: S311


@dataclass(frozen=True, slots=True)
class Lowered:
    """A commit ready to be written: the snapshot, every row, and what it says it did."""

    snapshot: Snapshot
    mutations: tuple[Mutation, ...]
    changes: str


class Proposal(Protocol):
    """Something to commit on top of a base.

    One attempt calls `prepare`, `footprint` and `lowered` in this order; a lost attempt is
    followed by `discard` and another one. `discard` is called only when it is certain that
    the attempt did not land.
    """

    base: SnapshotId

    def prepare(self, at: SnapshotId) -> None:
        """Write the files that must know the id of the snapshot they belong to."""
        ...

    def depends_on_id(self) -> bool:
        """Whether what was prepared is wrong under another snapshot id."""
        ...

    def footprint(self) -> Footprint:
        """What it does and relies on, for the conflict rules."""
        ...

    def lowered(self, writer: CatalogWriter, head: Snapshot) -> Lowered:
        """The rows that put it on top of `head`."""
        ...

    def discard(self) -> None:
        """Delete what `prepare` wrote."""
        ...


class _HeadMoved(Exception):
    """Another commit landed without a conflict: the id that files were tagged with is taken."""

    def __init__(self, head: SnapshotId) -> None:
        super().__init__()
        self.head = head


def commit(proposal: Proposal, catalog: Catalog, retry: RetryPolicy) -> Snapshot:
    """Make `proposal` the next snapshot, or raise what stands against it."""
    attempts = 0
    head = proposal.base
    while True:
        try:
            return _attempt(proposal, catalog, retry, head)
        except (RivalCommit, Busy, _HeadMoved) as lost:
            proposal.discard()
            attempts += 1
            has_moved = isinstance(lost, _HeadMoved)
            head = lost.head if isinstance(lost, _HeadMoved) else head
            if attempts > retry.retries:
                raise Unavailable(
                    f"the commit lost against other writers {attempts} times",
                    hint="retry later, or raise the number of retries",
                    attempts=attempts,
                ) from lost
            # Nobody stands in the way of a head that moved, unless it moves again and again.
            if attempts > 1 or not has_moved:
                time.sleep(retry.pause(attempts))
        except CommitUnknown:
            # Nothing is deleted: the commit may have landed and need its files.
            raise
        except Exception:
            # An interrupt is not caught: it may come after the commit has landed.
            proposal.discard()
            raise


def _attempt(
    proposal: Proposal, catalog: Catalog, retry: RetryPolicy, expected: SnapshotId
) -> Snapshot:
    """Commit if `expected` is still the newest snapshot, or if that does not matter."""
    proposal.prepare(SnapshotId(expected + 1))
    made: Lowered | None = None
    try:
        with catalog.write() as writer:
            made = _written(proposal, writer, expected)
    except CommitUnknown:
        if made is None or not _has_landed(made, catalog, retry):
            raise
    assert made is not None  # noqa: S101 - the block above ended without an error
    return made.snapshot


def _written(proposal: Proposal, writer: CatalogWriter, expected: SnapshotId) -> Lowered:
    head = writer.snapshot(Latest())
    if head.id != proposal.base:
        _check(proposal, writer, head.id)
    if head.id != expected and proposal.depends_on_id():
        raise _HeadMoved(head.id)
    made = proposal.lowered(writer, head)
    writer.claim(made.snapshot)
    writer.apply(made.mutations)
    return made


def _check(proposal: Proposal, writer: CatalogWriter, head: SnapshotId) -> None:
    theirs = [
        TheirCommit(commit.snapshot.id, parse_changes(commit.changes))
        for commit in writer.commits_since(proposal.base)
    ]
    if len(theirs) < head - proposal.base:
        raise CommitConflict(
            f"commits since snapshot {proposal.base}, where this transaction began, have expired",
            hint="start the transaction again: what they did can no longer be told",
            snapshot=proposal.base,
        )
    footprint = proposal.footprint()
    touched = {
        table: writer.touched_files(table, proposal.base)
        for table, files in footprint.files.items()
        if files
    }
    conflict = first_conflict(footprint, theirs, touched)
    if conflict is not None:
        raise CommitConflict(
            f"this transaction's '{conflict.ours.kind}' meets '{conflict.theirs.kind}' "
            f"of snapshot {conflict.snapshot}",
            hint="start the transaction again: it will then see the other change",
            ours=conflict.ours,
            theirs=conflict.theirs,
            snapshot=conflict.snapshot,
        )


def _has_landed(made: Lowered, catalog: Catalog, retry: RetryPolicy) -> bool:
    """Whether the commit is in the catalog; asked when its answer was lost."""
    for attempt in range(retry.retries):
        try:
            found = catalog.lookup(made.snapshot.id)
        except Unavailable:
            time.sleep(retry.pause(attempt))
            continue
        if found is not None and _is_ours(found, made):
            return True
        raise RivalCommit("another commit took the snapshot whose answer was lost")
    return False


def _is_ours(found: Commit, made: Lowered) -> bool:
    """The time has microseconds of our own clock: another commit of the same id differs in it."""
    return found.snapshot == made.snapshot and found.changes == made.changes

"""Every error Quacklake raises, and what the caller may do about it.

QuacklakeError
├── UsageError          the request is wrong: change it
│   ├── NotFound        no such schema, table, column or snapshot
│   ├── SnapshotExpired the snapshot existed and is gone: ask for a later one
│   └── Unsupported     the lake or the request needs something this version does not have
├── CommitConflict      another writer won: plan again, then retry
│   └── RivalCommit     another writer took the snapshot id: retry with the next one
├── CommitUnknown       nobody knows whether it landed: look, and delete nothing
├── Unavailable         the outside world said no: mend it or wait, then retry
│   ├── AccessDenied    the credentials do not allow it
│   └── Busy            the catalog is in use and nothing was changed: retry later
└── CorruptLake         the catalog and the files contradict the format: stop
    └── FileUnreadable  a data or delete file is missing, truncated or not what it claims
"""

from __future__ import annotations

from enum import Enum
from typing import ClassVar


class Recovery(Enum):
    """What a caller should do after an error of a class."""

    CHANGE_REQUEST = "change the request"
    PLAN_AGAIN = "plan again"
    LOOK = "look what happened"
    RETRY_LATER = "retry later"
    STOP = "stop"


class QuacklakeError(Exception):
    """The root: a sentence, a hint for the reader, and facts for programs."""

    recovery: ClassVar[Recovery] = Recovery.STOP

    def __init__(self, problem: str, *, hint: str = "", **facts: object) -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint
        self.facts = facts

    def __str__(self) -> str:
        return f"{self.problem}; {self.hint}" if self.hint else self.problem


class UsageError(QuacklakeError):
    """The request is wrong."""

    recovery = Recovery.CHANGE_REQUEST


class NotFound(UsageError):
    """A named thing does not exist at the snapshot asked for."""


class SnapshotExpired(UsageError):
    """A snapshot existed and its history is gone."""


class Unsupported(UsageError):
    """The lake or the request needs something this version does not have."""


class CommitConflict(QuacklakeError):
    """Another writer committed something that takes away what this commit relies on."""

    recovery = Recovery.PLAN_AGAIN


class RivalCommit(CommitConflict):
    """Another writer committed first; nothing of this commit was kept."""


class CommitUnknown(QuacklakeError):
    """The answer to a commit was lost: it may or may not have landed."""

    recovery = Recovery.LOOK


class Unavailable(QuacklakeError):
    """A database or an object store could not be reached or refused."""

    recovery = Recovery.RETRY_LATER


class AccessDenied(Unavailable):
    """Credentials or file permissions do not allow it."""

    recovery = Recovery.CHANGE_REQUEST


class Busy(Unavailable):
    """A lock, a deadlock or a lost connection ended the work before anything was changed."""


class CorruptLake(QuacklakeError):
    """The catalog or a file contradicts the format."""


class FileUnreadable(CorruptLake):
    """A data or delete file is missing, truncated or not what the catalog says."""

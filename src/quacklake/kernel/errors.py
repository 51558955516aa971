"""Every error Quacklake raises, and what the caller may do about it.

QuacklakeError
├── UsageError          the request is wrong: change it
│   ├── NotFound        no such schema, table, column or snapshot
│   ├── SnapshotExpired the snapshot existed and is gone: ask for a later one
│   └── Unsupported     the lake or the request needs something this version does not have
├── Unavailable         the outside world said no: mend it or wait, then retry
│   └── AccessDenied    the credentials do not allow it
└── CorruptLake         the catalog and the files contradict the format: stop
    └── FileUnreadable  a data or delete file is missing, truncated or not what it claims
"""

from __future__ import annotations

from enum import Enum
from typing import ClassVar


class Recovery(Enum):
    """What a caller should do after an error of a class."""

    CHANGE_REQUEST = "change the request"
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


class Unavailable(QuacklakeError):
    """A database or an object store could not be reached or refused."""

    recovery = Recovery.RETRY_LATER


class AccessDenied(Unavailable):
    """Credentials or file permissions do not allow it."""

    recovery = Recovery.CHANGE_REQUEST


class CorruptLake(QuacklakeError):
    """The catalog or a file contradicts the format."""


class FileUnreadable(CorruptLake):
    """A data or delete file is missing, truncated or not what the catalog says."""

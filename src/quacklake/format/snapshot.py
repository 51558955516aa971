"""Snapshots, and the ways a user points at one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from quacklake.kernel.ids import SnapshotId


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One committed state of the whole lake."""

    id: SnapshotId
    time: datetime
    schema_version: int
    next_catalog_id: int
    next_file_id: int


@dataclass(frozen=True, slots=True)
class Commit:
    """A snapshot with what its commit said about itself."""

    snapshot: Snapshot
    changes: str
    author: str | None
    message: str | None
    extra_info: str | None


@dataclass(frozen=True, slots=True)
class Latest:
    """The newest snapshot."""


@dataclass(frozen=True, slots=True)
class AtVersion:
    """The snapshot with this id."""

    id: SnapshotId


@dataclass(frozen=True, slots=True)
class AtTime:
    """The newest snapshot at or before an instant; `time` has a zone."""

    time: datetime


SnapshotRef: TypeAlias = Latest | AtVersion | AtTime

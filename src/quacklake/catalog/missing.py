"""What to say about snapshots and tables that are not there."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from quacklake.format.snapshot import AtVersion, Latest, Snapshot, SnapshotRef
from quacklake.format.table import TableName
from quacklake.kernel.errors import CorruptLake, NotFound, QuacklakeError, SnapshotExpired


def no_snapshot(ref: SnapshotRef, oldest: int | None, newest: int | None) -> QuacklakeError:
    """Why `ref` points at nothing, given the ids of the oldest and the newest snapshot."""
    if oldest is None or newest is None or isinstance(ref, Latest):
        return CorruptLake("the lake has no snapshot")
    hint = f"snapshots {oldest} to {newest} can be read"
    if isinstance(ref, AtVersion):
        gone = 0 <= ref.id <= newest
        problem = f"snapshot {ref.id} has expired" if gone else f"no snapshot {ref.id}"
    else:
        gone, when = oldest > 0, ref.time.isoformat()
        problem = f"the snapshot at {when} has expired" if gone else f"no lake existed at {when}"
    if gone:
        return SnapshotExpired(problem, hint=hint, oldest=oldest, newest=newest)
    return NotFound(problem, hint=hint, kind="snapshot", oldest=oldest, newest=newest)


def no_table(name: TableName, at: Snapshot, others: Sequence[TableName]) -> NotFound:
    """That `name` does not exist at a snapshot, and which of the others may be meant."""
    elsewhere = [str(other) for other in others if other.table.lower() == name.table.lower()]
    spelled = {str(other).lower(): str(other) for other in others}
    close = get_close_matches(str(name).lower(), spelled, n=3)
    near = elsewhere or [spelled[match] for match in close]
    meant = " or ".join(f"'{other}'" for other in near)
    return NotFound(
        f"no table '{name}' at snapshot {at.id}",
        hint=f"did you mean {meant}?" if near else "list the tables of the lake",
        kind="table",
        name=str(name),
        near=tuple(near),
    )

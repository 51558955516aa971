"""How many rows changed, counted where the catalog alone knows too little.

A delete file lists all rows that its data file ever lost, and the catalog counts them all: of a
file that lost many before, a window with one more looks large. Only the delete file says when.
"""

from __future__ import annotations

from quacklake.changefeed.plan import ChangePlan, ChangeTask
from quacklake.storage.deletes import deletions
from quacklake.storage.filesystem import Storage


def delete_files(plan: ChangePlan) -> int:
    """How many files `counted_rows` opens."""
    return sum(len(task.deletes) for task in plan.tasks if task.ended not in plan.span)


def counted_rows(plan: ChangePlan, storage: Storage) -> int:
    """`plan.rows`, but of deleted rows only those that went in the window."""
    surplus = 0
    for task in plan.tasks:
        if task.ended not in plan.span:
            listed = min(sum(each.delete_count for each in task.deletes), task.file.record_count)
            surplus += max(0, listed - _gone(task, plan, storage))
    return plan.rows - surplus


def _gone(task: ChangeTask, plan: ChangePlan, storage: Storage) -> int:
    found = (deletions(storage, each).snapshots for each in task.deletes)
    return sum(int(plan.span.covers(snapshots).sum()) for snapshots in found)

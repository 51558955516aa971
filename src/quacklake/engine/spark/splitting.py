"""Which files Spark reads itself, and which go through Python workers.

Spark's reader is native and vectorised. It cannot take encrypted files, files without field
ids, types it does not know, or places its Hadoop client cannot reach; those are read by our
own reader in Python workers, which is slower and always right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from quacklake.format.types import Column, Kind, Scalar
from quacklake.kernel.ids import DataFileId
from quacklake.scan.plan import FileTask, ScanPlan
from quacklake.storage.filesystem import Storage

_FOREIGN: Final = frozenset(
    {
        Kind.TIME,
        Kind.TIME_NS,
        Kind.TIMETZ,
        Kind.TIMESTAMP_NS,
        Kind.INTERVAL,
        Kind.UUID,
        Kind.INT128,
        Kind.UINT128,
        Kind.VARIANT,
        Kind.GEOMETRY,
    }
)
"""Kinds that Spark's Parquet reader rejects or reads as something else."""
_PLAIN_PATH: Final = re.compile(r"/[^\\{}\[\]*?%]*")
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PART_BYTES: Final = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Split:
    """The tasks of a plan: `plain` ones Spark reads whole, `careful` ones minus some rows."""

    plain: tuple[FileTask, ...]
    careful: tuple[FileTask, ...]
    worked: tuple[FileTask, ...]


def defaulted(columns: Iterable[Column]) -> tuple[Column, ...]:
    """Columns and nested fields that files older than they are have another value for than NULL."""
    found: list[Column] = []
    for column in columns:
        if column.initial_default is not None:
            found.append(column)
        found.extend(defaulted(column.children()))
    return tuple(found)


def split(
    plan: ScanPlan,
    columns: tuple[Column, ...],
    storage: Storage,
    complete: frozenset[DataFileId] | None,
) -> Split:
    """How to read the tasks of `plan`; `complete` are the files known to hold every column.

    None stands for all files: no column has a default that an older file would lack.
    """
    plain: list[FileTask] = []
    careful: list[FileTask] = []
    worked: list[FileTask] = []
    readable = all(_is_native(column) for column in columns)
    names: set[str] = set()
    for task in plan.tasks:
        name = file_name(task)
        native = (
            readable
            and name not in names
            and (complete is None or task.file.id in complete)
            and _is_reachable(task, storage)
        )
        names.add(name)
        if not native:
            worked.append(task)
        elif is_whole(task, plan):
            plain.append(task)
        else:
            careful.append(task)
    return Split(tuple(plain), tuple(careful), tuple(worked))


def is_whole(task: FileTask, plan: ScanPlan) -> bool:
    """Whether every row of the file exists at the snapshot."""
    partial = task.file.partial_max
    later = partial is not None and partial > plan.snapshot.id
    return task.file.delete_file is None and not task.deleted and not later


def _is_native(column: Column) -> bool:
    return not any(
        isinstance(leaf.type, Scalar) and leaf.type.kind in _FOREIGN for leaf in column.leaves()
    )


def _is_reachable(task: FileTask, storage: Storage) -> bool:
    file = task.file
    return (
        task.mapping is None
        and file.encryption_key is None
        and storage.is_local(file.path)
        and _PLAIN_PATH.fullmatch(file.path) is not None
        and _PLAIN_NAME.fullmatch(file_name(task)) is not None
    )


def file_name(task: FileTask) -> str:
    """The last part of a file's path: what Spark calls it by."""
    return task.file.path.rpartition("/")[2]


def portions(tasks: Sequence[FileTask], cores: int) -> list[tuple[FileTask, ...]]:
    """Tasks shared out for Python workers: of similar size, and enough for every core."""
    total = sum(task.file.file_size_bytes for task in tasks)
    count = min(len(tasks), max(cores, -(-total // _PART_BYTES)))
    shares: list[list[FileTask]] = [[] for _ in range(count)]
    loads = [0] * count
    for task in sorted(tasks, key=lambda each: -each.file.file_size_bytes):
        lightest = loads.index(min(loads))
        shares[lightest].append(task)
        # Opening a file costs something even if it is small.
        loads[lightest] += task.file.file_size_bytes + 65_536
    return [tuple(share) for share in shares]

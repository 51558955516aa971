"""Which files Spark reads itself, and which go through Python workers.

Spark's reader is native and vectorised. It cannot take encrypted files, files without field
ids, types it does not know, or places its Hadoop client cannot reach; those are read by our
own reader in Python workers, which is slower and always right.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

from quacklake.changefeed.plan import ChangeTask
from quacklake.format.types import Column, Decimal, Kind, NameEver, Scalar, TypeEver
from quacklake.kernel.ids import ColumnId, DataFileId
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
_WIDENED: Final = frozenset(
    {
        (Kind.INT8, Kind.INT16),
        (Kind.INT8, Kind.INT32),
        (Kind.INT8, Kind.INT64),
        (Kind.INT16, Kind.INT32),
        (Kind.INT16, Kind.INT64),
        (Kind.INT32, Kind.INT64),
        (Kind.FLOAT32, Kind.FLOAT64),
    }
)
"""What a file has and what is asked for, where Spark's reader makes one of the other."""
_PLAIN_PATH: Final = re.compile(r"/(?:[^\\{}\[\]*?%]*/)?[A-Za-z0-9][A-Za-z0-9._-]*")
"""Paths of this machine in which Spark sees no pattern and no escape."""
_PART_BYTES: Final = 64 * 1024 * 1024
Task = TypeVar("Task", FileTask, ChangeTask)


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


def retyped(columns: Iterable[Column], ever: Iterable[TypeEver]) -> float:
    """The snapshot before which files may have types that Spark does not widen; 0 if none has."""
    now = {leaf.id: leaf.type for column in columns for leaf in column.leaves()}
    ends = [
        # A type that the catalog still has is changed in the transaction that asks.
        math.inf if each.until is None else each.until
        for each in ever
        if each.column in now and not _widens(each.type, now[each.column])
    ]
    return max(ends, default=0)


@dataclass(frozen=True, slots=True)
class Naming:
    """Top-level columns whose names do not tell what Spark takes them to tell.

    `shared` are those by whose name, or the name of a field, some file may know another one:
    Spark finds columns by id, but what it knows of them in a file, to skip parts of it, by name.
    `moved` are those that had another name themselves or below: asked for one field of a
    structure, Spark forgets the ids and looks for names.
    """

    shared: frozenset[ColumnId]
    moved: frozenset[ColumnId]


def naming(plan: ScanPlan, ever: Iterable[NameEver]) -> Naming:
    """What the history of a table's names means for reading it."""
    known = [*ever, *_names(plan.table.columns, None)]
    parents = {each.column: each.parent for each in known}
    bearers: dict[tuple[ColumnId | None, str], set[ColumnId]] = {}
    names: dict[ColumnId, set[str]] = {}
    for each in known:
        bearers.setdefault((each.parent, each.name.casefold()), set()).add(each.column)
        names.setdefault(each.column, set()).add(each.name)
    shared = {_top(column, parents) for ids in bearers.values() if len(ids) > 1 for column in ids}
    moved = {_top(column, parents) for column, had in names.items() if len(had) > 1}
    return Naming(frozenset(shared), frozenset(moved | shared))


def _names(columns: Iterable[Column], parent: ColumnId | None) -> Iterator[NameEver]:
    for column in columns:
        yield NameEver(column.id, parent, column.name)
        yield from _names(column.children(), column.id)


def _top(column: ColumnId, parents: Mapping[ColumnId, ColumnId | None]) -> ColumnId:
    above = parents.get(column)
    return column if above is None else _top(above, parents)


def _widens(stored: object, wanted: object) -> bool:
    if stored == wanted:
        return True
    if isinstance(stored, Decimal) or not isinstance(stored, Scalar):
        return False
    return isinstance(wanted, Scalar) and (stored.kind, wanted.kind) in _WIDENED


def split(
    plan: ScanPlan,
    columns: tuple[Column, ...],
    storage: Storage,
    complete: frozenset[DataFileId] | None,
    settled: float = 0,
    moved: frozenset[ColumnId] = frozenset(),
) -> Split:
    """How to read the tasks of `plan`; `complete` are the files known to hold every column.

    None stands for all files: no column has a default that an older file would lack. Files
    older than the snapshot `settled` may have columns in types that Spark does not widen, and
    structures among the columns `moved` are found by id, which Spark does not always do.
    """
    plain: list[FileTask] = []
    careful: list[FileTask] = []
    worked: list[FileTask] = []
    readable = all(
        _is_native(column) and not (column.children() and column.id in moved) for column in columns
    )
    names: set[str] = set()
    for task in plan.tasks:
        name = file_name(task)
        native = (
            readable
            and name not in names
            and (complete is None or task.file.id in complete)
            and task.file.begin_snapshot >= settled
            and _is_reachable(task)
        )
        names.add(name)
        if not native:
            path = anchored(task.file.path, storage)
            worked.append(replace(task, file=replace(task.file, path=path)))
        elif is_whole(task, plan):
            plain.append(task)
        else:
            careful.append(task)
    return Split(tuple(plain), tuple(careful), tuple(worked))


def anchored(path: str, storage: Storage) -> str:
    """The path as other processes find the file: a relative one begins where this one is."""
    if path.startswith(("/", "file:")) or not storage.is_local(path):
        return path
    return str(Path(path).absolute())


def is_whole(task: FileTask, plan: ScanPlan) -> bool:
    """Whether every row of the file exists at the snapshot."""
    partial = task.file.partial_max
    later = partial is not None and partial > plan.snapshot.id
    return task.file.delete_file is None and not task.deleted and not later


def _is_native(column: Column) -> bool:
    # Spark tells the file and the place of a row by a column of this name.
    if column.name.casefold() == "_metadata":
        return False
    return not any(
        isinstance(leaf.type, Scalar) and leaf.type.kind in _FOREIGN for leaf in column.leaves()
    )


def _is_reachable(task: FileTask) -> bool:
    file = task.file
    return task.mapping is None and file.encryption_key is None and has_plain_path(file.path)


def has_plain_path(path: str) -> bool:
    """Whether a path of this machine means the same file to Spark."""
    return _PLAIN_PATH.fullmatch(path) is not None


def file_name(task: FileTask) -> str:
    """The last part of a file's path: what Spark calls it by."""
    return task.file.path.rpartition("/")[2]


def portions(tasks: Sequence[Task], cores: int) -> list[tuple[Task, ...]]:
    """Tasks shared out for Python workers: of similar size, and enough for every core."""
    total = sum(task.file.file_size_bytes for task in tasks)
    count = min(len(tasks), max(cores, -(-total // _PART_BYTES)))
    shares: list[list[Task]] = [[] for _ in range(count)]
    loads = [0] * count
    for task in sorted(tasks, key=lambda each: -each.file.file_size_bytes):
        lightest = loads.index(min(loads))
        shares[lightest].append(task)
        # Opening a file costs something even if it is small.
        loads[lightest] += task.file.file_size_bytes + 65_536
    return [tuple(share) for share in shares]

"""Which files are worth rewriting. Nothing here reads or changes a lake."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from quacklake.format.files import DataFile


@dataclass(frozen=True, slots=True)
class LiveFile:
    """A data file of the newest snapshot, with what decides whether it may be moved."""

    file: DataFile
    schema_version: int
    partition_values: tuple[str | None, ...]
    inlined_deletes: int

    @property
    def deleted(self) -> int:
        """How many of its rows are deleted."""
        listed = self.file.delete_file.delete_count if self.file.delete_file else 0
        return listed + self.inlined_deletes


Group = tuple[LiveFile, ...]


def merge_groups(
    files: Iterable[LiveFile], *, target_size: int, max_size: int | None = None
) -> tuple[Group, ...]:
    """Neighbouring small files without deletes, two or more together up to the target size.

    Files of different schema versions or partitions are never mixed: time travel reads each
    with the columns of its time, and pruning relies on one partition per file.
    """
    limit = target_size if max_size is None else max_size
    small = [f for f in files if f.deleted == 0 and f.file.file_size_bytes < limit]
    groups: list[Group] = []
    for together in _alike(small).values():
        ordered = sorted(together, key=_age)
        groups.extend(_filled(ordered, target_size))
    return tuple(groups)


def rewrite_groups(files: Iterable[LiveFile], *, threshold: float) -> tuple[Group, ...]:
    """Files of which at least the fraction `threshold` is deleted, by schema and partition."""
    worn = [f for f in files if f.deleted and f.deleted >= threshold * f.file.record_count]
    return tuple(tuple(sorted(together, key=_age)) for together in _alike(worn).values())


def _alike(files: Iterable[LiveFile]) -> dict[object, list[LiveFile]]:
    groups: dict[object, list[LiveFile]] = {}
    for file in files:
        key = file.schema_version, file.file.partition_id, file.partition_values
        groups.setdefault(key, []).append(file)
    return groups


def _age(file: LiveFile) -> tuple[int, int, int]:
    return int(file.file.begin_snapshot), file.file.row_id_start or 0, int(file.file.id)


def _filled(files: list[LiveFile], target_size: int) -> Iterable[Group]:
    group: list[LiveFile] = []
    size = 0
    for file in files:
        group.append(file)
        size += file.file.file_size_bytes
        if size >= target_size:
            if len(group) > 1:
                yield tuple(group)
            group, size = [], 0
    if len(group) > 1:
        yield tuple(group)

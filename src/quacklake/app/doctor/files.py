"""Whether the files of a lake are there, and what their delete files say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final

from quacklake.app.doctor.findings import Finding, problem
from quacklake.app.doctor.tables import TableFacts
from quacklake.format.files import DataFile
from quacklake.kernel.errors import FileUnreadable, QuacklakeError
from quacklake.kernel.ids import SnapshotId
from quacklake.storage.deletes import deleted_positions
from quacklake.storage.filesystem import Storage

_AT_A_TIME: Final = 16
"""Asking for a size is waiting, not computing."""

Check = Callable[[], list[Finding]]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file the catalog names."""

    table: str
    path: str
    size_bytes: int


def file_checks(facts: TableFacts, storage: Storage, at: SnapshotId) -> Iterator[Check]:
    """The checks of one table's files, each to be run once, in any order, on any thread."""
    name = str(facts.table.name)
    for file in facts.files:
        yield partial(_presence, storage, Wanted(name, file.path, file.file_size_bytes))
        if file.delete_file is not None:
            wanted = Wanted(name, file.delete_file.path, file.delete_file.file_size_bytes)
            yield partial(_presence, storage, wanted)
            inlined = facts.inlined_deletes.get(file.id, ())
            yield partial(_deletions, storage, name, file, inlined, at)


def run_all(checks: Sequence[Check], advance: Callable[[int], None]) -> list[Finding]:
    """What all checks find; `advance` is told how many are done."""
    found: list[Finding] = []
    with ThreadPoolExecutor(_AT_A_TIME, thread_name_prefix="quacklake-doctor") as pool:
        for done, findings in enumerate(pool.map(_run, checks), start=1):
            found += findings
            advance(done)
    return found


def _run(check: Check) -> list[Finding]:
    return check()


def _presence(storage: Storage, wanted: Wanted) -> list[Finding]:
    try:
        size = storage.size(wanted.path)
    except FileUnreadable:
        return [
            problem(
                "missing file",
                wanted.table,
                f"'{wanted.path}' does not exist",
                "restore it from a backup; reading the table fails until then",
            )
        ]
    except QuacklakeError as error:
        return [problem("unreachable file", wanted.table, error.problem, error.hint)]
    if size == wanted.size_bytes:
        return []
    return [
        problem(
            "file size",
            wanted.table,
            f"'{wanted.path}' has {size} bytes, the catalog says {wanted.size_bytes}",
            "it is truncated or was overwritten: restore it from a backup",
        )
    ]


def _deletions(
    storage: Storage, table: str, file: DataFile, inlined: tuple[int, ...], at: SnapshotId
) -> list[Finding]:
    if file.delete_file is None:
        return []
    try:
        positions = deleted_positions(storage, file.delete_file, at)
    except QuacklakeError as error:
        return [problem("delete file", table, error.problem, error.hint)]
    found = []
    if positions.size and int(positions[-1]) >= file.record_count:
        found.append(
            problem(
                "delete file",
                table,
                f"'{file.delete_file.path}' deletes position {int(positions[-1])} of a data file "
                f"with {file.record_count} rows",
                "the delete file belongs to another data file: restore the right one",
            )
        )
    twice = set(inlined).intersection(positions.tolist())
    if twice:
        found.append(
            problem(
                "delete file",
                table,
                f"{len(twice)} rows of '{file.path}' are deleted twice, by its delete file and "
                "by the catalog",
                "DuckDB returns wrong rows for it: flush the inlined data of the table with "
                "Quacklake, which puts the deletions together",
            )
        )
    return found

"""What the catalog says about a table, checked against itself. Nothing here reads a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from quacklake.app.doctor.findings import Finding, problem, warning
from quacklake.catalog.inspection import FileColumnStats, TableStats
from quacklake.format.changes import parse_changes
from quacklake.format.files import DataFile
from quacklake.format.partition import PartitionSpec
from quacklake.format.snapshot import Commit
from quacklake.format.table import Table
from quacklake.kernel.errors import CorruptLake
from quacklake.kernel.ids import DataFileId


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A table at one snapshot, with everything the catalog knows about its rows."""

    table: Table
    files: tuple[DataFile, ...]
    inlined_deletes: Mapping[DataFileId, tuple[int, ...]]
    inlined_rows: int
    file_stats: tuple[FileColumnStats, ...]
    table_stats: TableStats | None
    specs: tuple[PartitionSpec, ...]
    partition_values: Mapping[DataFileId, tuple[str | None, ...]]
    schema_versions: int


def commit_findings(commits: Sequence[Commit]) -> Iterator[Finding]:
    """Commits whose list of changes cannot be read, and times that run backwards."""
    for commit in commits:
        try:
            parse_changes(commit.changes)
        except CorruptLake as error:
            yield problem(
                "changes",
                f"snapshot {commit.snapshot.id}",
                error.problem,
                "DuckDB cannot commit past it; expire the snapshot, or correct changes_made",
            )
    for before, after in pairwise(commits):
        if after.snapshot.time < before.snapshot.time:
            yield warning(
                "clock",
                f"snapshot {after.snapshot.id}",
                f"it is older than snapshot {before.snapshot.id} by its clock",
                "travel by snapshot id; a timestamp may find another snapshot than meant",
            )


def table_findings(facts: TableFacts) -> Iterator[Finding]:
    """Everything that contradicts itself in what the catalog says about one table."""
    yield from _history(facts)
    yield from _statistics(facts)
    yield from _positions(facts)
    yield from _partitions(facts)


def _history(facts: TableFacts) -> Iterator[Finding]:
    if facts.schema_versions == 0:
        yield problem(
            "schema versions",
            str(facts.table.name),
            "the catalog does not say since when the table has its columns",
            "DuckDB cannot compact it or read its inlined rows; "
            "insert its row into ducklake_schema_versions",
        )


def _statistics(facts: TableFacts) -> Iterator[Finding]:
    name = str(facts.table.name)
    rows = sum(file.record_count for file in facts.files) + facts.inlined_rows
    if facts.table_stats is None:
        if rows:
            yield problem(
                "table statistics",
                name,
                f"it has {rows} rows and no statistics",
                "DuckDB may prune them all; insert the row into ducklake_table_stats",
            )
        return
    known = {stats.file for stats in facts.file_stats}
    without = [file for file in facts.files if file.id not in known and file.record_count]
    if without:
        yield warning(
            "file statistics",
            name,
            f"{len(without)} of {len(facts.files)} data files have none, and are never pruned",
            "rewrite the table's files to get statistics",
        )


def row_ids_look_wrong(facts: TableFacts) -> bool:
    """Whether files seem to share row ids, or to have ids not yet given out.

    Files may carry row ids of their own, which the catalog does not know: only reading tells.
    """
    ranges = sorted(
        (file.row_id_start, file.row_id_start + file.record_count)
        for file in facts.files
        if file.row_id_start is not None and file.record_count
    )
    end = max((last for _, last in ranges), default=0)
    given_out = facts.table_stats.next_row_id if facts.table_stats else 0
    return given_out < end or any(after[0] < before[1] for before, after in pairwise(ranges))


def row_id_findings(facts: TableFacts, row_ids: Sequence[int]) -> Iterator[Finding]:
    """What is wrong with the row ids that the rows of a table have."""
    name = str(facts.table.name)
    twice = len(row_ids) - len(set(row_ids))
    if twice:
        yield problem(
            "row ids",
            name,
            f"{twice} rows have the row id of another row",
            "updates and the change feed mix such rows up; write the rows anew",
        )
    highest = max(row_ids, default=-1)
    if facts.table_stats and facts.table_stats.next_row_id <= highest:
        yield problem(
            "row ids",
            name,
            f"the next row id is {facts.table_stats.next_row_id}, and {highest} is taken",
            f"raise next_row_id in ducklake_table_stats to {highest + 1}",
        )


def _positions(facts: TableFacts) -> Iterator[Finding]:
    sizes = {file.id: file.record_count for file in facts.files}
    for file, positions in facts.inlined_deletes.items():
        if file in sizes and positions and max(positions) >= sizes[file]:
            yield problem(
                "inlined deletes",
                str(facts.table.name),
                f"position {max(positions)} is deleted of data file {file} with {sizes[file]} rows",
                f"remove the position from ducklake_inlined_delete_{facts.table.id}",
            )


def _partitions(facts: TableFacts) -> Iterator[Finding]:
    keys = {spec.id: len(spec.keys) for spec in facts.specs}
    for file in facts.files:
        if file.partition_id is None:
            continue
        expected = keys.get(file.partition_id)
        found = len(facts.partition_values.get(file.id, ()))
        if expected != found:
            yield problem(
                "partitions",
                str(facts.table.name),
                f"'{file.path}' has {found} partition values, its specification has "
                f"{'no keys' if expected is None else expected}",
                "filters on the partition columns may miss its rows; rewrite the file",
            )

"""The whole examination of a lake, at its newest snapshot. Nothing is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from quacklake.app.doctor.files import file_checks, run_all
from quacklake.app.doctor.findings import Finding, Severity, problem, warning
from quacklake.app.doctor.tables import (
    TableFacts,
    commit_findings,
    row_id_findings,
    row_ids_look_wrong,
    table_findings,
)
from quacklake.catalog.reader import CatalogReader
from quacklake.client.lake import Lake
from quacklake.client.scan import Scan
from quacklake.format.snapshot import AtVersion, Latest, Snapshot
from quacklake.format.sqltypes import quoted
from quacklake.format.table import Table
from quacklake.kernel.errors import CorruptLake, QuacklakeError, UsageError
from quacklake.scan.plan import ROW_ID, Request

Progress = Callable[[int, int], None]
"""Told how many of how many files are done."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was looked at, and what is wrong with it."""

    snapshot: int
    snapshots: int
    tables: int
    views: int
    data_files: int
    delete_files: int
    bytes: int
    findings: tuple[Finding, ...]

    @property
    def is_sound(self) -> bool:
        """Whether there is no problem; warnings do not count."""
        return all(finding.severity is not Severity.PROBLEM for finding in self.findings)


def examine(lake: Lake, progress: Progress = lambda _done, _of: None) -> Report:
    """Look at everything the newest snapshot of `lake` holds."""
    findings: list[Finding] = []
    with lake.session.reading() as reader:
        at = reader.snapshot(Latest())
        commits = reader.commits()
        findings += commit_findings(commits)
        facts = list(_gathered(reader, at, findings))
        views = reader.views(at)
    for each in facts:
        findings += table_findings(each)
        findings += _row_ids(lake, each, at)
    for view in views:
        findings += _view(lake, view.name.schema, view.name.table)
    checks = [check for each in facts for check in file_checks(each, lake.session.storage, at.id)]
    findings += run_all(checks, lambda done: progress(done, len(checks)))
    files = [file for each in facts for file in each.files]
    deletes = [file.delete_file for file in files if file.delete_file]
    return Report(
        snapshot=int(at.id),
        snapshots=len(commits),
        tables=len(facts),
        views=len(views),
        data_files=len(files),
        delete_files=len(deletes),
        bytes=sum(file.file_size_bytes for file in files)
        + sum(deletes_of.file_size_bytes for deletes_of in deletes),
        findings=tuple(findings),
    )


def _gathered(reader: CatalogReader, at: Snapshot, findings: list[Finding]) -> Iterator[TableFacts]:
    for table in reader.tables(at):
        try:
            yield _facts(reader, table, at)
        except QuacklakeError as error:
            findings.append(problem("catalog", str(table.name), error.problem, error.hint))


def _facts(reader: CatalogReader, table: Table, at: Snapshot) -> TableFacts:
    files = tuple(reader.files(table, at))
    reader.mapping({file.mapping_id for file in files if file.mapping_id is not None})
    return TableFacts(
        table,
        files,
        reader.inlined_deletes(table, at),
        sum(rows.rows.num_rows for rows in reader.inlined_rows(table, at)),
        reader.file_stats(table, at),
        reader.table_stats(table),
        reader.partition_specs(table),
        reader.partition_values(table, at),
        _schema_versions(reader, table),
    )


def _schema_versions(reader: CatalogReader, table: Table) -> int:
    try:
        return len(reader.schema_history(table))
    except CorruptLake:
        return 0


def _row_ids(lake: Lake, facts: TableFacts, at: Snapshot) -> list[Finding]:
    if not row_ids_look_wrong(facts):
        return []
    request = Request(facts.table.name, AtVersion(at.id), (ROW_ID.name,))
    try:
        rows = Scan(lake.session, request).to_arrow().column(0)
    except QuacklakeError:
        # A file that cannot be read is a finding of its own.
        return []
    return list(row_id_findings(facts, rows.to_pylist()))


def _view(lake: Lake, schema: str, name: str) -> list[Finding]:
    """A view that can no longer be read breaks nothing else."""
    try:
        lake.sql(f"DESCRIBE {quoted(schema)}.{quoted(name)}")
    except UsageError as error:
        return [
            warning("view", f"{schema}.{name}", error.problem, "drop the view, or create it anew")
        ]
    return []

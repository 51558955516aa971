"""The part of a lake that keeps it in shape. Every call can tell first what it would do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

from quacklake.client.durations import instant_before
from quacklake.client.references import table_name
from quacklake.client.session import Session
from quacklake.client.settings import options_for
from quacklake.format.snapshot import Latest
from quacklake.format.table import TableName
from quacklake.kernel.errors import CommitConflict, CommitUnknown
from quacklake.maintenance.candidates import Group, merge_groups, rewrite_groups
from quacklake.maintenance.cleanup import due, files_below, forgotten, known_names, orphans
from quacklake.maintenance.compaction import Merge, Rewrite
from quacklake.maintenance.expiry import chosen_snapshots, mutations_of, plan_expiry
from quacklake.maintenance.flush import Flush, kept
from quacklake.maintenance.moving import Pen
from quacklake.maintenance.survey import survey
from quacklake.storage.writing.options import WriteOptions
from quacklake.transaction.commit import Proposal, RetryPolicy, commit

_GRACE = timedelta(days=2)
_DEFAULT_THRESHOLD = 0.95
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class MaintenanceReport:
    """What one operation did to one table, or would do."""

    operation: str
    table: str | None
    files_removed: int
    files_added: int
    rows: int
    snapshot_id: int | None
    dry_run: bool


class _Move(Proposal, Protocol):
    """A proposal that keeps its files over attempts.

    `abandon` is called once, after the last attempt, when it is certain that none landed.
    """

    def abandon(self) -> None:
        """Delete what was written."""
        ...


class Maintains:
    """Flushing, compaction, expiry and clean-up."""

    _session: Session

    def flush_inlined_data(
        self, table: str | None = None, *, dry_run: bool = False
    ) -> tuple[MaintenanceReport, ...]:
        """Move rows and deletes that the catalog keeps into files."""
        return self._for_tables(table, lambda name: self._flush(name, dry_run=dry_run))

    def merge_adjacent_files(
        self, table: str | None = None, *, max_file_size: int | None = None, dry_run: bool = False
    ) -> tuple[MaintenanceReport, ...]:
        """Merge small files into files of the target size."""
        return self._for_tables(
            table, lambda name: self._merge(name, max_file_size, dry_run=dry_run)
        )

    def rewrite_data_files(
        self,
        table: str | None = None,
        *,
        delete_threshold: float | None = None,
        dry_run: bool = False,
    ) -> tuple[MaintenanceReport, ...]:
        """Write files anew of which at least the fraction `delete_threshold` is deleted."""
        return self._for_tables(
            table, lambda name: self._rewrite(name, delete_threshold, dry_run=dry_run)
        )

    def expire_snapshots(
        self,
        *,
        older_than: datetime | str | timedelta | None = None,
        versions: Iterable[int] | None = None,
        dry_run: bool = False,
    ) -> tuple[int, ...]:
        """Give up old snapshots, never the newest; their files wait for clean-up.

        `older_than` is an instant, or an age such as `"7 days"`; without it, and without
        `versions`, the lake's option `expire_older_than` decides.
        """
        wanted = None if versions is None else tuple(versions)
        said = older_than is not None or wanted is not None
        age = older_than if said else self._option("expire_older_than")
        limit = None if age is None else instant_before(age)
        if dry_run:
            with self._session.reading() as reader:
                commits = reader.commits()
            found = chosen_snapshots(commits, versions=wanted, older_than=limit)
            return tuple(int(i) for i in found)
        with self._session.catalog.write() as writer:
            commits, lives = writer.commits(), writer.lives()
            expired = chosen_snapshots(commits, versions=wanted, older_than=limit)
            if expired:
                plan = plan_expiry(commits, expired, lives)
                path = self._session.catalog.data_path
                writer.apply(tuple(mutations_of(plan, lives, path)))
        return tuple(int(i) for i in expired)

    def cleanup_old_files(
        self,
        *,
        older_than: datetime | str | timedelta | None = None,
        cleanup_all: bool = False,
        dry_run: bool = False,
    ) -> tuple[str, ...]:
        """Delete files that no snapshot needs, after they waited two days or `older_than`."""
        limit = self._age_limit(older_than, everything=cleanup_all)
        with self._session.reading() as reader:
            files = due(reader.scheduled(), limit)
        if dry_run or not files:
            return tuple(file.location for file in files)
        # Files first: a row without its file is tidied up next time, the other way it is lost.
        for file in files:
            self._session.storage.delete_file(file.location)
        with self._session.catalog.write() as writer:
            writer.apply(forgotten(files))
        return tuple(file.location for file in files)

    def delete_orphaned_files(
        self,
        *,
        older_than: datetime | str | timedelta | None = None,
        dry_run: bool = False,
    ) -> tuple[str, ...]:
        """Delete files of failed writers: unknown to the catalog and older than two days."""
        limit = self._age_limit(older_than, everything=False)
        with self._session.reading() as reader:
            folders = reader.folders()
        listed = list(files_below(self._session.storage, folders))
        # The catalog is asked after the listing: what was committed in between is known.
        with self._session.reading() as reader:
            known = known_names(reader.lives(), reader.scheduled())
        found = tuple(file.location for file in orphans(listed, known, limit))
        if not dry_run:
            for location in found:
                self._session.storage.delete_file(location)
        return found

    def checkpoint(self) -> tuple[MaintenanceReport, ...]:
        """Flush, expire, merge, rewrite and clean up, as the lake's options say."""
        done = list(self.flush_inlined_data())
        self.expire_snapshots()
        done += self.merge_adjacent_files()
        done += self.rewrite_data_files()
        self.cleanup_old_files()
        self.delete_orphaned_files()
        return tuple(done)

    def _for_tables(
        self, table: str | None, operate: Callable[[TableName], MaintenanceReport | None]
    ) -> tuple[MaintenanceReport, ...]:
        names = [table_name(table)] if table else self._maintained()
        reports = (_retried(operate, name) for name in names)
        return tuple(report for report in reports if report is not None)

    def _maintained(self) -> list[TableName]:
        """The tables that are not excluded by the option `auto_compact`."""
        with self._session.reading() as reader:
            options = reader.options()
            tables = reader.tables(reader.snapshot(Latest()))
        return [
            table.name
            for table in tables
            if options_for(options, table.name).get("auto_compact", "true").lower() != "false"
        ]

    def _option(self, name: str, table: TableName | None = None) -> str | None:
        with self._session.reading() as reader:
            options = reader.options()
        return options_for(options, table or TableName("", "")).get(name)

    def _age_limit(
        self, older_than: datetime | str | timedelta | None, *, everything: bool
    ) -> datetime:
        if everything:
            return datetime.now(UTC) + timedelta(days=1)
        if older_than is not None:
            return instant_before(older_than)
        return instant_before(self._option("delete_older_than") or _GRACE)

    def _pen(self, table: TableName) -> Pen:
        with self._session.reading() as reader:
            options = options_for(reader.options(), table)
        encrypt = self._session.catalog.is_encrypted
        return Pen(self._session.storage, WriteOptions.from_format(options), encrypt)

    def _flush(self, name: TableName, *, dry_run: bool) -> MaintenanceReport | None:
        with self._session.reading() as reader:
            found = kept(reader, name)
        if found.is_empty:
            return None
        flush = Flush(found, self._pen(name), self._session.catalog.data_path)
        snapshot = None if dry_run else self._commit(flush)
        return MaintenanceReport(
            "flush", str(name), 0, len(found.born), found.row_count, snapshot, dry_run
        )

    def _merge(
        self, name: TableName, max_file_size: int | None, *, dry_run: bool
    ) -> MaintenanceReport | None:
        pen = self._pen(name)
        with self._session.reading() as reader:
            found = survey(reader, name)
        target = pen.options.target_file_size
        groups = merge_groups(found.files, target_size=target, max_size=max_file_size)
        if not groups:
            return None
        merge = Merge(found, groups, pen, self._session.catalog.data_path)
        snapshot = None if dry_run else self._commit(merge)
        return _report("merge", name, groups, snapshot, dry_run=dry_run)

    def _rewrite(
        self, name: TableName, threshold: float | None, *, dry_run: bool
    ) -> MaintenanceReport | None:
        given = threshold
        if given is None:
            given = float(self._option("rewrite_delete_threshold", name) or _DEFAULT_THRESHOLD)
        with self._session.reading() as reader:
            found = survey(reader, name)
        groups = rewrite_groups(found.files, threshold=given)
        if not groups:
            return None
        rewrite = Rewrite(found, groups, self._pen(name), self._session.catalog.data_path)
        snapshot = None if dry_run else self._commit(rewrite)
        return _report("rewrite", name, groups, snapshot, dry_run=dry_run)

    def _commit(self, move: _Move) -> int:
        try:
            return int(commit(move, self._session.catalog, RetryPolicy()).id)
        except CommitUnknown:
            raise
        except Exception:
            move.abandon()
            raise


def _retried(
    operate: Callable[[TableName], MaintenanceReport | None], name: TableName
) -> MaintenanceReport | None:
    """Plan again when a writer got in between; the last conflict is the caller's."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return operate(name)
        except CommitConflict:
            continue
    return operate(name)


def _report(
    operation: str,
    name: TableName,
    groups: Sequence[Group],
    snapshot: int | None,
    *,
    dry_run: bool,
) -> MaintenanceReport:
    files = [live for group in groups for live in group]
    rows = sum(live.file.record_count for live in files)
    return MaintenanceReport(operation, str(name), len(files), len(groups), rows, snapshot, dry_run)

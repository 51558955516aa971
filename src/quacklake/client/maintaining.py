"""The part of a lake that keeps it in shape. Every call can tell first what it would do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

from quacklake.client.durations import instant_before
from quacklake.client.references import table_name
from quacklake.client.session import Session
from quacklake.client.settings import options_for
from quacklake.client.upkeep import (
    MaintenanceReport,
    Move,
    Watch,
    report_of,
    retried,
    unwatched,
)
from quacklake.client.writing.clusters import bulk_of
from quacklake.format.snapshot import Latest
from quacklake.format.table import Table, TableName
from quacklake.kernel.errors import CommitUnknown, UsageError
from quacklake.maintenance.candidates import merge_groups, rewrite_groups
from quacklake.maintenance.cleanup import due, files_below, forgotten, known_names, orphans
from quacklake.maintenance.compaction import Merge, Rewrite
from quacklake.maintenance.expiry import chosen_snapshots, mutations_of, plan_expiry
from quacklake.maintenance.flush import Flush
from quacklake.maintenance.kept import forgotten_tables, kept
from quacklake.maintenance.moving import Carry, Pen, one_by_one
from quacklake.maintenance.survey import survey
from quacklake.storage.writing.options import WriteOptions
from quacklake.transaction.commit import RetryPolicy, commit

_GRACE = timedelta(days=2)
_DEFAULT_THRESHOLD = 0.95


class Maintains:
    """Flushing, compaction, expiry and clean-up."""

    _session: Session

    def flush_inlined_data(
        self, table: str | None = None, *, dry_run: bool = False, watch: Watch = unwatched
    ) -> tuple[MaintenanceReport, ...]:
        """Move rows and deletes that the catalog keeps into files."""
        self._check_writable(dry_run=dry_run)
        return self._for_tables(table, watch, lambda name: self._flush(name, dry_run=dry_run))

    def merge_adjacent_files(
        self,
        table: str | None = None,
        *,
        max_file_size: int | None = None,
        dry_run: bool = False,
        watch: Watch = unwatched,
    ) -> tuple[MaintenanceReport, ...]:
        """Merge small files into files of the target size."""
        self._check_writable(dry_run=dry_run)
        return self._for_tables(
            table, watch, lambda name: self._merge(name, max_file_size, dry_run=dry_run)
        )

    def rewrite_data_files(
        self,
        table: str | None = None,
        *,
        delete_threshold: float | None = None,
        dry_run: bool = False,
        watch: Watch = unwatched,
    ) -> tuple[MaintenanceReport, ...]:
        """Write files anew of which at least the fraction `delete_threshold` is deleted."""
        if delete_threshold is not None and not 0 <= delete_threshold <= 1:
            raise UsageError(
                "a share of deleted rows is between 0 and 1", hint="write delete_threshold=0.5"
            )
        self._check_writable(dry_run=dry_run)
        return self._for_tables(
            table, watch, lambda name: self._rewrite(name, delete_threshold, dry_run=dry_run)
        )

    def expire_snapshots(
        self,
        *,
        older_than: datetime | str | timedelta | None = None,
        versions: Iterable[int] | None = None,
        dry_run: bool = False,
    ) -> tuple[int, ...]:
        """Give up old snapshots; their files wait for clean-up.

        The newest stays, and so do those from which stream tables read on.
        `older_than` is an instant, or an age such as `"7 days"`; without it, and without
        `versions`, the lake's option `expire_older_than` decides.
        """
        self._check_writable(dry_run=dry_run)
        wanted = None if versions is None else tuple(versions)
        said = older_than is not None or wanted is not None
        age = older_than if said else self._option("expire_older_than")
        limit = None if age is None else instant_before(age)
        if dry_run:
            with self._session.reading() as reader:
                commits, needed = reader.commits(), reader.needed_snapshots()
            found = chosen_snapshots(commits, versions=wanted, older_than=limit, pinned=needed)
            return tuple(int(i) for i in found)
        with self._session.catalog.write() as writer:
            commits, lives = writer.commits(), writer.lives()
            needed = writer.needed_snapshots()
            expired = chosen_snapshots(commits, versions=wanted, older_than=limit, pinned=needed)
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
        self._check_writable(dry_run=dry_run)
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
        self._check_writable(dry_run=dry_run)
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

    def checkpoint(self, *, watch: Watch = unwatched) -> tuple[MaintenanceReport, ...]:
        """Flush, expire, merge, rewrite and clean up, as the lake's options say."""
        done = list(self.flush_inlined_data(watch=watch))
        self.expire_snapshots()
        done += self.merge_adjacent_files(watch=watch)
        done += self.rewrite_data_files(watch=watch)
        self.cleanup_old_files()
        self.delete_orphaned_files()
        return tuple(done)

    def _check_writable(self, *, dry_run: bool) -> None:
        if not dry_run:
            self._session.catalog.check_writable()

    def _for_tables(
        self,
        table: str | None,
        watch: Watch,
        operate: Callable[[TableName], MaintenanceReport | None],
    ) -> tuple[MaintenanceReport, ...]:
        names = [table_name(table)] if table else self._maintained()
        reports = []
        for done, name in enumerate(names):
            watch(str(name), done, len(names))
            reports.append(retried(operate, name))
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

    @property
    def _data_path(self) -> str:
        return self._session.catalog.data_path

    @property
    def _carry(self) -> Carry:
        """Where rows are moved: by the cluster that large changes run on, or here."""
        bulk = bulk_of(self._session)
        return one_by_one if bulk is None else bulk.carry

    def _pen(self, table: TableName) -> Pen:
        with self._session.reading() as reader:
            options = options_for(reader.options(), table)
        encrypt = self._session.catalog.is_encrypted
        return Pen(self._session.storage, WriteOptions.from_format(options), encrypt)

    def _flush(self, name: TableName, *, dry_run: bool) -> MaintenanceReport | None:
        found = self._session.asked(lambda reader: kept(reader, name))
        snapshot = None
        if not dry_run:
            if not found.is_empty:
                flush = Flush(found, self._pen(name), self._data_path, self._carry)
                snapshot = self._commit(flush)
            self._forget_superseded(found.table)
        if found.is_empty:
            return None
        return MaintenanceReport(
            "flush", str(name), 0, len(found.born), found.row_count, snapshot, dry_run
        )

    def _forget_superseded(self, table: Table) -> None:
        """What a flush has emptied for good is asked no more; as in DuckDB, this is no commit."""
        if self._session.asked(lambda reader: reader.superseded_inlined(table)):
            with self._session.catalog.write() as writer:
                writer.apply(forgotten_tables(table.id, writer.superseded_inlined(table)))

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
        merge = Merge(found, groups, pen, self._data_path, self._carry)
        snapshot = None if dry_run else self._commit(merge)
        return report_of("merge", name, groups, snapshot, dry_run=dry_run)

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
        rewrite = Rewrite(found, groups, self._pen(name), self._data_path, self._carry)
        snapshot = None if dry_run else self._commit(rewrite)
        return report_of("rewrite", name, groups, snapshot, dry_run=dry_run)

    def _commit(self, move: Move) -> int:
        try:
            return int(commit(move, self._session.catalog, RetryPolicy()).id)
        except CommitUnknown:
            raise
        except Exception:
            move.abandon()
            raise

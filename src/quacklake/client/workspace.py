"""The lake as one transaction sees it: the snapshot it began from, and what it staged since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from quacklake.catalog.inspection import Option
from quacklake.catalog.ledger import KEPT_OPTION, StreamRow
from quacklake.catalog.reader import CatalogReader
from quacklake.client.overlay import overlaid, settled
from quacklake.client.session import Session
from quacklake.client.settings import inlining_limit, options_for
from quacklake.format.snapshot import AtVersion, Latest, Snapshot
from quacklake.format.table import Schema, Table, TableName
from quacklake.format.types import NameEver, TypeEver
from quacklake.kernel.errors import NotFound, UsageError
from quacklake.kernel.ids import ColumnId, DataFileId, SchemaId, TableId
from quacklake.scan.plan import Request, ScanPlan, empty_plan, plan_table
from quacklake.storage.filesystem import Storage
from quacklake.transaction.commit import RetryPolicy, commit
from quacklake.transaction.draft import Draft, TableDraft, ViewDraft, same_name
from quacklake.transaction.lowering.commit import CommitInfo
from quacklake.transaction.proposal import DraftProposal, Setting


@dataclass(frozen=True, slots=True)
class Ground:
    """What a transaction reads once, when it begins.

    `streams` are the stream tables as they stand at this very snapshot, for a refresh.
    """

    snapshot: Snapshot
    schemas: tuple[Schema, ...]
    options: tuple[Option, ...]
    encrypted: bool
    streams: tuple[StreamRow, ...] = ()


class Workspace:
    """One open transaction; for one thread at a time."""

    def __init__(
        self,
        session: Session,
        *,
        first: TableName | None = None,
        refreshes: bool = False,
        commits: bool = True,
    ) -> None:
        """Begin; `first` names the table that will be asked for, to be read along.

        Only a transaction that `refreshes` may change what stream tables keep. One that only
        looks, and never `commits`, may be begun where nothing can be changed.
        """
        if commits:
            session.catalog.check_writable()
        self.session = session
        self.ground, found = _ground(session, first, refreshes=refreshes)
        self._read_along = {first: found} if found is not None else {}
        self.draft = Draft(self.ground.snapshot)
        self._files: list[str] = []
        self._refreshes = refreshes
        # Whether others had committed when rows were planned. DuckDB may date deletions before
        # the snapshot that made them, so such a plan may lack rows. What is written because of
        # it meets that commit in the conflict rules; what is not written does not.
        self.has_read_late = False

    @property
    def storage(self) -> Storage:
        """Where the planned files are read from."""
        return self.session.storage

    @property
    def cluster(self) -> object:
        """Where frames of many processes come from."""
        return self.session.cluster

    def schema(self, name: str) -> Schema:
        """The schema called `name`, made here or committed and not dropped here."""
        dropped = {schema.id for schema in self.draft.dropped_schemas}
        for schema in (*self.draft.new_schemas, *self.ground.schemas):
            if schema.name.casefold() == name.casefold() and schema.id not in dropped:
                return schema
        raise NotFound(
            f"no schema '{name}'",
            hint="its schemas are " + ", ".join(schema.name for schema in self.ground.schemas),
            kind="schema",
            name=name,
        )

    def drafted(self, name: TableName) -> TableDraft:
        """The table called `name` with what is staged for it, if anything is."""
        staged = self.draft.table_called(name)
        if staged is not None:
            return staged
        table = self._read_along.get(name)
        if table is None:
            with self.session.reading() as reader:
                table = self.session.catalog.definitions.table(reader, name, self.ground.snapshot)
        if table.id in self.draft.tables:
            raise NotFound(f"no table '{name}'", kind="table", name=str(name))
        schema = self.schema(table.name.schema)
        return TableDraft(table, schema.id, base=table)

    def exists(self, name: TableName) -> bool:
        """Whether a table called `name` is there now."""
        try:
            self.drafted(name)
        except NotFound:
            return False
        return True

    def view(self, name: TableName) -> ViewDraft | None:
        """The view called `name` with what is staged for it."""
        for staged in self.draft.views.values():
            if not staged.dropped and same_name(staged.view.name, name):
                return staged
        with self.session.reading() as reader:
            views = reader.views(self.ground.snapshot)
        for view in views:
            if same_name(view.name, name) and view.id not in self.draft.views:
                schema = self.schema(view.name.schema)
                return ViewDraft(view.id or 0, schema.id, view, base=view)
        return None

    def entries_in(self, schema: Schema) -> tuple[list[TableName], list[TableName]]:
        """The names of the tables and of the views in a schema now."""
        with self.session.reading() as reader:
            at = self.ground.snapshot
            committed = [t.name for t in reader.tables(at, schema.name)] if schema.id >= 0 else []
            views = [view.name for view in reader.views(at)]
        staged = [draft.table.name for draft in self.draft.tables.values() if not draft.dropped]
        names = {name for name in (*committed, *staged) if self.exists(name)}
        views += [draft.view.name for draft in self.draft.views.values()]
        seen = {name for name in views if self.view(name) is not None}
        wanted = schema.name.casefold()
        return (
            sorted((n for n in names if n.schema.casefold() == wanted), key=str),
            sorted((n for n in seen if n.schema.casefold() == wanted), key=str),
        )

    def options(self, table: Table) -> dict[str, str]:
        """The options in force for a table."""
        return options_for(self.ground.options, table.name)

    def plan(self, request: Request) -> ScanPlan:
        """A scan of what is committed and staged."""
        draft = self.drafted(request.table)
        empty = empty_plan(draft.table, self.ground.snapshot, request)
        if draft.base is None:
            return overlaid(empty, draft)
        plan = self.session.asked(lambda reader: self._committed(reader, empty))
        return overlaid(plan, draft)

    def _committed(self, reader: CatalogReader, plan: ScanPlan) -> ScanPlan:
        if reader.snapshot(Latest()).id != self.ground.snapshot.id:
            reader.snapshot(AtVersion(self.ground.snapshot.id))
            self.has_read_late = True
        return plan_table(reader, plan)

    def complete_files(self, plan: ScanPlan, columns: Sequence[ColumnId]) -> frozenset[DataFileId]:
        """Files of a plan that are known to hold all of these columns; staged ones are not."""
        return self.session.complete_files(plan, columns)

    def types_ever(self, plan: ScanPlan) -> tuple[TypeEver, ...]:
        """The types that the columns of a plan's table have and had, as committed."""
        return self.session.types_ever(plan)

    def names_ever(self, plan: ScanPlan) -> tuple[NameEver, ...]:
        """The names that the columns of a plan's table have and had; not those given here."""
        return self.session.names_ever(plan)

    def stage(self, draft: TableDraft) -> None:
        """Remember what is staged for a table from now on."""
        self.draft = self.draft.with_table(draft)

    def local_id(self) -> int:
        """An id for something made here."""
        given, self.draft = self.draft.local_id()
        return given

    def wrote(self, location: str) -> None:
        """Remember a file that is only ours until the commit."""
        self._files.append(location)

    def commit(self, info: CommitInfo, retry: RetryPolicy) -> Snapshot:
        """Make everything staged the next snapshot."""
        if self.draft.is_empty:
            self.abandon()
            return self.ground.snapshot
        if info.message is None and self._needs_message():
            raise UsageError(
                "the lake requires a message with every commit",
                hint='write it in a transaction: with lake.transaction(message="…") as tx',
            )
        self._check_kept()
        final = replace(self.draft, tables={i: settled(t) for i, t in self.draft.tables.items()})
        proposal = DraftProposal(final, self._setting(info), self.session.storage)
        snapshot = commit(proposal, self.session.catalog, retry)
        # Files whose rows were all deleted again before the commit belong to nobody.
        committed = {f.written.location for t in self.draft.tables.values() for f in t.files}
        self._files = [location for location in self._files if location not in committed]
        self.abandon()
        return snapshot

    def _check_kept(self) -> None:
        """Refuse to change by hand what a refresh keeps equal to a query."""
        if self._refreshes:
            return
        for draft in self.draft.tables.values():
            if draft.base is not None and KEPT_OPTION in self.options(draft.base):
                raise UsageError(
                    f"'{draft.base.name}' is kept by a stream table and is not changed by hand",
                    hint="change its sources and refresh it, or drop the stream table",
                )

    def _needs_message(self) -> bool:
        lake_wide = options_for(self.ground.options, TableName("", ""))
        return lake_wide.get("require_commit_message") == "true"

    def abandon(self) -> None:
        """Delete the files written for changes that are certain not to be committed."""
        while self._files:
            self.session.storage.discard(self._files.pop())

    def _setting(self, info: CommitInfo) -> Setting:
        limits: Mapping[TableId, int] = {
            identity: self.limit(draft.table) for identity, draft in self.draft.tables.items()
        }
        schemas: dict[str, SchemaId] = {s.name.casefold(): s.id for s in self.ground.schemas}
        path = self.session.catalog.data_path
        return Setting(info, limits, schemas, path, self.ground.encrypted)

    def limit(self, table: Table) -> int:
        """How many rows of a statement the catalog keeps for this table; 0 if it cannot."""
        if not self.session.catalog.can_keep(table.columns):
            return 0
        return inlining_limit(self.options(table))


def _ground(
    session: Session, first: TableName | None, *, refreshes: bool
) -> tuple[Ground, Table | None]:
    with session.reading() as reader:
        snapshot = reader.snapshot(Latest())
        options = reader.options()
        schemas = session.catalog.definitions.schemas(reader, snapshot)
        table = None if first is None else _found(session, reader, first, snapshot)
        streams = reader.stream_rows() if refreshes else ()
    return Ground(snapshot, schemas, options, session.catalog.is_encrypted, streams), table


def _found(session: Session, reader: CatalogReader, name: TableName, at: Snapshot) -> Table | None:
    try:
        return session.catalog.definitions.table(reader, name, at)
    except NotFound:
        # Whether that is an error is for the operation to say.
        return None

"""Opening catalogs: an existing lake is checked, a missing one is made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError

from quacklake.catalog.backends import Database, database_of
from quacklake.catalog.create import FORMAT_VERSION, create_lake
from quacklake.catalog.definitions import Definitions
from quacklake.catalog.encode import inlinable, inlinable_rows
from quacklake.catalog.failures import translated
from quacklake.catalog.location import Backend, CatalogLocation
from quacklake.catalog.reader import CatalogReader
from quacklake.catalog.remembered import Remembered
from quacklake.catalog.statements import objects
from quacklake.catalog.statements.scope import Scope, scope_of
from quacklake.catalog.writer import CatalogWriter, Steps, unheard, writing
from quacklake.format.paths import as_directory
from quacklake.format.snapshot import Commit, Snapshot
from quacklake.format.types import Column
from quacklake.kernel.errors import CorruptLake, RivalCommit, Unsupported, UsageError
from quacklake.kernel.ids import SnapshotId


class Catalog:
    """An open catalog: a pool of connections, shared by threads until it is closed."""

    def __init__(
        self,
        location: CatalogLocation,
        database: Database,
        engine: Engine,
        scope: Scope,
        facts: dict[str, str],
        *,
        read_only: bool,
    ) -> None:
        self.location = location
        self.scope = scope
        self.facts = facts
        self.data_path = as_directory(_anchored(facts["data_path"]))
        self.read_only = read_only
        self.definitions = Definitions()
        self._database = database
        self._engine = engine
        self._remembered = Remembered()

    @property
    def is_encrypted(self) -> bool:
        """Whether the lake was made to hold encrypted files."""
        return self.facts.get("encrypted") == "true"

    @contextmanager
    def read(self) -> Iterator[CatalogReader]:
        """A reader that sees one state of the catalog, however many questions it answers."""
        with translated(self._database, self.location):
            connection = self._engine.connect()
        try:
            with translated(self._database, self.location):
                self._database.begin_read(connection)
            yield CatalogReader(
                connection,
                self._database,
                self.location,
                self.scope,
                self.data_path,
                self._remembered,
            )
        finally:
            connection.close()

    def write(self, *, steps: Steps = unheard) -> AbstractContextManager[CatalogWriter]:
        """One transaction: it commits when the block ends, and leaves nothing if it raises.

        `RivalCommit` and `Busy` mean that nothing was changed, `CommitUnknown` that nobody knows.
        """
        self.check_writable()
        return writing(
            self._engine, self._database, self.location, self.scope, self.data_path, steps
        )

    def check_writable(self) -> None:
        """Refuse a catalog opened for reading only; asked before a file is written or deleted."""
        if self.read_only:
            raise UsageError(
                f"the catalog at '{self.location}' was opened for reading only",
                hint="open it with read_only=False to change it",
            )

    def lookup(self, snapshot: SnapshotId) -> Commit | None:
        """The commit that made a snapshot, once nobody is in the middle of making it.

        A commit whose connection broke may still be under way; taking its id waits for its end.
        """
        if not self.read_only:
            with suppress(RivalCommit), self.write() as writer:
                writer.claim(Snapshot(snapshot, datetime.now(UTC), 0, 0, 0))
                raise RivalCommit("only to know that nobody else has it")
        with self.read() as reader:
            return reader.snapshot_row(snapshot)

    def can_keep(self, columns: Sequence[Column], rows: pa.Table | None = None) -> bool:
        """Whether the catalog can keep rows of `columns` itself, so that DuckDB reads them too."""
        backend = self.location.backend
        fits = inlinable(columns, backend)
        return fits and (rows is None or inlinable_rows(rows, columns, backend))

    def close(self) -> None:
        """Close all connections; a DuckDB file becomes free for others."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Catalog({self.location.display!r})"


def open_catalog(
    location: CatalogLocation,
    *,
    data_path: str | None = None,
    metadata_schema: str | None = None,
    read_only: bool = False,
    create: bool = True,
    encrypted: bool | None = None,
) -> Catalog:
    """Open the lake at `location`, or make an empty one where there is none.

    `encrypted` is for a new lake; one that exists must agree with it.
    """
    database = database_of(location.backend)
    scope = scope_of(location.backend, _schema(location, database, metadata_schema))
    with translated(database, location):
        may_create = create and not read_only
        engine = database.engine(location, read_only=read_only, may_create=may_create)
        try:
            fresh = (data_path, bool(encrypted)) if may_create else None
            facts = _facts_or_new(engine, database, location, scope, fresh)
            _check(facts, location, data_path, encrypted)
        except BaseException:
            engine.dispose()
            raise
    return Catalog(location, database, engine, scope, facts, read_only=read_only)


def _schema(location: CatalogLocation, database: Database, wanted: str | None) -> str | None:
    if wanted is None:
        return database.default_schema
    if location.backend in (Backend.SQLITE, Backend.MYSQL):
        raise UsageError(
            f"a {location.backend} catalog has no metadata schemas",
            hint="leave metadata_schema out"
            + (", or name another database in the address" if location.path is None else ""),
        )
    return wanted


def _facts_or_new(
    engine: Engine,
    database: Database,
    location: CatalogLocation,
    scope: Scope,
    fresh: tuple[str | None, bool] | None,
) -> dict[str, str]:
    """What the lake says of itself; `fresh` is the data path and encryption of a new one."""
    with engine.connect() as connection:
        facts = _facts(connection, scope)
    if facts is None and fresh is not None:
        wanted = as_directory(fresh[0] or _default_data_path(location))
        facts = _created(engine, database, location, scope, wanted, encrypted=fresh[1])
    if facts is None:
        raise UsageError(
            f"'{location}' is not a DuckLake",
            hint="check the address, or open it with create=True to make an empty lake",
            location=str(location),
        )
    return facts


def _facts(connection: Connection, scope: Scope) -> dict[str, str] | None:
    """What the lake says about itself, or None if there is no lake."""
    if not connection.execute(objects.is_installed(scope)).scalar_one():
        return None
    rows = connection.execute(objects.facts(scope))
    facts: dict[str, str] = {row.key: row.value for row in rows}
    # MySQL cannot make tables in a transaction: they are there a moment before the lake is.
    return facts or None


def _created(
    engine: Engine,
    database: Database,
    location: CatalogLocation,
    scope: Scope,
    data_path: str,
    *,
    encrypted: bool,
) -> dict[str, str] | None:
    try:
        with (
            database.turn(location),
            engine.connect() as connection,
            database.creation(connection),
        ):
            facts = _facts(connection, scope)
            if facts is None:
                create_lake(connection, scope, data_path, encrypted=encrypted)
                facts = _facts(connection, scope)
            return facts
    except DBAPIError:
        # Another creator may have won; then its lake is the one we open.
        with engine.connect() as connection:
            facts = _facts(connection, scope)
        if facts is None:
            raise
        return facts


def _anchored(location: str) -> str:
    """A relative folder as other processes find it: it begins where this one is now."""
    is_plain = "://" not in location and not location.startswith("file:")
    return str(Path(location).absolute()) if is_plain else location


def _default_data_path(location: CatalogLocation) -> str:
    if location.path is None:
        raise UsageError(
            "a new lake needs a data path",
            hint="give data_path, the folder or bucket for its files",
        )
    return f"{Path(location.path).absolute()}.files/"


def _check(
    facts: dict[str, str],
    location: CatalogLocation,
    data_path: str | None,
    encrypted: bool | None,  # noqa: FBT001 - one of three facts to compare
) -> None:
    version = facts.get("version")
    if version is None or "data_path" not in facts:
        raise CorruptLake(
            f"the catalog at '{location}' does not say its format version and data path",
            hint="its table ducklake_metadata is damaged",
        )
    if version != FORMAT_VERSION:
        raise Unsupported(
            f"the lake at '{location}' has format version '{version}', not '{FORMAT_VERSION}'",
            hint=_version_hint(version),
            version=version,
        )
    if data_path is not None and as_directory(data_path) != as_directory(facts["data_path"]):
        raise UsageError(
            f"the lake at '{location}' keeps its files in '{facts['data_path']}', "
            f"not in '{as_directory(data_path)}'",
            hint="leave data_path out, or give the one of the lake",
            data_path=facts["data_path"],
        )
    if encrypted is not None and encrypted != (facts.get("encrypted") == "true"):
        raise UsageError(
            f"the lake at '{location}' is {'not ' if encrypted else ''}encrypted",
            hint="whether files are encrypted is fixed when a lake is made",
        )


def _version_hint(version: str) -> str:
    if version.startswith("0."):
        return "attach it once with DuckDB's ducklake extension 1.5, which migrates it to 1.0"
    return "a newer Quacklake may read it; lakes of format 1.0 can be read with this one"

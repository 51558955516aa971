"""Changes to a catalog: all of them in one transaction, or none.

The row of the new snapshot is inserted first. Its primary key is the lock of the format:
whoever has inserted it is alone until it commits, and what it reads afterwards stays true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from enum import StrEnum
from typing import Any, TypeAlias, assert_never

from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.schema import DropTable
from sqlalchemy.sql import Executable, Select

from quacklake.catalog.backends import Database
from quacklake.catalog.backends.duckdb import load
from quacklake.catalog.failures import failure_of, translated
from quacklake.catalog.location import Backend, CatalogLocation
from quacklake.catalog.mutations import Insert, Mutation
from quacklake.catalog.reader import CatalogReader
from quacklake.catalog.statements import touched
from quacklake.catalog.statements.mutations import planned
from quacklake.catalog.statements.scope import Scope
from quacklake.catalog.statements.work import Define, Direct, Drop, Ensure, Load, Statement, Work
from quacklake.format.snapshot import Snapshot
from quacklake.kernel.errors import (
    Busy,
    CommitConflict,
    CommitUnknown,
    CorruptLake,
    RivalCommit,
)
from quacklake.kernel.ids import DataFileId, SnapshotId, TableId


class Step(StrEnum):
    """The moments of a commit at which something may go wrong."""

    BEGUN = "begun"
    CLAIMED = "claimed"
    APPLIED = "applied"
    BEFORE_COMMIT = "before commit"
    AFTER_COMMIT = "after commit"


Steps: TypeAlias = Callable[[str], None]
"""Told each step when it is reached; what it raises is raised there."""


def unheard(step: str) -> None:
    """Nobody listens."""


class CatalogWriter(CatalogReader):
    """One transaction on a catalog; for one thread at a time.

    Everything a reader answers is answered here too, with the changes made so far.
    """

    def __init__(
        self,
        connection: Connection,
        database: Database,
        location: CatalogLocation,
        scope: Scope,
        data_path: str,
        aside: Callable[[], AbstractContextManager[Connection]],
        steps: Steps,
    ) -> None:
        super().__init__(connection, database, location, scope, data_path)
        self._aside = aside
        self._steps = steps
        self._claimed: SnapshotId | None = None
        self._broken: BaseException | None = None
        self._drops: list[DropTable] = []
        self._asked: list[Select[Any]] = []

    def touched_files(self, table: TableId, since: SnapshotId) -> frozenset[DataFileId]:
        """The data files that lost rows, or ended, after `since`."""
        found = self._all(touched.touched(self._scope), table=table, after=since)
        if self._all(touched.has_inlined_deletes(self._scope, table)):
            lost = self._all(touched.inlined_touched(self._scope, table), after=since)
            found = [*found, *lost]
        return frozenset(DataFileId(row[0]) for row in found)

    def claim(self, snapshot: Snapshot) -> None:
        """Take the id of the new snapshot; `RivalCommit` if another writer has it."""
        row = (
            snapshot.id,
            snapshot.time,
            snapshot.schema_version,
            snapshot.next_catalog_id,
            snapshot.next_file_id,
        )
        self._carry_out([Insert("snapshot", (row,))])
        self._claimed = snapshot.id
        self._steps(Step.CLAIMED)

    def apply(self, mutations: Sequence[Mutation]) -> None:
        """Make the changes, in order."""
        try:
            self._carry_out(mutations)
        except RivalCommit as rival:
            if self._claimed is None or self._scope.backend is Backend.DUCKDB:
                raise
            raise CorruptLake(
                f"the catalog at '{self._location}' already has an id that its counters call free",
                hint="another program wrote to it without raising them",
            ) from rival
        self._steps(Step.APPLIED)

    def _carry_out(self, mutations: Sequence[Mutation]) -> None:
        self._timeless.clear()
        self._columns_ever.clear()
        with self._noting_failure(), self._database.batch(self._connection):
            for work in planned(self._scope, mutations):
                self._do(work)
        self._check_asked()

    def _check_asked(self) -> None:
        """Ask what must be so; while statements are on their way, no answer can be read."""
        while self._asked:
            if not self._all(self._asked.pop()):
                raise CommitConflict(
                    "another writer has changed what this commit was computed from",
                    hint="compute it again: it will then see the other change",
                )

    def _do(self, work: Work) -> None:
        match work:
            case Statement(sql, parameters):
                self._connection.execute(sql, parameters or None)
            case Direct(sql, values):
                self._connection.exec_driver_sql(sql, values)
            case Load():
                load(self._connection, work)
            case Define() if self._database.makes_tables_in_transactions:
                self._connection.execute(work.create)
            case Define():
                self._define_aside(work)
            case Drop(drop) if self._database.makes_tables_in_transactions:
                self._connection.execute(drop)
            case Drop(drop):
                self._drops.append(drop)
            case Ensure(question):
                self._asked.append(question)
            case _:
                assert_never(work)

    def _define_aside(self, work: Define) -> None:
        if work.in_use is not None and self._connection.execute(work.in_use).first():
            raise CorruptLake("an inlined table that is to be made is already registered")
        with self._aside() as connection:
            if work.leftover is not None:
                connection.execute(work.leftover)
            connection.execute(work.create)

    def _all(self, statement: Executable, **parameters: Any) -> Sequence[Any]:
        with self._noting_failure():
            return super()._all(statement, **parameters)

    def _raw(self, statement: Executable, **parameters: Any) -> Sequence[Any]:
        with self._noting_failure():
            return super()._raw(statement, **parameters)

    @contextmanager
    def _noting_failure(self) -> Iterator[None]:
        """A transaction with a failed statement must not commit, even if nobody minds."""
        try:
            with translated(self._database, self._location):
                yield
        except BaseException as error:
            self._broken = error
            raise

    def _commit(self) -> None:
        if self._broken is not None:
            raise self._broken
        self._steps(Step.BEFORE_COMMIT)
        try:
            self._connection.commit()
            self._steps(Step.AFTER_COMMIT)
        except DBAPIError as error:
            failure = failure_of(error, self._database)
            answered = not error.connection_invalidated
            if answered and issubclass(failure.kind, RivalCommit | Busy):
                raise failure.kind(f"{failure.problem} at '{self._location}'") from error.orig
            raise self._unknown() from error.orig
        except BaseException as error:
            # Whatever interrupts a commit, the database may have it.
            raise self._unknown() from error
        self._drop_aside()

    def _unknown(self) -> CommitUnknown:
        return CommitUnknown(
            f"the answer to a commit to '{self._location}' was lost",
            hint="look whether its snapshot is there before anything else",
            snapshot=self._claimed,
        )

    def _drop_aside(self) -> None:
        """The commit stands; a table that stays is unregistered, and replaced if made again."""
        if self._drops:
            with suppress(SQLAlchemyError), self._aside() as connection:
                for drop in self._drops:
                    connection.execute(drop)


@contextmanager
def writing(
    engine: Engine,
    database: Database,
    location: CatalogLocation,
    scope: Scope,
    data_path: str,
    steps: Steps = unheard,
) -> Iterator[CatalogWriter]:
    """A transaction that commits when the block ends, and leaves nothing if it raises."""
    with database.turn(location):
        with translated(database, location):
            connection = engine.connect()
        try:
            with translated(database, location):
                database.begin_write(connection, scope.schema)
            steps(Step.BEGUN)
            writer = CatalogWriter(
                connection, database, location, scope, data_path, _beside(engine), steps
            )
            yield writer
            writer._commit()  # noqa: SLF001  only the end of the block may commit
        except BaseException:
            _undo(connection)
            raise
        finally:
            connection.close()


def _beside(engine: Engine) -> Callable[[], AbstractContextManager[Connection]]:
    @contextmanager
    def aside() -> Iterator[Connection]:
        with engine.connect() as connection:
            yield connection.execution_options(isolation_level="AUTOCOMMIT")

    return aside


def _undo(connection: Connection) -> None:
    try:
        connection.rollback()
    except SQLAlchemyError:
        # The connection is gone, and with it what it had begun.
        connection.invalidate()

"""What the catalog asks of a database besides SQL."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy.engine import Connection, Engine

from quacklake.catalog.location import CatalogLocation
from quacklake.kernel.errors import QuacklakeError


@dataclass(frozen=True, slots=True)
class Failure:
    """What a driver's error means: the class to raise, what happened, and what helps."""

    kind: type[QuacklakeError]
    problem: str
    hint: str = ""


class Database(Protocol):
    """One kind of database.

    An engine is made once per open catalog and shared by threads. `begin_read` runs first in
    every read; whatever is asked until the transaction ends must see one state.
    """

    default_schema: str | None
    makes_tables_in_transactions: bool

    def engine(self, location: CatalogLocation, *, read_only: bool, may_create: bool) -> Engine:
        """A pooled engine; `may_create` allows a missing database file to be made."""
        ...

    def turn(self, location: CatalogLocation) -> AbstractContextManager[object]:
        """Held around a writing transaction by databases that let two writers begin and one fail.

        `Busy` if the turn does not come in time.
        """
        ...

    def begin_write(self, connection: Connection, schema: str | None) -> None:
        """Start a transaction that changes the catalog in `schema` and sees what others committed.

        Of two writers that insert one snapshot id, the later waits for the earlier or fails.
        """
        ...

    def begin_read(self, connection: Connection) -> None:
        """Start a transaction that sees one state and changes nothing."""
        ...

    def batch(self, connection: Connection) -> AbstractContextManager[object]:
        """Statements whose answers nobody needs; an error may come at the end of the block."""
        ...

    def creation(self, connection: Connection) -> AbstractContextManager[object]:
        """A transaction in which at most one of two creators is at work; it commits at the end."""
        ...

    def failure(self, error: BaseException) -> Failure:
        """What a driver's error means, judged by its code or class."""
        ...

"""Errors of drivers become errors of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from quacklake.catalog.backends import Database, Failure
from quacklake.catalog.location import CatalogLocation
from quacklake.kernel.errors import Busy, Unavailable


def failure_of(error: DBAPIError, database: Database) -> Failure:
    """What a driver's error means; a connection that broke has changed nothing."""
    if error.connection_invalidated:
        return Failure(Busy, "the connection to the catalog was lost", "try again")
    return database.failure(error.orig or error)


@contextmanager
def translated(database: Database, location: CatalogLocation) -> Iterator[None]:
    """Raise what a driver's error means, with the location and never with the driver's words."""
    try:
        yield
    except DBAPIError as error:
        cause = error.orig or error
        failure = failure_of(error, database)
        raise failure.kind(
            f"{failure.problem} at '{location}'", hint=failure.hint, location=str(location)
        ) from cause
    except SQLAlchemyError as error:
        raise Unavailable(
            f"the catalog database cannot be used at '{location}'", location=str(location)
        ) from error

"""Errors of drivers become errors of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from quacklake.catalog.backends import Database
from quacklake.catalog.location import CatalogLocation
from quacklake.kernel.errors import Unavailable


@contextmanager
def translated(database: Database, location: CatalogLocation) -> Iterator[None]:
    """Raise what a driver's error means, with the location and never with the driver's words."""
    try:
        yield
    except DBAPIError as error:
        cause = error.orig or error
        failure = database.failure(cause)
        raise failure.kind(
            f"{failure.problem} at '{location}'", hint=failure.hint, location=str(location)
        ) from cause
    except SQLAlchemyError as error:
        raise Unavailable(
            f"the catalog database cannot be used at '{location}'", location=str(location)
        ) from error

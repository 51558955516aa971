"""One suite over every kind of catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from quacklake.catalog import Backend, CatalogReader, open_catalog
from tests.support.lakes import ALL, Lakes, Place, lakes_on


@pytest.fixture(params=ALL, ids=lambda backend: backend.name.lower())
def lakes(request: pytest.FixtureRequest, tmp_path: Path) -> Lakes:
    """Places for lakes on each kind of catalog in turn."""
    return lakes_on(request.param, request, tmp_path)


@pytest.fixture(
    params=[backend for backend in ALL if backend is not Backend.MYSQL],
    ids=lambda backend: backend.name.lower(),
)
def attachable(request: pytest.FixtureRequest, tmp_path: Path) -> Lakes:
    """Places on the catalogs that the extension can read and write fully."""
    return lakes_on(request.param, request, tmp_path)


@pytest.fixture
def reader_of() -> Iterator[Callable[[Place], CatalogReader]]:
    """Opens a lake for the length of a test."""
    with ExitStack() as opened:

        def open_reader(place: Place) -> CatalogReader:
            catalog = opened.enter_context(open_catalog(place.location, read_only=True))
            return opened.enter_context(catalog.read())

        yield open_reader

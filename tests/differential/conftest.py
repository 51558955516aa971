"""What the differential tests share: a workshop for every catalog the extension can write."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.workshop import CATALOGS, Workshop


@pytest.fixture(scope="session", params=CATALOGS)
def workshop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workshop]:
    """A maker of lakes on one kind of catalog."""
    server = request.getfixturevalue("postgres") if request.param == "postgres" else None
    made = Workshop(request.param, tmp_path_factory.mktemp(request.param), server)
    yield made
    made.close()

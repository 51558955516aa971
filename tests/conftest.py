"""Servers that the tests of one process share, started when first asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.support.mariadb import MariaDBServer, mariadb_program
from tests.support.objectstore import ObjectStore
from tests.support.postgres import PostgresServer
from tests.support.servers import MEMORY

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "unshrunk",
    settings.get_profile("house"),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
settings.load_profile("house")

if MEMORY is not None:
    # Lakes are made by the thousand, and a commit waits for the disk.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# No test trusts a certificate, and for each connection PyMySQL reads all there are, for 70 ms.
os.environ["SSL_CERT_FILE"] = os.devnull

# Processes that tests start would each compile all that they import, for three seconds.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

os.environ["SPARK_CONF_DIR"] = str(Path(__file__).parent / "support" / "spark_defaults")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--regen-golden` accepts what golden tests see now as what they should see."""
    parser.addoption("--regen-golden", action="store_true", help="write golden files anew")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server."""
    server = PostgresServer()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def mariadb() -> Iterator[MariaDBServer]:
    """A MariaDB server, where its programs are installed."""
    if mariadb_program() is None:
        pytest.skip("MariaDB is not installed on this machine")
    server = MariaDBServer()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def object_store() -> Iterator[ObjectStore]:
    """An S3 server."""
    server = ObjectStore()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A Spark session on two cores of this machine."""
    from tests.support.spark import start

    session = start()
    yield session
    session.stop()

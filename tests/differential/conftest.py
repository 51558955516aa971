"""What the differential tests share: workshops, and the conformance report."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.conformance import REPORT, Conformance
from tests.support.workshop import CATALOGS, Workshop

_SEEN = Conformance()


@pytest.fixture(scope="session", params=CATALOGS)
def workshop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workshop]:
    """A maker of lakes on one kind of catalog that the extension writes."""
    server = request.getfixturevalue("postgres") if request.param == "postgres" else None
    made = Workshop(request.param, tmp_path_factory.mktemp(request.param), postgres=server)
    yield made
    made.close()


@pytest.fixture(scope="session")
def mysql_workshop(mariadb, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    """A maker of lakes whose catalogs end up in MySQL."""
    made = Workshop("mysql", tmp_path_factory.mktemp("mysql"), mariadb=mariadb)
    yield made
    made.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The flag that writes the report."""
    text = "write docs/reference/conformance.md from what test_features.py sees"
    parser.addoption("--write-conformance", action="store_true", help=text)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Collect what tests saw, also from other processes."""
    if report.when == "call":
        _SEEN.take(report.user_properties)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Write the report where all tests have been collected, unless the run was cut short."""
    wanted = session.config.getoption("--write-conformance", default=False)
    complete = exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}
    if wanted and complete and not hasattr(session.config, "workerinput"):
        REPORT.parent.mkdir(parents=True, exist_ok=True)
        REPORT.write_text(_SEEN.report())

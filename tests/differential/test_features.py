"""Every feature of the format, on every catalog, through every way to read.

Ways to read share all that knows the catalog: `to_arrow` is tried on each, the others on the
catalogs in turn, and on each with `QUACKLAKE_LONG=1`. `--write-conformance` tries all of them on
each, and writes what was seen to `docs/reference/conformance.md`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

import quacklake as ql
from tests.support.conformance import PROPERTY, REPORT, UNTRIED, features_in, listed
from tests.support.features import FEATURES
from tests.support.read_paths import READ_PATHS
from tests.support.workshop import CATALOGS, MadeLake


@pytest.mark.slow
@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.id)
def test_a_feature_reads_as_the_extension_reads_it(workshop, feature, record_property, all_paths):
    _check(workshop, feature, record_property, all_paths=all_paths)


@pytest.mark.slow
@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.id)
def test_a_feature_reads_the_same_from_mysql(mysql_workshop, feature, record_property, all_paths):
    _check(mysql_workshop, feature, record_property, all_paths=all_paths)


@pytest.fixture
def all_paths(request) -> bool:
    return "QUACKLAKE_LONG" in os.environ or request.config.getoption("--write-conformance")


def _paths(kind, feature) -> list[str]:
    """The ways to read a feature on a kind of catalog."""
    possible = [each for each in (*CATALOGS, "mysql") if each not in feature.impossible_on]
    turn = possible[FEATURES.index(feature) % len(possible)]
    return list(READ_PATHS) if kind == turn else ["to_arrow"]


def _check(workshop, feature, record_property, *, all_paths) -> None:
    if workshop.kind in feature.impossible_on:
        pytest.skip(f"the extension cannot make it on {workshop.kind}")
    with workshop.lake(feature.history()) as made:
        assert not made.told.tally.refused
        assert not [reading.complaint for reading in made.told.readings if not reading.answer]
        paths = READ_PATHS if all_paths else _paths(workshop.kind, feature)
        with ql.connect(made.url, read_only=True) as lake:
            failures = {path: list(_failures(lake, made, path)) for path in paths}

    seen = {
        "feature": feature.id,
        "catalog": workshop.kind,
        "version": made.told.version,
        "paths": {path: not found for path, found in failures.items()},
    }
    record_property(PROPERTY, seen)
    assert not {path: found for path, found in failures.items() if found}


def _failures(lake: ql.Lake, made: MadeLake, path: str) -> Iterator[str]:
    """What is wrong with a way to read: at every snapshot for Arrow, at the last for the others."""
    readings = made.told.readings
    if path != "to_arrow":
        readings = tuple({(one.schema, one.table): one for one in readings}.values())
    for reading in readings:
        try:
            yield from READ_PATHS[path](lake, made, reading)
        except Exception as error:  # noqa: BLE001 - whatever it is, the report must say so
            yield f"snapshot {reading.snapshot}: {error!r}"


def test_the_report_lists_exactly_the_features_of_this_suite():
    assert features_in(REPORT.read_text()) == listed()


def test_the_report_is_of_a_run_that_left_nothing_out():
    assert f"| {UNTRIED} |" not in REPORT.read_text()

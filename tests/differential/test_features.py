"""Every feature of the format, on every catalog, through every way to read.

`--write-conformance` writes what was seen to `docs/reference/conformance.md`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import quacklake as ql
from tests.support.conformance import PROPERTY, REPORT, UNTRIED, features_in, listed
from tests.support.features import FEATURES
from tests.support.read_paths import READ_PATHS
from tests.support.workshop import MadeLake


@pytest.mark.slow
@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.id)
def test_a_feature_reads_as_the_extension_reads_it(workshop, feature, record_property):
    _check(workshop, feature, record_property)


@pytest.mark.slow
@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.id)
def test_a_feature_reads_the_same_from_mysql(mysql_workshop, feature, record_property):
    _check(mysql_workshop, feature, record_property)


def _check(workshop, feature, record_property) -> None:
    if workshop.kind in feature.impossible_on:
        pytest.skip(f"the extension cannot make it on {workshop.kind}")
    with workshop.lake(feature.history()) as made:
        assert not made.told.tally.refused
        assert not [reading.complaint for reading in made.told.readings if not reading.answer]
        with ql.connect(made.url, read_only=True) as lake:
            failures = {path: list(_failures(lake, made, path)) for path in READ_PATHS}

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

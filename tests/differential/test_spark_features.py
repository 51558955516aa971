"""Features of the format read through Spark, as the extension reads them.

A sample, because each takes a second; `QUACKLAKE_EXAMPLES=1` takes all of them.
"""

from __future__ import annotations

import os

import pytest

import quacklake as ql
from tests.support.features import FEATURES
from tests.support.read_paths import name_of
from tests.support.spark import ONE_WORKER, arrow_of
from tests.support.workshop import Workshop

pytestmark = [pytest.mark.slow, ONE_WORKER]
BROTLI = "files: compression"
"""Spark has no codec for it; see the test below."""
THINNED = {"types": 4, "partitions": 3, "tables": 3}
"""Of groups whose features resemble each other, one of so many is tried."""


def sample():
    known = [feature for feature in FEATURES if feature.id != BROTLI]
    every = 1 if os.environ.get("QUACKLAKE_EXAMPLES") else None
    groups = dict.fromkeys(feature.group for feature in known)
    for group in groups:
        members = [feature for feature in known if feature.group == group]
        yield from members[:: every or THINNED.get(group, 1)]


@pytest.fixture(scope="module")
def sqlite_workshop(tmp_path_factory):
    made = Workshop("sqlite", tmp_path_factory.mktemp("sqlite"))
    yield made
    made.close()


@pytest.mark.parametrize("feature", list(sample()), ids=lambda feature: feature.id)
def test_spark_reads_a_feature_as_the_extension_does(spark, sqlite_workshop, feature):
    with sqlite_workshop.lake(feature.history()) as made:
        readings = [one for one in made.told.readings if one.answer is not None]
        last = {(one.schema, one.table): one for one in readings}
        middle = {(one.schema, one.table): one for one in readings[: -len(last)]}
        with ql.connect(made.url, read_only=True) as lake:
            for reading in last.values():
                scan = table(lake, reading).scan(snapshot=reading.snapshot)

                assert not made.disagreements(reading.answer, arrow_of(scan, spark))

            for reading in middle.values():
                names = reading.identified.names
                scan = table(lake, reading).scan(names, snapshot=reading.snapshot)

                assert not made.disagreements(reading.identified, arrow_of(scan, spark))


def table(lake: ql.Lake, reading) -> ql.Table:
    return lake.table(name_of(reading), snapshot=reading.snapshot)


def test_what_spark_has_no_codec_for_is_told(spark, sqlite_workshop):
    (feature,) = (feature for feature in FEATURES if feature.id == BROTLI)
    with (
        sqlite_workshop.lake(feature.history()) as made,
        ql.connect(made.url, read_only=True) as lake,
        pytest.raises(ql.Unsupported, match="Brotli"),
    ):
        lake.sql("SELECT * FROM t", engine="spark").to_arrow()

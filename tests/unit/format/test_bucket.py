"""Buckets, by the vectors of DuckDB's own hash."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal as Number
from uuid import UUID

import pytest

from quacklake.format.bucket import bucket_of, murmur3
from quacklake.format.types import Decimal, Kind, Scalar

WHOLE = 2**31
MOMENT = datetime(2017, 11, 16, 22, 31, 8)  # noqa: DTZ001
VECTORS = [
    (34, Scalar(Kind.INT8), 2017239379),
    (34, Scalar(Kind.INT64), 2017239379),
    (34, Scalar(Kind.UINT8), -427558391),
    (34, Scalar(Kind.UINT64), -427558391),
    (34, Scalar(Kind.INT128), -427558391),
    (Number("14.20"), Decimal(9, 2), -622427183),
    (Number("14.2"), Decimal(18, 2), -622427183),
    (Number("14.2"), Decimal(38, 2), -1660625346),
    (date(2017, 11, 16), Scalar(Kind.DATE), -653330422),
    (time(22, 31, 8), Scalar(Kind.TIME), -662762989),
    (MOMENT, Scalar(Kind.TIMESTAMP), -2047944441),
    (MOMENT.replace(tzinfo=UTC), Scalar(Kind.TIMESTAMPTZ), -2047944441),
    (MOMENT, Scalar(Kind.TIMESTAMP_S), -243262269),
    (MOMENT, Scalar(Kind.TIMESTAMP_MS), -1171784138),
    ("iceberg", Scalar(Kind.VARCHAR), 1210000089),
    (UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7"), Scalar(Kind.UUID), 980414783),
    (bytes(range(4)), Scalar(Kind.BLOB), -188683207),
    (True, Scalar(Kind.BOOLEAN), 1392991556),
    (1.0, Scalar(Kind.FLOAT64), -142385009),
    (0.0, Scalar(Kind.FLOAT64), 1669671676),
    (-0.0, Scalar(Kind.FLOAT64), 1669671676),
    (float("nan"), Scalar(Kind.FLOAT64), 1428788237),
]


@pytest.mark.parametrize(("value", "lake_type", "hashed"), VECTORS)
def test_a_value_hashes_as_in_duckdb(value, lake_type, hashed):
    assert bucket_of(value, lake_type, WHOLE) == hashed & 0x7FFFFFFF
    assert bucket_of(value, lake_type, 16) == (hashed & 0x7FFFFFFF) % 16


@pytest.mark.parametrize(
    ("value", "lake_type"),
    [
        (1, Scalar(Kind.VARCHAR)),
        ("1", Scalar(Kind.INT32)),
        (True, Scalar(Kind.INT32)),
        (1, Scalar(Kind.BOOLEAN)),
        (2**70, Scalar(Kind.INT64)),
        (Number("1.5"), Scalar(Kind.INT64)),
        (Number("0.005"), Decimal(9, 2)),
        (Number("NaN"), Decimal(9, 2)),
        (1.5, Scalar(Kind.FLOAT32)),
        ("{}", Scalar(Kind.JSON)),
        (MOMENT, Scalar(Kind.TIMESTAMPTZ)),
        (MOMENT.replace(tzinfo=UTC), Scalar(Kind.TIMESTAMP)),
        (MOMENT.replace(microsecond=5), Scalar(Kind.TIMESTAMP_S)),
        (MOMENT, Scalar(Kind.TIMESTAMP_NS)),
        (MOMENT, Scalar(Kind.DATE)),
        (time(1, 2, tzinfo=UTC), Scalar(Kind.TIME)),
        (time(1, 2), Scalar(Kind.TIME_NS)),
    ],
)
def test_where_the_bytes_are_not_known_nothing_is_claimed(value, lake_type):
    assert bucket_of(value, lake_type, 8) is None


@pytest.mark.parametrize(
    ("content", "hashed"),
    [(b"", 0), (b"a", 0x3C2569B2), (b"abc", 0xB3DD93FA), (b"abcd", 0x43ED676A)],
)
def test_murmur3_of_short_contents(content, hashed):
    assert murmur3(content) == hashed

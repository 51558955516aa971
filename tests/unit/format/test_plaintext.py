"""Texts known without DuckDB are those DuckDB gives."""

from __future__ import annotations

import math
from decimal import Decimal as Number

import pyarrow as pa
import pytest

from quacklake.format.arrow import arrow_type
from quacklake.format.casting import restored, session
from quacklake.format.measuring import statistics_of
from quacklake.format.plaintext import plain_texts
from quacklake.format.types import Column, Decimal, Kind, LakeType, Scalar
from quacklake.kernel.ids import ColumnId

ENDLESS = 2**63 - 1
NUMBERS = [0, 1, -1, 7, 10**15, -(10**15), None]
MOMENTS = [0, -1, 1, 1_700_000_000_123_456, -62_135_596_800_000_001, ENDLESS, -ENDLESS, None]
DAYS = [0, -1, 20_000, -800_000, 2_900_000, 2**31 - 1, -(2**31) + 1, None]
DOUBLES = [0.0, -0.0, 0.1, 1e15, 1e16, 1.5e-5, 5e-324, 1.7976931348623157e308, math.inf, None]
CASES: list[tuple[LakeType, list[object], pa.DataType]] = [
    (Scalar(Kind.INT64), [*NUMBERS, 2**63 - 1, -(2**63)], pa.int64()),
    (Scalar(Kind.UINT64), [0, 2**64 - 1], pa.uint64()),
    (Scalar(Kind.FLOAT64), list(DOUBLES), pa.float64()),
    (Scalar(Kind.DATE), list(DAYS), pa.int32()),
    (Scalar(Kind.TIMESTAMP), list(MOMENTS), pa.int64()),
    (Scalar(Kind.TIMESTAMPTZ), list(MOMENTS), pa.int64()),
    (Scalar(Kind.TIME), [0, 1, 86_399_999_999, 43_200_000_000, None], pa.int64()),
    (
        Decimal(18, 3),
        [Number("0.000"), Number("-0.001"), Number("12.5"), None],
        pa.decimal128(18, 3),
    ),
    (Decimal(5, 0), [Number(0), Number(-99999)], pa.decimal128(5, 0)),
]


def by_duckdb(values: pa.Array, lake_type: LakeType) -> list[str | None]:
    typed = f"CAST({restored('c', lake_type)} AS VARCHAR) AS c"
    table = session().from_arrow(pa.table({"c": values})).project(typed).to_arrow_table()
    return table.column("c").to_pylist()


@pytest.mark.parametrize(("lake_type", "values", "carrier"), CASES, ids=lambda each: str(each)[:20])
def test_a_text_is_the_one_duckdb_casts_to(lake_type, values, carrier):
    array = pa.array(values, carrier).cast(arrow_type(lake_type))

    assert plain_texts(array, lake_type) == by_duckdb(array, lake_type)


@pytest.mark.parametrize(
    ("lake_type", "values"),
    [
        (Scalar(Kind.FLOAT64), pa.array([1.0, math.nan])),
        (Scalar(Kind.FLOAT32), pa.array([0.1], pa.float32())),
        (Scalar(Kind.BOOLEAN), pa.array([True])),
        (Decimal(4, 4), pa.array([Number("0.5000")], pa.decimal128(4, 4))),
    ],
)
def test_what_only_duckdb_knows_is_not_guessed(lake_type, values):
    assert plain_texts(values, lake_type) is None


@pytest.mark.parametrize(
    ("lake_type", "values"),
    [
        (Scalar(Kind.FLOAT64), [2.5, None, -1.0]),
        (Scalar(Kind.FLOAT64), [2.5, math.nan, -1.0]),
        (Scalar(Kind.FLOAT64), [-0.0, 3.0]),
        (Scalar(Kind.VARCHAR), ["ä", "Z", "", None]),
        (Scalar(Kind.INT32), [3, None, -4]),
        (Scalar(Kind.BOOLEAN), [True, False]),
        (Scalar(Kind.UUID), ["ffffffff-0000-0000-0000-000000000000", None]),
    ],
)
def test_bounds_of_rows_are_those_duckdb_finds(lake_type, values):
    array = pa.array(values, arrow_type(lake_type))
    column = Column(ColumnId(1), "c", lake_type)
    typed = restored("c", lake_type)
    relation = session().from_arrow(pa.table({"c": array})).project(f"{typed} AS c")
    least = relation.aggregate("CAST(min(c) AS VARCHAR), CAST(max(c) AS VARCHAR)").fetchone()

    (found,) = statistics_of((column,), pa.table({"c": array}))

    assert (found.min, found.max) == least
    assert found.null_count == values.count(None)

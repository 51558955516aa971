"""The texts of statistics are DuckDB's own, and their order is the order of the values."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quacklake.format import casting
from quacklake.format.types import Decimal, Kind, LakeType, Scalar
from quacklake.format.valuetext import decimal_text, order_of, text_of

LOWEST_DAY, HIGHEST_DAY = -2147483646, 2147483646
LOWEST_MICROSECOND, HIGHEST_MICROSECOND = -9223372022400000000, 9223372036854775806

STORED: Final[dict[Kind, tuple[pa.DataType, st.SearchStrategy[int]]]] = {
    Kind.DATE: (pa.date32(), st.integers(LOWEST_DAY, HIGHEST_DAY)),
    Kind.TIME: (pa.time64("us"), st.integers(0, 86_400_000_000)),
    Kind.TIMESTAMP: (
        pa.timestamp("us"),
        st.integers(LOWEST_MICROSECOND, HIGHEST_MICROSECOND),
    ),
    # DuckDB's calendar for these counts in doubles and is a millisecond off in far years.
    Kind.TIMESTAMPTZ: (pa.timestamp("us", tz="UTC"), st.integers(-(10**17), 10**17)),
    Kind.TIMESTAMP_MS: (pa.timestamp("ms"), st.integers(-(10**15), 10**15)),
    Kind.TIMESTAMP_NS: (pa.timestamp("ns"), st.integers(-(2**63) + 10**14, 2**63 - 2)),
}


def duckdb_text(values: list[int] | list[float], kind: pa.DataType) -> list[str]:
    """How DuckDB prints values."""
    return casting.cast(pa.array(values, kind), Scalar(Kind.VARCHAR)).to_pylist()


@pytest.mark.parametrize("kind", STORED)
@given(data=st.data())
def test_moments_have_the_text_duckdb_prints(kind: Kind, data: st.DataObject) -> None:
    arrow, numbers = STORED[kind]
    near_the_epoch = st.integers(-(10**7), 10**7).map(
        lambda n: n if kind is not Kind.TIME else abs(n)
    )
    values = data.draw(st.lists(numbers | near_the_epoch, min_size=1, max_size=20))

    assert [text_of(value, Scalar(kind)) for value in values] == duckdb_text(values, arrow)


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_doubles_have_the_text_duckdb_prints(values: list[float]) -> None:
    values = [value + 0.0 for value in values]

    assert [text_of(v, Scalar(Kind.FLOAT64)) for v in values] == duckdb_text(values, pa.float64())


@given(st.lists(st.floats(allow_nan=False, width=32), min_size=1))
@example([387470.875, 40398968.0])
def test_floats_have_a_text_duckdb_reads_and_never_prints_shorter(values: list[float]) -> None:
    # Of two digits that a float does not tell apart, DuckDB's printer sometimes keeps both.
    texts = [text_of(value + 0.0, Scalar(Kind.FLOAT32)) for value in values]
    printed = duckdb_text([value + 0.0 for value in values], pa.float32())

    assert casting.cast(pa.array(texts), Scalar(Kind.FLOAT32)).to_pylist() == values
    assert all(len(ours) <= len(theirs) for ours, theirs in zip(texts, printed, strict=True))


@pytest.mark.parametrize(
    ("unscaled", "scale", "text"),
    [
        (0, 3, "0.000"),
        (-1, 2, "-0.01"),
        (150, 2, "1.50"),
        (7, 0, "7"),
        (-(10**37), 37, "-1." + "0" * 37),
    ],
)
def test_decimals_keep_all_their_digits(unscaled: int, scale: int, text: str) -> None:
    assert decimal_text(unscaled, scale) == text


@pytest.mark.parametrize("kind", STORED)
@given(data=st.data())
def test_the_order_of_texts_is_the_order_of_moments(kind: Kind, data: st.DataObject) -> None:
    numbers = STORED[kind][1]
    left, right = data.draw(numbers), data.draw(numbers)

    first, second = (order_of(text_of(n, Scalar(kind)) or "", Scalar(kind)) for n in (left, right))

    assert first is not None
    assert second is not None
    assert (first < second) == (left < right)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("lake_type", "ascending"),
    [
        (Scalar(Kind.INT64), ["-10", "-9", "0", "9", "10"]),
        (Scalar(Kind.UINT64), ["0", "9", "18446744073709551615"]),
        (Scalar(Kind.FLOAT64), ["-inf", "-1e+300", "-0.5", "0.0", "1e-07", "2.0", "10.0", "inf"]),
        (Decimal(10, 2), ["-10.00", "-9.99", "0.00", "9.99", "10.00"]),
        (Scalar(Kind.BOOLEAN), ["0", "1"]),
        (Scalar(Kind.BOOLEAN), ["false", "true"]),
        (Scalar(Kind.BOOLEAN), ["0", "true"]),
        (
            Scalar(Kind.DATE),
            ["-infinity", "0044-03-15 (BC)", "0001-01-01", "12345-01-01", "infinity"],
        ),
        (Scalar(Kind.TIMESTAMP), ["0002-01-01 (BC) 00:00:00", "0001-01-01 (BC) 00:00:00.5"]),
        (Scalar(Kind.TIMESTAMPTZ), ["2020-01-01 00:00:00+02", "2020-01-01 00:00:00+00"]),
        (Scalar(Kind.TIME), ["00:00:00.5", "23:59:59", "24:00:00"]),
        (Scalar(Kind.VARCHAR), ["", "Z", "a", "é", "€", "😀"]),
    ],
    ids=str,
)
def test_texts_compare_as_their_type_does(lake_type: LakeType, ascending: list[str]) -> None:
    keys = [order_of(text, lake_type) for text in ascending]

    assert None not in keys
    assert keys == sorted(keys)  # type: ignore[type-var]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("lake_type", "text"),
    [
        (Scalar(Kind.INT32), "many"),
        (Scalar(Kind.FLOAT64), "nan"),
        (Scalar(Kind.DATE), "yesterday"),
        (Scalar(Kind.TIME), "noon"),
        (Scalar(Kind.BOOLEAN), "maybe"),
        (Decimal(4, 1), "1/0"),
    ],
    ids=str,
)
def test_a_text_that_is_no_value_has_no_order(lake_type: LakeType, text: str) -> None:
    assert order_of(text, lake_type) is None


def test_text_with_nul_has_no_statistic() -> None:
    assert text_of(b"a\0b", Scalar(Kind.VARCHAR)) is None

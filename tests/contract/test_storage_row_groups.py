"""Row groups are left out when their statistics allow it, and only then."""

from __future__ import annotations

import base64
from datetime import date, datetime
from decimal import Decimal as Number
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quacklake.format.predicate import (
    ANYTHING,
    NOTHING,
    AllOf,
    AnyOf,
    Compare,
    Comparison,
    Constant,
    IsNotNull,
    IsNull,
    OneOf,
    Predicate,
)
from quacklake.format.types import Column, Decimal, Kind, LakeType, Scalar
from quacklake.kernel.ids import ColumnId
from quacklake.storage import Storage, open_parquet
from quacklake.storage.rowgroups import surviving_row_groups

EQ, NE, LT, LE, GT, GE = Comparison
INT64: Final = Scalar(Kind.INT64)
EVERY: Final = [0, 1, 2]


def column(lake_type: LakeType = INT64) -> Column:
    return Column(ColumnId(1), "x", lake_type)


def surviving(folder: Path, values: pa.Array, predicate: Predicate, **options: Any) -> list[int]:
    """Which of three equal row groups survive."""
    path = folder / "rows.parquet"
    table = pa.table({"x": values})
    pq.write_table(table, path, row_group_size=len(values) // 3, **options)
    source = open_parquet(Storage(), str(path))
    fields = {ColumnId(1): source.schema.fields[0]}
    found = surviving_row_groups(source, predicate, fields)
    source.close()
    return found


NUMBERS: Final = pa.array([1, 2, 3, 4, None, 6, None, None, None], pa.int64())


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (ANYTHING, EVERY),
        (NOTHING, []),
        (Compare(column(), EQ, 2), [0]),
        (Compare(column(), EQ, 5), [1]),
        (Compare(column(), EQ, 7), []),
        (Compare(column(), NE, 7), [0, 1]),
        (Compare(column(), LT, 4), [0]),
        (Compare(column(), LT, 1), []),
        (Compare(column(), LE, 4), [0, 1]),
        (Compare(column(), GT, 3), [1]),
        (Compare(column(), GE, 3), [0, 1]),
        (OneOf(column(), (0, 6)), [1]),
        (IsNull(column()), [1, 2]),
        (IsNotNull(column()), [0, 1]),
        (AllOf((Compare(column(), GT, 1), IsNull(column()))), [1]),
        (AnyOf((Compare(column(), LT, 2), IsNull(column()))), [0, 1, 2]),
    ],
)
def test_groups_that_cannot_match_are_left_out(
    predicate: Predicate, expected: list[int], tmp_path: Path
) -> None:
    assert surviving(tmp_path, NUMBERS, predicate) == expected


@pytest.mark.parametrize(
    ("lake_type", "values", "constant"),
    [
        (Scalar(Kind.UINT64), pa.array([1, 5, 2**64 - 1], pa.uint64()), 5),
        (Scalar(Kind.INT64), pa.array([1, 5, 9], pa.int32()), 5),
        (Scalar(Kind.FLOAT64), pa.array([1.0, 5.0, 9.0]), 5.0),
        (Scalar(Kind.FLOAT64), pa.array([1.0, 5.0, 9.0], pa.float32()), 5.0),
        (Decimal(9, 2), pa.array([1, 5, 9], pa.decimal128(5, 1)), Number(5)),
        (Scalar(Kind.VARCHAR), pa.array(["a", "é", "ü"]), "é"),
        (Scalar(Kind.BLOB), pa.array([b"a", b"\xc3", b"\xff"]), b"\xc3"),
        (Scalar(Kind.DATE), pa.array([-700_000, 0, 2**31 - 1], pa.date32()), date(1970, 1, 1)),
        (
            Scalar(Kind.TIMESTAMP_NS),
            pa.array([0, 10**18, 2 * 10**18], pa.timestamp("ns")),
            datetime.fromisoformat("2001-09-09T01:46:40"),
        ),
        (Scalar(Kind.BOOLEAN), pa.array([False, True, False]), True),
    ],
)
def test_each_type_is_compared_in_its_own_order(
    lake_type: LakeType, values: pa.Array, constant: Constant, tmp_path: Path
) -> None:
    assert surviving(tmp_path, values, Compare(column(lake_type), EQ, constant)) == [1]


@pytest.mark.parametrize("op", [GT, GE, NE])
def test_a_group_may_hold_nan_that_no_statistic_mentions(op: Comparison, tmp_path: Path) -> None:
    values = pa.array([1.0, float("nan"), 1.0, 1.0, 1.0, 1.0])

    assert surviving(tmp_path, values, Compare(column(Scalar(Kind.FLOAT64)), op, 1.0)) == EVERY


def test_without_statistics_everything_survives(tmp_path: Path) -> None:
    found = surviving(tmp_path, NUMBERS, Compare(column(), EQ, 99), write_statistics=False)

    assert found == EVERY


def test_a_column_the_file_does_not_have_proves_nothing(tmp_path: Path) -> None:
    other = Column(ColumnId(2), "y", INT64)

    assert surviving(tmp_path, NUMBERS, IsNull(other)) == EVERY
    assert surviving(tmp_path, NUMBERS, Compare(other, EQ, 1)) == EVERY


@pytest.mark.parametrize(
    "values",
    [
        pa.array([[1], [2], [3]]),
        pa.array([{"x": 1}, {"x": 2}, {"x": 3}]),
        pa.array([b"1" * 16, b"2" * 16, b"3" * 16], pa.binary(16)),
        pa.array(["1", "2", "3"]),
        pa.array([1.0, 2.0, 3.0]),
    ],
)
def test_what_does_not_compare_exactly_proves_nothing(values: pa.Array, tmp_path: Path) -> None:
    assert surviving(tmp_path, values, Compare(column(), EQ, 99)) == EVERY


def test_sealed_files_are_pruned_by_their_own_footer(tmp_path: Path) -> None:
    path, key = tmp_path / "sealed.parquet", bytes(range(16))
    with duckdb.connect() as connection:
        connection.execute("SET force_mbedtls_unsafe = true")
        connection.execute(
            f"COPY (SELECT range AS x FROM range(6144)) TO '{path}' (FORMAT parquet, "
            "ROW_GROUP_SIZE 2048, ENCRYPTION_CONFIG {footer_key_value: $key})",
            {"key": key},
        )
    source = open_parquet(Storage(), str(path), encryption_key=base64.b64encode(key).decode())
    fields = {ColumnId(1): source.schema.fields[0]}

    found = surviving_row_groups(source, Compare(column(), EQ, 3000), fields)

    assert found == [1]
    source.close()

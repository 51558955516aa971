"""Files added as they are: the same rows in the catalog as the extension writes, and right ones."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import quacklake as ql
from quacklake.client.lake import Lake
from quacklake.kernel.errors import UsageError
from tests.support.metadata import differences, metadata_rows
from tests.support.referee import Referee

DAY, LONG_AGO = (dt.datetime(year, 1, 1, 1, 2, 3, 4, dt.UTC) for year in (2021, 1900))
ROWS = pa.table(
    {
        "i": pa.array([1, None, 3], pa.int32()),
        "s": ["a", "bb", None],
        "n": [{"x": 1, "y": [1, 2]}, {"x": None, "y": []}, None],
        "m": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int64())),
        "dec": pa.array([Decimal("1.50"), None, Decimal("-2.00")], pa.decimal128(9, 2)),
        "ts": pa.array([DAY, None, LONG_AGO], pa.timestamp("us")),
        "tz": pa.array([DAY, None, LONG_AGO], pa.timestamp("us", tz="UTC")),
        "ms": pa.array([5, None, -5000], pa.timestamp("ms")),
        "b": [True, False, None],
        "da": [dt.date(2020, 1, 1), None, dt.date(1960, 1, 1)],
        "t": pa.array([1, 2, 3], pa.time64("us")),
        "u8": pa.array([1, 200, None], pa.uint8()),
        "u64": pa.array([2**63 + 5, 200, None], pa.uint64()),
        "empty": pa.array([None] * 3, pa.int32()),
    }
)
COLUMNS = (
    "i BIGINT, s VARCHAR, n STRUCT(x BIGINT, y BIGINT[]), m MAP(VARCHAR, BIGINT), "
    "dec DECIMAL(12, 2), ts TIMESTAMP, tz TIMESTAMPTZ, ms TIMESTAMP_MS, b BOOLEAN, da DATE, "
    "t TIME, u8 UTINYINT, u64 UBIGINT, empty INTEGER"
)


@contextmanager
def lakes(tmp_path: Path, columns: str) -> Iterator[tuple[Lake, Referee]]:
    with (
        ql.connect(f"sqlite:///{tmp_path}/ours.sqlite", data_path=f"{tmp_path}/ours/") as ours,
        Referee(f"sqlite:{tmp_path}/theirs.sqlite", data_path=f"{tmp_path}/theirs/") as theirs,
    ):
        for execute in (ours.sql, theirs.execute):
            execute(f"CREATE TABLE t ({columns})")
        yield ours, theirs


def written(place: Path, table: pa.Table, **options: Any) -> str:
    place.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, place, **options)
    return str(place)


def add(ours: Lake, theirs: Referee, files: list[str], *words: str) -> None:
    """The same call to both."""
    ours.table("t").add_data_files(files, **dict.fromkeys(words, True))
    given = "".join(f", {word} => true" for word in words)
    theirs.execute(f"CALL ducklake_add_data_files('lake', 't', {files}{given})")


def found(tmp_path: Path) -> list[str]:
    catalogs = (metadata_rows(f"{tmp_path}/{who}.sqlite") for who in ("ours", "theirs"))
    return differences(*catalogs, {})


def test_both_write_the_same_rows_about_a_file(tmp_path: Path) -> None:
    files = [
        written(tmp_path / "files" / "1.parquet", ROWS),
        written(tmp_path / "files" / "2.parquet", pa.concat_tables([ROWS, ROWS]), row_group_size=3),
        written(
            tmp_path / "files" / "3.parquet", ROWS.rename_columns([*"ISNM", *ROWS.column_names[4:]])
        ),
    ]
    with lakes(tmp_path, COLUMNS) as (ours, theirs):
        add(ours, theirs, [*files, files[0]])

    assert "\n".join(found(tmp_path)) == ""


def test_a_value_in_the_path_is_a_bound_too(tmp_path: Path) -> None:
    file = written(tmp_path / "files" / "p=3" / "1.parquet", pa.table({"i": [1], "q": ["x"]}))
    none = written(
        tmp_path / "files" / "p=__HIVE_DEFAULT_PARTITION__" / "q=x%20y" / "1.parquet",
        pa.table({"i": [2]}),
    )
    with lakes(tmp_path, "i BIGINT, p INTEGER, q VARCHAR") as (ours, theirs):
        add(ours, theirs, [file], "hive_partitioning")
        assert "\n".join(found(tmp_path)) == ""

        ours.table("t").add_data_files([none], hive_partitioning=True)

    with Referee(f"sqlite:{tmp_path}/ours.sqlite") as reader:
        assert reader.rows("SELECT i FROM t WHERE p IS NULL") == [(2,)]
        assert reader.rows("SELECT i FROM t WHERE q = 'x y'") == [(2,)]
        assert reader.rows("SELECT i FROM t WHERE p = 3 AND q = 'x'") == [(1,)]


OURS = 5
"""The row that is there before the file, and keeps the table's statistics known."""
FILTERS = [
    ("d > 100", [0]),
    ("d < 0", []),
    ("d = 'NaN'", [0]),
    ("f < 0.2", [0, 1]),
    ("wide = '7'", [1]),
    ("late >= '2020-01-01'", [0]),
    ("missing IS NULL", [0, 1]),
    ("missing = 'here'", [5]),
    ("short = 2.5", [0]),
    ("k IS NOT NULL", [0, 1, 5]),
]


@pytest.mark.parametrize(("condition", "expected"), FILTERS, ids=str)
def test_bounds_never_hide_a_row(condition: str, expected: list[int], tmp_path: Path) -> None:
    table = pa.table(
        {
            "k": [0, 1],
            "d": [float("nan"), 1.0],
            "f": pa.array([0.1, 0.1], pa.float32()),
            "wide": ["x" * 300, "7"],
            "late": pa.array([1_600_000_000_000_000_001, 0], pa.timestamp("ns")),
            "short": pa.array([Decimal("2.5"), Decimal("-1.0")], pa.decimal128(9, 1)),
        }
    )
    columns = (
        "k INTEGER, d DOUBLE, f DOUBLE, wide VARCHAR, late TIMESTAMP, missing VARCHAR, "
        "short DECIMAL(9, 2)"
    )
    with lakes(tmp_path, columns) as (ours, _):
        ours.sql("INSERT INTO t SELECT 5, 1, 1, 'w', '1999-01-01', 'here', 1 FROM range(1)")
        file = written(tmp_path / "files" / "1.parquet", table)
        ours.table("t").add_data_files([file], allow_missing=True)

        mine = ours.table("t").scan(["k"], filter=condition).to_arrow()["k"].to_pylist()
    with Referee(f"sqlite:{tmp_path}/ours.sqlite") as reader:
        other = reader.rows(f"SELECT k FROM t WHERE {condition} ORDER BY k")

    # DuckDB believes the upper bound in the file's own footer, which leaves NaN out.
    assert sorted(mine) == [k for (k,) in other] or condition in ("d > 100", "d = 'NaN'")
    assert [k for k in sorted(mine) if k != OURS] == [k for k in expected if k != OURS]


def test_null_where_none_may_be_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "files" / "1.parquet", pa.table({"i": [1, None]}))
    with lakes(tmp_path, "i BIGINT NOT NULL") as (ours, _):
        with pytest.raises(UsageError, match=r"column 'i' of file .* has NULLs"):
            ours.table("t").add_data_files([file])
        with pytest.raises(UsageError, match=r"column 'i' of file .* has NULLs"):
            ours.table("t").add_data_files(
                [written(tmp_path / "files" / "2.parquet", pa.table({"j": [1]}))],
                allow_missing=True,
                ignore_extra_columns=True,
            )

        assert ours.table("t").scan().to_arrow().num_rows == 0


def test_a_path_that_says_no_value_of_the_column_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "files" / "p=three" / "1.parquet", pa.table({"i": [1]}))
    with (
        lakes(tmp_path, "i BIGINT, p INTEGER") as (ours, _),
        pytest.raises(UsageError, match="'p'"),
    ):
        ours.table("t").add_data_files([file], hive_partitioning=True)

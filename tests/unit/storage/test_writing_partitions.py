"""Every row goes to the partition DuckDB would put it in."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, time
from decimal import Decimal as Number
from typing import Any, Final
from uuid import UUID

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quacklake.format import casting
from quacklake.format.arrow import arrow_type
from quacklake.format.bucket import bucket_of, murmur3
from quacklake.format.partition import Bucket, Part, PartitionKey, PartitionSpec, Transform
from quacklake.format.types import Column, Decimal, Kind, LakeType, List, Scalar
from quacklake.kernel.errors import CorruptLake, Unsupported
from quacklake.kernel.ids import ColumnId, PartitionId
from quacklake.storage.writing.hashing import buckets, of_bytes, of_integers
from quacklake.storage.writing.keytext import texts_of
from quacklake.storage.writing.partitions import Key, folder_names, folders, keys_of, split

NOON: Final = datetime(2017, 11, 16, 22, 31, 8)  # noqa: DTZ001 - a timestamp without zone


def column(name: str, lake_type: LakeType, number: int = 1) -> Column:
    return Column(ColumnId(number), name, lake_type)


def partitions(values: pa.Array, lake_type: LakeType, transform: Transform) -> Counter[str | None]:
    """How many values are in every partition."""
    batch = pa.RecordBatch.from_arrays([values], names=["c"])
    key = Key(0, column("c", lake_type), transform)
    return Counter({found[0]: part.num_rows for found, part in split(batch, [key])})


def duckdb_parts(values: pa.Array, part: Part) -> Counter[str]:
    """The same, by DuckDB's own function."""
    source = casting.session().from_arrow(pa.table({"c": values}))
    return Counter(str(found) for (found,) in source.project(f"{part.value}(c)").fetchall())


@given(st.lists(st.binary(max_size=30), min_size=1))
def test_many_blobs_hash_as_one_does(values: list[bytes]) -> None:
    assert of_bytes(pa.array(values, pa.binary())).tolist() == [murmur3(each) for each in values]


def test_a_slice_of_texts_hashes_as_its_values() -> None:
    texts = ["skipped", "", "a", "größe", "four", "eightbyt"]

    found = of_bytes(pa.array(texts).slice(1))

    assert found.tolist() == [murmur3(each.encode()) for each in texts[1:]]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_many_numbers_hash_as_one_does(values: list[int]) -> None:
    expected = [murmur3(value.to_bytes(8, "little", signed=True)) for value in values]

    assert of_integers(np.array(values, np.int64)).tolist() == expected


@pytest.mark.parametrize(
    ("lake_type", "value"),
    [
        (Scalar(Kind.BOOLEAN), True),
        (Scalar(Kind.INT8), -34),
        (Scalar(Kind.INT64), 34),
        (Scalar(Kind.UINT8), 34),
        (Scalar(Kind.UINT64), 2**64 - 1),
        (Scalar(Kind.FLOAT64), 1.5),
        (Scalar(Kind.FLOAT64), -0.0),
        (Scalar(Kind.FLOAT64), float("nan")),
        (Decimal(9, 2), Number("14.20")),
        (Decimal(38, 2), Number("14.20")),
        (Scalar(Kind.VARCHAR), "iceberg"),
        (Scalar(Kind.BLOB), b"\0\1\2\3"),
        (Scalar(Kind.UUID), UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7")),
        (Scalar(Kind.DATE), date(2017, 11, 16)),
        (Scalar(Kind.TIME), time(22, 31, 8)),
        (Scalar(Kind.TIMESTAMP), NOON),
        (Scalar(Kind.TIMESTAMP_S), NOON),
        (Scalar(Kind.TIMESTAMP_MS), NOON),
        (Scalar(Kind.TIMESTAMPTZ), NOON.replace(tzinfo=UTC)),
    ],
    ids=str,
)
def test_a_column_falls_into_the_buckets_of_its_values(lake_type: LakeType, value: Any) -> None:
    held = str(value) if isinstance(value, UUID) else value
    array = pa.array([None, held], arrow_type(lake_type))

    for count in (1, 7, 1000):
        assert buckets(array, lake_type, count)[1] == bucket_of(value, lake_type, count)


@pytest.mark.parametrize("kind", [Kind.TIMETZ, Kind.VARIANT, Kind.GEOMETRY])
def test_what_has_no_known_hash_has_no_bucket(kind: Kind) -> None:
    with pytest.raises(Unsupported):
        buckets(pa.array([b""], pa.binary()).cast(arrow_type(Scalar(kind))), Scalar(kind), 4)


@given(st.lists(st.integers(-2_000_000, 20_000_000), min_size=1, max_size=20))
@pytest.mark.parametrize("part", [Part.YEAR, Part.MONTH, Part.DAY])
def test_calendar_parts_of_dates_are_duckdbs(part: Part, days: list[int]) -> None:
    dates = pa.array(days, pa.date32())

    assert partitions(dates, Scalar(Kind.DATE), part) == duckdb_parts(dates, part)


@given(st.lists(st.integers(-(10**17), 10**17), min_size=1, max_size=20))
@pytest.mark.parametrize("part", [Part.YEAR, Part.MONTH, Part.DAY, Part.HOUR])
def test_calendar_parts_of_timestamps_are_duckdbs(part: Part, micros: list[int]) -> None:
    stamps = pa.array(micros, pa.timestamp("us"))

    assert partitions(stamps, Scalar(Kind.TIMESTAMP), part) == duckdb_parts(stamps, part)


def test_infinity_has_no_year() -> None:
    dates = pa.array([2**31 - 1, -(2**31) + 1, 0, None], pa.date32())

    assert partitions(dates, Scalar(Kind.DATE), Part.YEAR) == {None: 3, "1970": 1}


@pytest.mark.parametrize(
    ("lake_type", "values", "texts"),
    [
        (Scalar(Kind.BOOLEAN), [True, False], ["true", "false"]),
        (Scalar(Kind.UINT64), [2**64 - 1], ["18446744073709551615"]),
        (Decimal(5, 2), [Number("1.5"), Number("-0.01")], ["1.50", "-0.01"]),
        (Scalar(Kind.DATE), [date(2020, 1, 2)], ["2020-01-02"]),
        (Scalar(Kind.TIMESTAMP), [NOON], ["2017-11-16 22:31:08"]),
        (Scalar(Kind.TIMESTAMP_S), [NOON], ["2017-11-16 22:31:08"]),
        (Scalar(Kind.TIMESTAMPTZ), [NOON.replace(tzinfo=UTC)], ["2017-11-16 22:31:08+00"]),
        (Scalar(Kind.TIME), [time(1, 2, 3, 500_000)], ["01:02:03.5"]),
        (Scalar(Kind.FLOAT64), [1e300, float("nan"), -0.0], ["1e+300", "nan", "0.0"]),
        (Scalar(Kind.VARCHAR), ["", "a/b"], ["", "a/b"]),
        (Scalar(Kind.BLOB), [b"\xaa"], ["\\xAA"]),
        (Scalar(Kind.INT128), [Number(-5)], ["-5"]),
    ],
    ids=str,
)
def test_a_partition_value_is_written_as_duckdb_writes_it(
    lake_type: LakeType, values: list[Any], texts: list[str]
) -> None:
    assert texts_of(pa.array(values, arrow_type(lake_type)), lake_type) == texts


def test_rows_of_a_partition_keep_their_order() -> None:
    values = pa.array([3, 1, None, 3, 1, None, 3], pa.int64())
    rows = pa.RecordBatch.from_arrays([values, pa.array(range(7))], names=["k", "row"])
    key = Key(0, column("k", Scalar(Kind.INT64)), Part.IDENTITY)

    found = {values: part.column("row").to_pylist() for values, part in split(rows, [key])}

    assert found == {("1",): [1, 4], ("3",): [0, 3, 6], (None,): [2, 5]}


def test_several_keys_make_a_partition_of_every_combination() -> None:
    rows = pa.RecordBatch.from_pydict({"a": ["x", "x", "y", None], "b": [1, 2, 1, 1]})
    keys = [
        Key(0, column("a", Scalar(Kind.VARCHAR)), Part.IDENTITY),
        Key(1, column("b", Scalar(Kind.INT64), 2), Part.IDENTITY),
    ]

    assert {values for values, _ in split(rows, keys)} == {
        ("x", "1"),
        ("x", "2"),
        ("y", "1"),
        (None, "1"),
    }


def test_one_partition_alone_is_not_copied() -> None:
    rows = pa.RecordBatch.from_pydict({"a": ["x", "x"]})

    ((values, part),) = split(rows, [Key(0, column("a", Scalar(Kind.VARCHAR)), Part.IDENTITY)])

    assert values == ("x",)
    assert part is rows


def test_a_nested_column_is_no_partition_key() -> None:
    kind = List(column("element", Scalar(Kind.INT64), 2))
    rows = pa.RecordBatch.from_pydict({"a": [[1]]})

    with pytest.raises(Unsupported):
        list(split(rows, [Key(0, column("a", kind), Part.IDENTITY)]))


def test_text_has_no_year() -> None:
    rows = pa.RecordBatch.from_pydict({"a": ["2020"]})

    with pytest.raises(Unsupported):
        list(split(rows, [Key(0, column("a", Scalar(Kind.VARCHAR)), Part.YEAR)]))


def test_keys_follow_the_specification_and_not_the_table() -> None:
    columns = [column("a", Scalar(Kind.INT64), 1), column("b", Scalar(Kind.INT64), 2)]
    spec = PartitionSpec(
        PartitionId(1),
        (PartitionKey(1, ColumnId(1), Bucket(4)), PartitionKey(0, ColumnId(2), Part.IDENTITY)),
    )

    assert [(key.position, key.transform) for key in keys_of(spec, columns)] == [
        (1, Part.IDENTITY),
        (0, Bucket(4)),
    ]


def test_a_specification_for_another_table_is_refused() -> None:
    spec = PartitionSpec(PartitionId(1), (PartitionKey(0, ColumnId(9), Part.IDENTITY),))

    with pytest.raises(CorruptLake):
        keys_of(spec, [column("a", Scalar(Kind.INT64))])


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        ([("year", Part.IDENTITY), ("ts", Part.YEAR), ("ts2", Part.YEAR)], "year year_ts year_ts2"),
        ([("ts", Part.YEAR), ("year", Part.IDENTITY), ("ts", Part.MONTH)], "year year_year month"),
        ([("a", Bucket(4)), ("b", Bucket(8))], "bucket bucket_b"),
    ],
)
def test_folder_names_are_unique(keys: list[tuple[str, Transform]], names: str) -> None:
    made = [Key(0, column(name, Scalar(Kind.TIMESTAMP)), transform) for name, transform in keys]

    assert folder_names(made) == tuple(names.split())


@pytest.mark.parametrize(
    ("value", "folder"),
    [
        (None, "k=__HIVE_DEFAULT_PARTITION__"),
        ("", "k="),
        ("a/b=c d", "k=a%2Fb%3Dc%20d"),
        ("é~-_.", "k=%C3%A9~-_."),
        ("2020-01-01 00:00:00+00", "k=2020-01-01%2000%3A00%3A00%2B00"),
    ],
)
def test_folders_are_percent_encoded(value: str | None, folder: str) -> None:
    assert folders(["k"], (value,)) == (folder,)


def test_a_value_too_long_for_a_folder_gets_none() -> None:
    assert folders(["k"], ("x" * 300,)) == ()

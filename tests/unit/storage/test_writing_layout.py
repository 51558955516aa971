"""Values are stored as DuckDB reads them back, however they lie in memory."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quacklake.format.arrow import arrow_schema
from quacklake.format.types import Column, Decimal, Kind, LakeType, List, Map, Scalar, Struct
from quacklake.kernel.errors import UsageError
from quacklake.kernel.ids import ColumnId
from quacklake.storage.writing.encodings import encodings_of
from quacklake.storage.writing.leaves import microseconds, uuid_bytes
from quacklake.storage.writing.physical import layout_of

FOREVER = 2**63 - 1


def column(number: int, name: str, lake_type: LakeType) -> Column:
    return Column(ColumnId(number), name, lake_type)


UUIDS = column(2, "element", Scalar(Kind.UUID))
NESTED = (
    column(1, "list", List(UUIDS)),
    column(3, "struct", Struct((column(4, "dot.ted", Scalar(Kind.UUID)),))),
    column(
        5,
        "map",
        Map(
            column(6, "key", Scalar(Kind.UUID)),
            column(7, "value", List(column(8, "element", Scalar(Kind.FLOAT64)))),
        ),
    ),
    column(9, "plain", Scalar(Kind.INT32)),
)
ONE, TWO = (f"0000000{i}-0000-0000-0000-000000000000" for i in (1, 2))


def stored(columns: tuple[Column, ...], rows: list[dict[str, Any]]) -> pa.Table:
    batch = pa.RecordBatch.from_pylist(rows, schema=arrow_schema(columns))
    return layout_of(columns).table([batch])


def nested_rows() -> list[dict[str, Any]]:
    return [
        {"list": [ONE, None], "struct": {"dot.ted": ONE}, "map": [(ONE, [1.5])], "plain": 1},
        {"list": None, "struct": None, "map": None, "plain": None},
        {"list": [], "struct": {"dot.ted": None}, "map": [], "plain": 2},
        {"list": [TWO], "struct": {"dot.ted": TWO}, "map": [(TWO, None), (ONE, [])], "plain": 3},
    ]


def test_every_level_has_its_field_id_and_only_keys_are_required() -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(stored(NESTED, nested_rows()), sink, store_schema=False)

    shown = str(pq.ParquetFile(pa.BufferReader(sink.getvalue())).schema)

    for number in range(1, 10):
        assert shown.count(f"field_id={number} ") == 1, number
    assert shown.count("required") == 2  # the root and the key
    assert "required fixed_len_byte_array(16) field_id=6 key (UUID)" in shown
    assert "optional fixed_len_byte_array(16) field_id=2 element (UUID)" in shown


def test_leaf_paths_are_those_of_the_file() -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(stored(NESTED, nested_rows()), sink, store_schema=False)
    group = pq.ParquetFile(pa.BufferReader(sink.getvalue())).metadata.row_group(0)

    found = [group.column(i).path_in_schema for i in range(group.num_columns)]

    assert layout_of(NESTED).leaf_paths() == found


@given(st.lists(st.sampled_from(nested_rows()), min_size=1, max_size=8), st.data())
def test_a_slice_is_stored_like_the_rows_it_shows(
    rows: list[dict[str, Any]], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(rows)))
    batch = pa.RecordBatch.from_pylist(rows, schema=arrow_schema(NESTED))

    found = layout_of(NESTED).table([batch.slice(start)])

    expected = stored(NESTED, rows[start:])
    assert found.to_pylist() == expected.to_pylist()
    found.validate(full=True)


def test_what_a_null_hides_is_never_looked_at() -> None:
    hidden = pa.ListArray.from_arrays(
        pa.array([0, 1, 2], pa.int32()), pa.array(["not a uuid", ONE]), mask=pa.array([True, False])
    )
    columns = (NESTED[0],)
    batch = pa.RecordBatch.from_arrays(
        [hidden.cast(arrow_schema(columns).field(0).type)], schema=arrow_schema(columns)
    )

    found = layout_of(columns).table([batch]).column(0)

    assert found.null_count == 1
    assert [each.hex for each in found[1].as_py()] == [ONE.replace("-", "")]


@pytest.mark.parametrize("text", ["x" * 36, ONE.replace("-", "_"), ONE[:-1] + "g"])
def test_what_is_no_uuid_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        stored((column(1, "u", Scalar(Kind.UUID)),), [{"u": text}])


def test_other_spellings_of_uuids_are_understood() -> None:
    spellings = [ONE.upper(), ONE, "{" + ONE + "}", ONE.replace("-", "")]

    assert set(uuid_bytes(pa.array(spellings)).to_pylist()) == {bytes.fromhex(ONE.replace("-", ""))}


def test_seconds_become_microseconds_and_infinity_stays() -> None:
    seconds = pa.array([1, -1, None, FOREVER, -FOREVER], pa.timestamp("s"))

    found = microseconds(seconds).cast(pa.int64()).to_pylist()

    assert found == [1_000_000, -1_000_000, None, FOREVER, -FOREVER]


def test_seconds_beyond_all_microseconds_are_refused() -> None:
    columns = (column(1, "t", Scalar(Kind.TIMESTAMP_S)),)
    batch = pa.RecordBatch.from_arrays(
        [pa.array([2**60, FOREVER], pa.timestamp("s"))], schema=arrow_schema(columns)
    )

    with pytest.raises(UsageError):
        layout_of(columns).table([batch])


def test_dictionaries_are_for_values_that_repeat() -> None:
    columns = (
        column(1, "unique", Scalar(Kind.INT64)),
        column(2, "word", Scalar(Kind.VARCHAR)),
        column(3, "flag", Scalar(Kind.BOOLEAN)),
        column(4, "nothing", Scalar(Kind.VARCHAR)),
        column(5, "tags", List(column(6, "element", Scalar(Kind.VARCHAR)))),
    )
    count = 20_000
    batch = pa.RecordBatch.from_arrays(
        [
            pa.array(range(count)),
            pa.array([f"w{i % 50}" for i in range(count)]),
            pa.array([i % 2 == 0 for i in range(count)]),
            pa.nulls(count, pa.string()),
            pa.array([["a", None]] * count, arrow_schema(columns).field(4).type),
        ],
        schema=arrow_schema(columns),
    )
    paths = layout_of(columns).leaf_paths()

    plain = encodings_of(columns, paths, [batch], modern=False)
    modern = encodings_of(columns, paths, [batch], modern=True)

    assert plain.dictionaries == modern.dictionaries == ("word", "tags.list.element")
    assert plain.special == ()
    assert dict(modern.special)["unique"] == "DELTA_BINARY_PACKED"


def test_wide_and_short_decimals_both_have_an_encoding() -> None:
    columns = (column(1, "short", Decimal(9, 2)), column(2, "wide", Decimal(38, 2)))
    batch = pa.RecordBatch.from_pylist([], schema=arrow_schema(columns))

    found = encodings_of(columns, ["short", "wide"], [batch], modern=True)

    assert found.special == (("short", "DELTA_BINARY_PACKED"),)

"""The columns of a file as a tree."""

from __future__ import annotations

import pyarrow as pa
import pytest

from quacklake.storage.arrow_source import leaves_to_read
from quacklake.storage.schema import ParquetField, as_plain, file_schema, plain_type


def field(name: str, kind: pa.DataType, identity: int, **options: bool) -> pa.Field:
    return pa.field(name, kind, metadata={"PARQUET:field_id": str(identity)}, **options)


NESTED = pa.schema(
    [
        field("id", pa.int64(), 1),
        field("tags", pa.list_(field("element", pa.string(), 3)), 2),
        field(
            "point",
            pa.struct([field("x", pa.int32(), 5), field("y", pa.list_(pa.int32()), 6)]),
            4,
        ),
        field(
            "prices",
            pa.map_(
                field("key", pa.string(), 8, nullable=False),
                field(
                    "value",
                    pa.struct([field("net", pa.int64(), 10), pa.field("tax", pa.int64())]),
                    9,
                ),
            ),
            7,
        ),
        pa.field("unnumbered", pa.bool_()),
    ]
)


def test_every_level_has_its_field_id_and_its_leaves() -> None:
    found = [(each.name, each.field_id, each.leaves) for each in file_schema(NESTED).walk()]

    assert found == [
        ("id", 1, range(1)),
        ("tags", 2, range(1, 2)),
        ("element", 3, range(1, 2)),
        ("point", 4, range(2, 4)),
        ("x", 5, range(2, 3)),
        ("y", 6, range(3, 4)),
        ("item", None, range(3, 4)),
        ("prices", 7, range(4, 7)),
        ("key", 8, range(4, 5)),
        ("value", 9, range(5, 7)),
        ("net", 10, range(5, 6)),
        ("tax", None, range(6, 7)),
        ("unnumbered", None, range(7, 8)),
    ]


def test_files_that_look_alike_share_a_schema() -> None:
    alike = pa.schema(list(NESTED))

    assert file_schema(alike) is file_schema(NESTED)
    assert file_schema(pa.schema([NESTED.field(0)])) is not file_schema(NESTED)


def test_an_id_of_minus_one_is_none() -> None:
    schema = file_schema(pa.schema([field("id", pa.int64(), -1)]))

    assert schema.fields[0].field_id is None
    assert schema.by_id() == {}


@pytest.mark.parametrize(
    ("remembered", "plain"),
    [
        (pa.dictionary(pa.int32(), pa.string()), pa.string()),
        (pa.uuid(), pa.binary(16)),
        (pa.json_(), pa.string()),
        (pa.duration("us"), pa.int64()),
        (pa.timestamp("ms", "Europe/Berlin"), pa.timestamp("ms", "UTC")),
        (pa.timestamp("ns"), pa.timestamp("ns")),
        (pa.string_view(), pa.string()),
        (pa.binary_view(), pa.binary()),
        (pa.list_(pa.uuid(), 3), pa.list_(pa.binary(16))),
        (pa.large_list(pa.duration("s")), pa.large_list(pa.int64())),
        (pa.struct({"a": pa.uuid()}), pa.struct({"a": pa.binary(16)})),
        (pa.map_(pa.string(), pa.duration("s")), pa.map_(pa.string(), pa.int64())),
    ],
)
def test_what_an_arrow_writer_remembered_is_undone(
    remembered: pa.DataType, plain: pa.DataType
) -> None:
    assert plain_type(remembered) == plain


def test_undoing_keeps_the_values() -> None:
    words = pa.array(["a", None, "a"]).dictionary_encode()
    table = pa.table(
        {
            "word": words,
            "words": pa.ListArray.from_arrays([0, 1, 3], words).take(pa.array([0, 1, 0])),
        }
    )

    plain = as_plain(table)

    assert plain.schema.types == [pa.string(), pa.list_(pa.string())]
    assert plain.to_pylist() == table.to_pylist()


def _leaves(*path: str) -> list[int]:
    schema = file_schema(NESTED)
    level: tuple[ParquetField, ...] = schema.fields
    for name in path:
        (found,) = [each for each in level if each.name == name]
        level = found.children
    return leaves_to_read(schema, [found])


def test_a_nested_field_is_read_alone() -> None:
    assert _leaves("point", "x") == [2]
    assert _leaves("tags", "element") == [1]


def test_a_map_is_never_read_in_half() -> None:
    assert _leaves("prices", "value", "tax") == [4, 6]
    assert _leaves("prices", "key") == [4, 5, 6]

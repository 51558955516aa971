"""Rows become files on every store: all of them, in order, with what a commit must know."""

from __future__ import annotations

import pickle
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pytest

from quacklake.format.arrow import arrow_schema
from quacklake.format.files import (
    ROW_ID_FIELD,
    SNAPSHOT_ID_FIELD,
    DeleteFile,
    DeleteFormat,
)
from quacklake.format.partition import Bucket, Part, PartitionKey, PartitionSpec
from quacklake.format.types import Column, Kind, Scalar
from quacklake.kernel.errors import QuacklakeError, UsageError
from quacklake.kernel.ids import ColumnId, DeleteFileId, PartitionId, SnapshotId
from quacklake.storage import Storage, deleted_positions, open_parquet
from quacklake.storage.writing import (
    ROW_ID,
    SNAPSHOT_ID,
    WriteOptions,
    WrittenDelete,
    WrittenFile,
    write_data_files,
    write_delete_file,
)
from quacklake.storage.writing.partitions import keys_of
from quacklake.storage.writing.routing import Router
from quacklake.storage.writing.stream import Destination
from tests.support.objectstore import ObjectStore

COLUMNS: Final = (
    Column(ColumnId(1), "id", Scalar(Kind.INT64)),
    Column(ColumnId(2), "name", Scalar(Kind.VARCHAR)),
    Column(ColumnId(3), "share", Scalar(Kind.FLOAT64)),
)
BY_NAME: Final = PartitionSpec(PartitionId(7), (PartitionKey(0, ColumnId(2), Part.IDENTITY),))


@dataclass(frozen=True)
class Place:
    """A store and an empty folder in it."""

    storage: Storage
    directory: str


@pytest.fixture(params=["disk", "S3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "disk":
        return Place(Storage(), f"{tmp_path}/lake/main/t/")
    object_store: ObjectStore = request.getfixturevalue("object_store")
    directory = object_store.location(f"{tmp_path.name}/main/t/")
    return Place(Storage(object_store.options()), directory)


def rows(count: int, start: int = 0) -> pa.RecordBatch:
    numbers = range(start, start + count)
    return pa.RecordBatch.from_arrays(
        [
            pa.array(numbers, pa.int64()),
            pa.array([f"n{number % 3}" if number % 5 else None for number in numbers]),
            pa.array([number / 4 for number in numbers]),
        ],
        schema=arrow_schema(COLUMNS),
    )


def read(place: Place, file: WrittenFile) -> pa.Table:
    source = open_parquet(
        place.storage,
        file.location,
        file_size=file.file_size_bytes,
        encryption_key=file.encryption_key,
    )
    try:
        return source.read(range(len(source.row_groups)), source.schema.fields)
    finally:
        source.close()


def footer_size(place: Place, location: str) -> int:
    with place.storage.open_input(location) as handle:
        size = handle.size()
        (length,) = struct.unpack("<I", handle.read_at(4, size - 8))
    return int(length)


def locations(place: Place) -> list[str]:
    return sorted(found.location for found in place.storage.list_files(place.directory))


def test_a_file_holds_the_rows_in_order_under_their_field_ids(place: Place) -> None:
    (file,) = write_data_files(place.storage, place.directory, COLUMNS, [rows(10), rows(5, 10)])

    found = read(place, file)
    assert found.column("id").to_pylist() == list(range(15))
    assert [
        (field.name, field.metadata[b"PARQUET:field_id"]) for field in _arrow_fields(place, file)
    ] == [("id", b"1"), ("name", b"2"), ("share", b"3")]


def _arrow_fields(place: Place, file: WrittenFile) -> list[pa.Field]:
    import pyarrow.parquet as pq

    with place.storage.open_input(file.location) as handle:
        return list(pq.ParquetFile(handle).schema_arrow)


@pytest.mark.parametrize("encrypt", [False, True])
def test_sizes_and_counts_are_exact(place: Place, *, encrypt: bool) -> None:
    (file,) = write_data_files(
        place.storage, place.directory, COLUMNS, [rows(1000)], encrypt=encrypt
    )

    assert file.record_count == 1000
    assert file.file_size_bytes == place.storage.size(file.location)
    assert file.footer_size == footer_size(place, file.location)
    assert (file.encryption_key is not None) == encrypt
    assert read(place, file).num_rows == 1000


def test_no_rows_make_no_file(place: Place) -> None:
    assert write_data_files(place.storage, place.directory, COLUMNS, []) == ()
    assert write_data_files(place.storage, place.directory, COLUMNS, [rows(0)]) == ()
    assert locations(place) == []


def test_row_groups_and_files_have_the_sizes_asked_for(place: Place) -> None:
    options = WriteOptions(row_group_size=1000, target_file_size=20_000, compression="none")

    files = write_data_files(
        place.storage, place.directory, COLUMNS, [rows(700, 700 * i) for i in range(10)],
        options=options,
    )  # fmt: skip

    assert len(files) > 1
    assert all(file.file_size_bytes >= 20_000 for file in files[:-1])
    assert sum(file.record_count for file in files) == 7000
    source = open_parquet(place.storage, files[0].location)
    assert {group.row_count for group in source.row_groups} == {1000}
    source.close()


def test_wide_rows_end_a_row_group_by_their_bytes(place: Place) -> None:
    wide = pa.RecordBatch.from_arrays(
        [pa.array(range(20), pa.int64()), pa.array(["x" * 10_000] * 20), pa.array([0.5] * 20)],
        schema=arrow_schema(COLUMNS),
    )
    options = WriteOptions(row_group_size_bytes=50_000)

    (file,) = write_data_files(place.storage, place.directory, COLUMNS, [wide], options=options)

    source = open_parquet(place.storage, file.location)
    assert 4 <= len(source.row_groups) <= 6
    assert sum(group.row_count for group in source.row_groups) == 20
    source.close()


def test_a_row_wider_than_a_row_group_is_written_alone(place: Place) -> None:
    options = WriteOptions(row_group_size_bytes=1)

    (file,) = write_data_files(place.storage, place.directory, COLUMNS, [rows(3)], options=options)

    assert read(place, file).column("id").to_pylist() == [0, 1, 2]


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "zstd", "brotli", "lz4"])
@pytest.mark.parametrize("version", ["V1", "V2"])
def test_every_codec_and_version_reads_back(codec: str, version: str, tmp_path: Path) -> None:
    place = Place(Storage(), f"{tmp_path}/")
    options = WriteOptions(compression=codec, parquet_version=version)

    (file,) = write_data_files(
        place.storage, place.directory, COLUMNS, [rows(20_000)], options=options
    )

    assert read(place, file).equals(pa.Table.from_batches([rows(20_000)]))


def test_statistics_span_row_groups(place: Place) -> None:
    options = WriteOptions(row_group_size=10)

    (file,) = write_data_files(place.storage, place.directory, COLUMNS, [rows(25)], options=options)

    of_id, of_name, of_share = file.statistics
    assert (of_id.min, of_id.max, of_id.value_count, of_id.null_count) == ("0", "24", 25, 0)
    assert (of_name.min, of_name.max, of_name.null_count) == ("n0", "n2", 5)
    assert (of_share.min, of_share.max, of_share.contains_nan) == ("0.0", "6.0", False)


def test_a_column_that_meets_nan_goes_on_in_a_file_without_its_bounds(place: Place) -> None:
    shares = [0.5, 1.5, float("nan"), 2.5, 7.5, 3.5]
    batch = pa.RecordBatch.from_arrays(
        [pa.array(range(6), pa.int64()), pa.array(["x"] * 6), pa.array(shares)],
        schema=arrow_schema(COLUMNS),
    )

    files = write_data_files(
        place.storage, place.directory, COLUMNS, [batch], options=WriteOptions(row_group_size=2)
    )

    told = [(file.statistics[2].min, file.statistics[2].max) for file in files]
    assert told == [("0.5", "1.5"), ("2.5", "7.5")]
    assert [file.statistics[2].contains_nan for file in files] == [False, True]
    assert [file.record_count for file in files] == [2, 4]
    source = open_parquet(place.storage, files[1].location)
    group = source.metadata.row_group(1)
    assert group.column(0).statistics is not None
    assert group.column(2).statistics is None
    source.close()


def test_internal_columns_are_written_but_not_counted(place: Place) -> None:
    batch = rows(3)
    fields = [*batch.schema, pa.field("row", pa.int64()), pa.field("snapshot", pa.int64())]
    numbered = pa.RecordBatch.from_arrays(
        [*batch.columns, pa.array([7, 8, None], pa.int64()), pa.array([1, 1, 2], pa.int64())],
        schema=pa.schema(fields),
    )

    (file,) = write_data_files(
        place.storage, place.directory, COLUMNS, [numbered], internal=(ROW_ID, SNAPSHOT_ID)
    )

    assert [each.column for each in file.statistics] == [1, 2, 3]
    source = open_parquet(place.storage, file.location)
    ids = source.schema.by_id()
    table = source.read([0], [ids[ROW_ID_FIELD], ids[SNAPSHOT_ID_FIELD]])
    assert [column.to_pylist() for column in table.columns] == [[7, 8, None], [1, 1, 2]]
    source.close()


def test_partitions_have_files_folders_and_values_of_their_own(place: Place) -> None:
    files = write_data_files(
        place.storage, place.directory, COLUMNS, [rows(20), rows(10, 20)], partition=BY_NAME
    )

    assert [file.partition_values for file in files] == [("n0",), ("n1",), ("n2",), (None,)]
    for file in files:
        (value,) = file.partition_values
        folder = f"name={value or '__HIVE_DEFAULT_PARTITION__'}/"
        assert file.location.removeprefix(place.directory).startswith(folder)
        found = read(place, file)
        assert set(found.column("name").to_pylist()) == {value}
        assert found.column("id").to_pylist() == sorted(found.column("id").to_pylist())
    assert sum(file.record_count for file in files) == 30


def test_encrypted_partitions_do_not_tell_their_values_by_folder(place: Place) -> None:
    files = write_data_files(
        place.storage, place.directory, COLUMNS, [rows(10)], partition=BY_NAME, encrypt=True
    )

    assert all("/" not in file.location.removeprefix(place.directory) for file in files)
    assert len({file.encryption_key for file in files}) == len(files)


@pytest.mark.parametrize("memory", [1, 20_000, 1 << 30])
def test_partitions_are_whole_and_in_order_however_little_memory_there_is(
    memory: int, tmp_path: Path
) -> None:
    spec = PartitionSpec(
        PartitionId(1),
        (PartitionKey(0, ColumnId(2), Part.IDENTITY), PartitionKey(1, ColumnId(1), Bucket(30))),
    )
    storage, directory = Storage(), f"{tmp_path}/"
    options = WriteOptions(row_group_size=50)
    destination = Destination(storage, directory, COLUMNS, (), options, encrypt=False)
    router = Router(destination, keys_of(spec, COLUMNS), memory=memory)

    for start in range(0, 3000, 100):
        router.add(rows(100, start))
    router.finish()
    router.close()
    files = destination.finish()

    assert max(Counter(file.partition_values for file in files).values()) == 1
    tables = [read(Place(storage, directory), file) for file in files]
    ids = [table.column("id").to_pylist() for table in tables]
    assert all(each == sorted(each) for each in ids)
    assert sorted(number for each in ids for number in each) == list(range(3000))


def failing() -> Iterator[pa.RecordBatch]:
    yield rows(500)
    yield rows(500)
    raise ConnectionError("the source is gone")


@pytest.mark.parametrize("partition", [None, BY_NAME])
def test_a_failure_leaves_no_file_of_this_write_and_all_of_others(
    partition: PartitionSpec | None, tmp_path: Path
) -> None:
    place = Place(Storage(), f"{tmp_path}/")
    write_data_files(place.storage, place.directory, COLUMNS, [rows(3)], partition=partition)
    before = locations(place)
    options = WriteOptions(row_group_size=50, target_file_size=1)

    with pytest.raises(ConnectionError):
        write_data_files(
            place.storage, place.directory, COLUMNS, failing(), options=options, partition=partition
        )

    assert locations(place) == before


def test_a_failure_removes_what_was_uploaded(object_store: ObjectStore, tmp_path: Path) -> None:
    storage, directory = Storage(object_store.options()), object_store.location(tmp_path.name)

    with pytest.raises(ConnectionError):
        write_data_files(storage, directory, COLUMNS, failing())

    assert list(storage.list_files(directory)) == []


def wrong_batches() -> list[tuple[str, pa.RecordBatch]]:
    good = rows(2)
    return [
        ("too few columns", good.select(["id", "name"])),
        ("another type", good.set_column(0, "id", pa.array([1, 2], pa.int32()))),
    ]


@pytest.mark.parametrize("batch", [each for _, each in wrong_batches()], ids=["few", "type"])
def test_rows_of_another_shape_are_refused(batch: pa.RecordBatch, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        write_data_files(Storage(), f"{tmp_path}/t/", COLUMNS, [rows(2), batch])

    assert list(Storage().list_files(f"{tmp_path}/t/")) == []


def test_a_text_that_is_no_uuid_names_the_column(tmp_path: Path) -> None:
    columns = (Column(ColumnId(1), "key", Scalar(Kind.UUID)),)
    batch = pa.RecordBatch.from_pydict({"key": ["00000000-0000-0000-0000-00000000000g"]})

    with pytest.raises(QuacklakeError) as problem:
        write_data_files(Storage(), f"{tmp_path}/", columns, [batch])

    assert problem.value.facts["column"] == "key"
    assert "0000g" not in str(problem.value)


@pytest.mark.parametrize("tags", [None, [4, 4, 9]])
@pytest.mark.parametrize("encrypt", [False, True])
def test_a_delete_file_lists_positions_and_their_snapshots(
    place: Place, tags: list[int] | None, *, encrypt: bool
) -> None:
    positions = np.array([1, 5, 2**40], np.int64)

    written = write_delete_file(
        place.storage,
        place.directory,
        place.directory + "some.parquet",
        positions,
        None if tags is None else np.array(tags, np.int64),
        encrypt=encrypt,
    )

    assert written.delete_count == 3
    assert written.footer_size == footer_size(place, written.location)
    assert written.location.endswith("-delete.parquet")
    for at, expected in ((4, [1, 5] if tags else [1, 5, 2**40]), (9, [1, 5, 2**40])):
        found = deleted_positions(place.storage, _entered(written), SnapshotId(at))
        assert found.tolist() == expected


def _entered(written: WrittenDelete) -> DeleteFile:
    return DeleteFile(
        DeleteFileId(1),
        written.location,
        DeleteFormat.PARQUET,
        written.delete_count,
        written.file_size_bytes,
        SnapshotId(1),
        None,
        written.encryption_key,
    )


@pytest.mark.parametrize("positions", [[], [2, 1], [1, 1], [-1, 3]])
def test_positions_out_of_order_are_refused(positions: list[int], tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        write_delete_file(Storage(), f"{tmp_path}/", "x.parquet", np.array(positions, np.int64))

    assert list(Storage().list_files(f"{tmp_path}/")) == []


def test_what_is_written_travels_between_processes_and_hides_its_key(tmp_path: Path) -> None:
    (file,) = write_data_files(Storage(), f"{tmp_path}/", COLUMNS, [rows(2)], encrypt=True)

    assert pickle.loads(pickle.dumps(file)) == file
    assert str(file.encryption_key) not in repr(file)


def test_file_names_are_new_and_ordered_by_time(place: Place) -> None:
    made: list[Any] = []
    for _ in range(3):
        made += write_data_files(place.storage, place.directory, COLUMNS, [rows(1)])

    names = [file.location.rpartition("/")[2] for file in made]
    assert len(set(names)) == 3
    assert all(name.startswith("ducklake-") and name[23] == "7" for name in names)


def test_listing_and_deleting_files(place: Place) -> None:
    files = write_data_files(place.storage, place.directory, COLUMNS, [rows(10)], partition=BY_NAME)

    listed = {found.location: found for found in place.storage.list_files(place.directory)}
    assert set(listed) == {file.location for file in files}
    assert all(listed[file.location].size == file.file_size_bytes for file in files)
    assert all(found.modified is not None for found in listed.values())

    assert place.storage.delete_file(files[0].location)
    assert not place.storage.delete_file(files[0].location)
    assert not place.storage.exists(files[0].location)
    assert place.storage.exists(files[1].location)
    assert list(place.storage.list_files(place.directory + "nowhere/")) == []

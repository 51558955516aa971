"""Data files, delete files, name mappings and statistics, on every kind of catalog."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quacklake.format.files import DeleteFormat
from quacklake.format.snapshot import AtVersion, Latest
from quacklake.format.table import TableName
from quacklake.kernel.errors import CorruptLake
from quacklake.kernel.ids import MappingId, SnapshotId

NO_INLINING = "CALL lake.set_option('data_inlining_row_limit', 0)"
T = TableName("main", "t")


def _at(reader, number=None):
    return reader.snapshot(Latest() if number is None else AtVersion(SnapshotId(number)))


def test_files_appear_and_end_with_their_snapshots(lakes, reader_of):
    place = lakes.written(
        NO_INLINING,
        "CREATE TABLE t (a INT)",
        "INSERT INTO t SELECT range FROM range(10)",
        "INSERT INTO t SELECT range FROM range(100, 105)",
        "DELETE FROM t WHERE a >= 100",
    )
    reader = reader_of(place)
    table = reader.table(T, _at(reader))

    counts = {n: [f.record_count for f in reader.files(table, _at(reader, n))] for n in range(1, 5)}

    assert counts == {1: [], 2: [10], 3: [10, 5], 4: [10]}
    (file,) = reader.files(table, _at(reader))
    assert file.path.startswith(f"{place.data_path}main/t/")
    assert (file.row_id_start, file.begin_snapshot, file.delete_file) == (0, 2, None)
    assert file.file_size_bytes > (file.footer_size or 0) > 0


def test_a_delete_file_belongs_to_its_data_file_from_its_snapshot_on(lakes, reader_of):
    place = lakes.written(
        NO_INLINING,
        "CREATE TABLE t (a INT)",
        "INSERT INTO t SELECT range FROM range(100)",
        "DELETE FROM t WHERE a < 10",
        "DELETE FROM t WHERE a < 30",
    )
    reader = reader_of(place)
    table = reader.table(T, _at(reader))

    before, once, twice = (reader.files(table, _at(reader, n))[0].delete_file for n in (2, 3, 4))

    assert before is None
    assert once is not None
    assert once == twice
    assert (once.format, once.delete_count) == (DeleteFormat.PARQUET, 30)
    assert (once.begin_snapshot, once.partial_max) == (3, 4)
    assert once.path.endswith("-delete.parquet")


def test_a_data_file_with_two_delete_files_is_one_file(lakes, reader_of):
    place = lakes.written(
        "CREATE TABLE t (a INT)",
        "INSERT INTO t SELECT range FROM range(40)",
        "DELETE FROM t WHERE a < 12",
        "DELETE FROM t WHERE a IN (20, 21)",
        "CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.01)",
        "CALL ducklake_flush_inlined_data('lake', table_name => 't')",
    )
    reader = reader_of(place)
    table = reader.table(T, _at(reader))

    (file,) = reader.files(table, _at(reader, 4))

    assert file.delete_file is not None
    assert sorted(each.delete_count for each in file.delete_file.each()) == [2, 12]


def test_a_merged_file_says_which_snapshots_it_holds(lakes, reader_of):
    place = lakes.written(
        NO_INLINING,
        "CREATE TABLE t (a INT)",
        "INSERT INTO t VALUES (1)",
        "INSERT INTO t VALUES (2)",
        "CALL ducklake_merge_adjacent_files('lake')",
    )
    reader = reader_of(place)
    at = _at(reader)

    (file,) = reader.files(reader.table(T, at), at)

    assert (file.begin_snapshot, file.partial_max, file.record_count) == (2, 3, 2)


def test_an_encrypted_file_has_a_key_that_is_never_printed(attachable, reader_of):
    place = attachable.written(
        NO_INLINING, "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)", ENCRYPTED="true"
    )
    reader = reader_of(place)
    at = _at(reader)

    (file,) = reader.files(reader.table(T, at), at)

    assert file.encryption_key
    assert file.encryption_key not in repr(file)


def test_mappings_tell_where_foreign_files_keep_columns(lakes, reader_of, tmp_path):
    foreign = tmp_path / "part=7" / "f.parquet"
    foreign.parent.mkdir()
    rows = pa.table({"B": ["x"], "s": [{"q": 1}], "l": [[1, 2]]})
    pq.write_table(rows, foreign)
    place = lakes.written(
        "CREATE TABLE t (part INT, l BIGINT[], s STRUCT(q BIGINT), b VARCHAR)",
        f"CALL ducklake_add_data_files('lake', 't', '{foreign}', hive_partitioning => true)",
    )
    reader = reader_of(place)
    at = _at(reader)
    table = reader.table(T, at)

    (file,) = reader.files(table, at)
    assert file.mapping_id is not None
    mapping = reader.mapping([file.mapping_id])[file.mapping_id]

    found = {field.source_name.lower(): field for field in mapping.fields}
    assert file.path == str(foreign)
    assert found["b"].target == table.column("b").id
    assert found["part"].is_partition
    assert not found["b"].is_partition
    assert [child.target for child in found["l"].children] == [3]
    assert [(c.source_name, c.target) for c in found["s"].children] == [("q", 5)]


def test_a_mapping_the_catalog_does_not_have_is_a_corrupt_lake(lakes, reader_of):
    reader = reader_of(lakes.written("CREATE TABLE t (a INT)"))

    assert reader.mapping([]) == {}
    with pytest.raises(CorruptLake):
        reader.mapping([MappingId(99)])


def test_partition_values_are_listed_per_file(lakes, reader_of):
    place = lakes.written(
        NO_INLINING,
        "CREATE TABLE t (k VARCHAR, d DATE)",
        "ALTER TABLE t SET PARTITIONED BY (k, year(d))",
        "INSERT INTO t VALUES ('x', '2020-05-05')",
        "INSERT INTO t VALUES (NULL, '2021-05-05')",
    )
    reader = reader_of(place)
    at = _at(reader)
    table = reader.table(T, at)

    values = reader.partition_values(table, at)

    assert list(values.values()) == [("x", "2020"), (None, "2021")]
    assert {file.partition_id for file in reader.files(table, at)} == {table.partition.id}


def test_statistics_are_listed_per_file_and_for_the_table(lakes, reader_of):
    place = lakes.written(
        NO_INLINING,
        "CREATE TABLE t (a INT, f DOUBLE)",
        "INSERT INTO t VALUES (1, 0.5), (NULL, 'nan')",
        "CREATE TABLE empty (a INT)",
    )
    reader = reader_of(place)
    at = _at(reader)
    table = reader.table(T, at)

    ints, floats = reader.file_stats(table, at)
    whole = reader.table_stats(table)

    assert (ints.min, ints.max, ints.value_count, ints.null_count) == ("1", "1", 1, 1)
    assert (floats.contains_nan, ints.contains_nan) == (True, None)
    assert whole is not None
    assert (whole.record_count, whole.next_row_id, len(whole.columns)) == (2, 2, 2)
    assert reader.table_stats(reader.table(TableName("main", "empty"), at)) is None


def test_inlined_deletes_are_positions_from_their_snapshot_on(lakes, reader_of):
    place = lakes.written(
        "CREATE TABLE t (a INT)",
        "INSERT INTO t SELECT range FROM range(100)",
        "DELETE FROM t WHERE a IN (5, 50)",
        "DELETE FROM t WHERE a = 7",
    )
    reader = reader_of(place)
    table = reader.table(T, _at(reader))
    (file,) = reader.files(table, _at(reader))

    found = {n: reader.inlined_deletes(table, _at(reader, n)) for n in (2, 3, 4)}

    assert found == {2: {}, 3: {file.id: (5, 50)}, 4: {file.id: (5, 7, 50)}}


def test_a_table_described_by_another_reader_can_be_asked_about(lakes, reader_of):
    place = lakes.written(
        "CREATE TABLE t (a INT)",
        "INSERT INTO t SELECT range FROM range(100)",
        "INSERT INTO t VALUES (1000)",
        "DELETE FROM t WHERE a = 5",
    )
    first, second = reader_of(place), reader_of(place)
    at = _at(first)

    table = first.table(T, at)

    assert list(second.inlined_deletes(table, at).values()) == [(5,)]
    assert [rows.rows.num_rows for rows in second.inlined_rows(table, at)] == [1]
    assert second.partition_specs(table) == ()

"""Which files are merged and rewritten, decided without a lake."""

from __future__ import annotations

from quacklake.format.files import DataFile, DeleteFile, DeleteFormat
from quacklake.kernel.ids import DataFileId, DeleteFileId, PartitionId, SnapshotId
from quacklake.maintenance.candidates import LiveFile, merge_groups, rewrite_groups


def live(
    number: int,
    *,
    size: int = 10,
    deleted: int = 0,
    inlined: int = 0,
    version: int = 1,
    partition: int | None = None,
) -> LiveFile:
    deletes = None
    if deleted:
        deletes = DeleteFile(
            DeleteFileId(99), "d", DeleteFormat.PARQUET, deleted, 1, SnapshotId(1), None
        )
    file = DataFile(
        DataFileId(number),
        f"f{number}",
        100,
        size,
        SnapshotId(number),
        None,
        number * 100,
        partition_id=None if partition is None else PartitionId(1),
        delete_file=deletes,
    )
    values = () if partition is None else (str(partition),)
    return LiveFile(file, version, values, inlined)


def ids(groups: tuple[tuple[LiveFile, ...], ...]) -> list[list[int]]:
    return [[int(each.file.id) for each in group] for group in groups]


def test_neighbours_are_merged_until_the_target_is_reached() -> None:
    files = [live(number, size=40) for number in (3, 1, 2, 4, 5)]

    assert ids(merge_groups(files, target_size=100)) == [[1, 2, 3], [4, 5]]


def test_a_file_alone_stays_as_it_is() -> None:
    assert merge_groups([live(1)], target_size=100) == ()


def test_files_with_deletes_are_not_merged() -> None:
    files = [live(1), live(2, deleted=1), live(3, inlined=1), live(4)]

    assert ids(merge_groups(files, target_size=100)) == [[1, 4]]


def test_files_of_different_schemas_or_partitions_are_not_mixed() -> None:
    files = [live(1), live(2, version=2), live(3, partition=1), live(4, partition=2), live(5)]

    assert ids(merge_groups(files, target_size=100)) == [[1, 5]]


def test_large_files_are_left_alone() -> None:
    files = [live(1, size=100), live(2), live(3)]

    assert ids(merge_groups(files, target_size=100)) == [[2, 3]]


def test_files_are_rewritten_from_the_threshold_on() -> None:
    files = [live(1, deleted=49), live(2, deleted=30, inlined=20), live(3)]

    assert ids(rewrite_groups(files, threshold=0.5)) == [[2]]
    assert ids(rewrite_groups(files, threshold=0.0)) == [[1, 2]]

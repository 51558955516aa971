"""Which files Spark reads itself, and which go through Python workers."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from uuid import UUID

import pytest

from quacklake.engine.spark.splitting import defaulted, portions, retyped, split
from quacklake.format.files import DataFile, DeleteFile, DeleteFormat, NameMapping
from quacklake.format.snapshot import Snapshot
from quacklake.format.table import Table, TableName
from quacklake.format.types import Column, Decimal, Kind, List, Scalar, Struct, TypeEver
from quacklake.kernel.ids import (
    ColumnId,
    DataFileId,
    DeleteFileId,
    MappingId,
    SnapshotId,
    TableId,
)
from quacklake.scan.plan import FileTask, ScanPlan
from quacklake.storage import Storage, StorageOptions

AT = SnapshotId(9)


def column(kind=Kind.INT64, *, number=1, default=None):
    return Column(ColumnId(number), f"c{number}", Scalar(kind), initial_default=default)


def file(number=1, *, path=None, begin=3, size=100, **more):
    path = path or f"/lake/main/t/ducklake-{number}.parquet"
    known = {"partial_max": None, "row_id_start": 0, **more}
    return DataFile(DataFileId(number), path, 10, size, SnapshotId(begin), **known)


PLAIN = (column(),)


def found_for(tasks, columns, complete=None, settled=0):
    table = Table(TableId(1), UUID(int=1), TableName("main", "t"), "/lake/main/t/", columns)
    at = Snapshot(AT, datetime(2026, 1, 1, tzinfo=UTC), 1, 1, 1)
    plan = ScanPlan(table, at, columns, None, tasks, ())
    return split(plan, columns, Storage(StorageOptions()), complete, settled)


def split_paths(*tasks):
    return [task.file.path for task in found_for(tasks, PLAIN).worked]


def split_of(*tasks, columns=PLAIN, complete=None, settled=0):
    found = found_for(tasks, columns, complete, settled)
    return [
        tuple(int(task.file.id) for task in part)
        for part in (found.plain, found.careful, found.worked)
    ]


def deletes():
    return DeleteFile(DeleteFileId(7), "/d", DeleteFormat.PARQUET, 1, 10, AT, None)


def test_a_plain_file_is_sparks():
    assert split_of(FileTask(file())) == [(1,), (), ()]


@pytest.mark.parametrize(
    "task",
    [
        FileTask(file(delete_file=deletes())),
        FileTask(file(), deleted=(3,)),
        FileTask(file(partial_max=SnapshotId(12))),
    ],
    ids=["delete file", "inlined deletes", "rows of later snapshots"],
)
def test_a_file_of_which_rows_are_gone_is_read_with_care(task):
    assert split_of(task) == [(), (1,), ()]


def test_a_merged_file_that_is_not_newer_than_the_snapshot_is_whole():
    assert split_of(FileTask(file(partial_max=AT))) == [(1,), (), ()]


@pytest.mark.parametrize(
    "task",
    [
        FileTask(file(encryption_key="k")),
        FileTask(file(), mapping=NameMapping(MappingId(1), ())),
        FileTask(file(path="s3://bucket/t/f.parquet")),
        FileTask(file(path="/lake/a{b}/f.parquet")),
        FileTask(file(path="/lake/k=v%20w/f.parquet")),
        FileTask(file(path="/lake/t/_hidden.parquet")),
        FileTask(file(path="/lake/t/.hidden.parquet")),
        FileTask(file(path="/lake/t/a b.parquet")),
    ],
    ids=lambda task: task.file.path,
)
def test_what_the_jvm_cannot_read_goes_to_workers(task):
    assert split_of(task) == [(), (), (1,)]


@pytest.mark.parametrize("kind", [Kind.TIME, Kind.UUID, Kind.INTERVAL, Kind.TIMESTAMP_NS])
def test_types_that_sparks_reader_rejects_go_to_workers_however_deep(kind):
    inner = Column(ColumnId(2), "x", Scalar(kind))
    deep = Column(ColumnId(1), "c", List(Column(ColumnId(3), "e", Struct((inner,)))))

    assert split_of(FileTask(file()), columns=(column(kind),)) == [(), (), (1,)]
    assert split_of(FileTask(file()), columns=(deep,)) == [(), (), (1,)]


def test_two_files_of_one_name_are_not_both_sparks():
    twins = (FileTask(file(1, path="/a/f.parquet")), FileTask(file(2, path="/b/f.parquet")))

    assert split_of(*twins) == [(1,), (), (2,)]


def test_files_that_may_lack_a_column_with_a_default_go_to_workers():
    later = (column(), column(number=2, default="5"))
    files = (FileTask(file(1)), FileTask(file(2)))

    assert [found.name for found in defaulted(later)] == ["c2"]
    assert split_of(*files, columns=later, complete=frozenset({DataFileId(2)})) == [(2,), (), (1,)]


def test_files_older_than_a_change_of_type_go_to_workers():
    assert split_of(FileTask(file(1, begin=3)), FileTask(file(2, begin=5)), settled=5) == [
        (2,),
        (),
        (1,),
    ]


@pytest.mark.parametrize(
    ("before", "after", "snapshot"),
    [
        (Scalar(Kind.INT32), Scalar(Kind.INT64), 0),
        (Scalar(Kind.FLOAT32), Scalar(Kind.FLOAT64), 0),
        (Scalar(Kind.UINT32), Scalar(Kind.UINT64), 6),
        (Scalar(Kind.INT32), Scalar(Kind.JSON), 6),
        (Scalar(Kind.DATE), Scalar(Kind.TIMESTAMPTZ), 6),
        (Decimal(4, 1), Decimal(18, 6), 6),
    ],
    ids=str,
)
def test_a_change_of_type_counts_where_spark_does_not_widen(before, after, snapshot):
    now = Column(ColumnId(1), "c", after)
    ever = [
        TypeEver(ColumnId(1), before, 6),
        TypeEver(ColumnId(1), after, None),
        TypeEver(ColumnId(2), Scalar(Kind.DATE), 8),
    ]

    assert retyped([now], ever) == snapshot


def test_a_type_changed_in_the_transaction_that_asks_is_older_than_every_file():
    assert (
        retyped([column(Kind.JSON)], [TypeEver(ColumnId(1), Scalar(Kind.INT32), None)]) == math.inf
    )


def test_a_relative_path_means_the_same_to_workers(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    added = FileTask(file(path="more/f.parquet"), mapping=NameMapping(MappingId(1), ()))

    assert split_paths(added) == [f"{tmp_path}/more/f.parquet"]


def test_work_is_shared_out_evenly_and_nothing_is_lost():
    tasks = [FileTask(file(n, size=size)) for n, size in enumerate([900_000, 10, 10, 800_000, 10])]

    shares = portions(tasks, 2)

    assert len(shares) == 2
    assert sorted(int(task.file.id) for share in shares for task in share) == [0, 1, 2, 3, 4]
    assert {0, 3} not in [{int(task.file.id) for task in share} for share in shares]

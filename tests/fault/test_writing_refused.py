"""The world says no in the middle of a write: a clear error, and the lake is as it was."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import quacklake as ql
from quacklake.kernel.errors import Unavailable
from tests.support.objectstore import ObjectStore
from tests.support.referee import Referee
from tests.support.writers import TABLE, check_current, rows_from

ROOT = Path(__file__).parents[2]
LIMITED = """
    import resource, sys
    import numpy as np, pyarrow as pa
    import quacklake as ql
    from quacklake.kernel.errors import Unavailable
    from tests.support.writers import rows_from

    lake = ql.connect(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
    values = np.random.default_rng(1).integers(0, 1 << 60, 400_000)
    wide = pa.table({"k": np.arange(400_000), "n": values})
    try:
        if sys.argv[2] == "call":
            lake.table("t").append(wide)
        else:
            with lake.transaction() as tx:
                tx.table("t").append(rows_from(100, 40))
                tx.table("t").append(wide)
    except Unavailable as error:
        print(error)
    lake.table("t").append(rows_from(200, 20))
"""


@pytest.fixture
def url(tmp_path):
    url = f"sqlite:///{tmp_path}/catalog.sqlite"
    with ql.connect(url, data_path=f"{tmp_path}/data/") as lake:
        lake.create_table("t", TABLE).append(rows_from(0, 30))
    return url


def files_below(folder):
    return {path for path in Path(folder).rglob("*") if path.is_file()}


def check(tmp_path, expected):
    with (
        ql.connect(f"sqlite:///{tmp_path}/catalog.sqlite") as lake,
        Referee(f"sqlite:{tmp_path}/catalog.sqlite") as referee,
    ):
        check_current(lake, referee, "t", expected)


@pytest.mark.parametrize("how", ["call", "transaction"])
def test_a_full_disk_is_told_and_leaves_no_file(url, tmp_path, how):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(LIMITED), url, how],
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "ducklake-" in done.stdout
    assert len(files_below(tmp_path / "data")) == 2
    check(tmp_path, [(k, 0) for k in (*range(30), *range(200, 220))])


def change_and_fail(lake):
    with lake.transaction() as tx:
        tx.table("t").append(rows_from(100, 40))
        tx.table("t").delete("k < 20")
        tx.table("t").update({"n": "n + 1"})
        tx.create_table("u", rows_from(0, 40))
        raise KeyError


def test_an_exception_inside_a_transaction_leaves_no_file(url, tmp_path):
    before = files_below(tmp_path / "data")
    with ql.connect(url) as lake:
        with pytest.raises(KeyError):
            change_and_fail(lake)

        assert len(lake.snapshots()) == 3
    assert files_below(tmp_path / "data") == before
    check(tmp_path, [(k, 0) for k in range(30)])


def test_a_stream_that_breaks_off_leaves_no_file(url, tmp_path):
    before = files_below(tmp_path / "data")
    schema = rows_from(0, 1).schema

    def batches():
        yield from rows_from(100, 5_000).to_batches()
        raise OSError("the source is gone")

    with ql.connect(url) as lake:
        with pytest.raises(OSError, match="the source is gone"):
            lake.table("t").append(pa.RecordBatchReader.from_batches(schema, batches()))

        assert len(lake.snapshots()) == 3
    assert files_below(tmp_path / "data") == before
    check(tmp_path, [(k, 0) for k in range(30)])


CHANGES = {
    "append": lambda lake: lake.table("t").append(rows_from(100, 40)),
    "small append": lambda lake: lake.table("t").append(rows_from(100, 1)),
    "overwrite": lambda lake: lake.table("t").overwrite(rows_from(100, 40)),
    "delete": lambda lake: lake.table("t").delete("k < 20"),
    "delete of nothing": lambda lake: lake.table("t").delete("k < -20"),
    "update": lambda lake: lake.table("t").update({"n": "n + 1"}),
    "merge": lambda lake: lake.table("t").merge(rows_from(5, 40), on="k"),
    "truncate": lambda lake: lake.table("t").truncate(),
    "create": lambda lake: lake.create_table("u", {"a": "int"}),
    "alter": lambda lake: lake.table("t").add_column("z", "int"),
    "option": lambda lake: lake.set_option("target_file_size", "1MB"),
    "transaction": lambda lake: lake.transaction().__enter__(),
    "sql": lambda lake: lake.sql("INSERT INTO t SELECT i, i FROM range(50) r(i)"),
    "flush": lambda lake: lake.flush_inlined_data(),
    "merge files": lambda lake: lake.merge_adjacent_files(),
    "rewrite": lambda lake: lake.rewrite_data_files("t", delete_threshold=0.0),
    "expire": lambda lake: lake.expire_snapshots(versions=[0]),
    "clean up": lambda lake: lake.cleanup_old_files(cleanup_all=True),
    "orphans": lambda lake: lake.delete_orphaned_files(older_than="0 seconds"),
    "checkpoint": lambda lake: lake.checkpoint(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_lake_opened_for_reading_only_refuses_every_change_before_it_touches_a_file(
    change, url, tmp_path
):
    with ql.connect(url) as lake:
        lake.table("t").delete("k = 29")
        for first in (40, 80):
            lake.table("t").append(rows_from(first, 30))
        lake.merge_adjacent_files()
    name = "ducklake-00000000-0000-7000-8000-000000000000.parquet"
    (tmp_path / "data" / "main" / "t" / name).write_bytes(b"")
    before = {(f, f.stat().st_mtime_ns) for f in (tmp_path / "data").rglob("*")}
    with ql.connect(url, read_only=True) as lake:
        with pytest.raises(ql.UsageError, match="reading only"):
            CHANGES[change](lake)
        # A folder's time tells of files that came and went again.
        assert {(f, f.stat().st_mtime_ns) for f in (tmp_path / "data").rglob("*")} == before
        assert lake.table("t").scan().to_arrow().num_rows


def test_what_would_be_done_can_be_asked_of_a_lake_opened_for_reading_only(url):
    with ql.connect(url) as lake:
        lake.table("t").delete("k = 29")
    with ql.connect(url, read_only=True) as lake:
        assert lake.rewrite_data_files(delete_threshold=0.0, dry_run=True)
        assert lake.flush_inlined_data(dry_run=True)
        assert lake.expire_snapshots(versions=[0], dry_run=True) == (0,)
        assert lake.cleanup_old_files(dry_run=True) == ()
        assert lake.delete_orphaned_files(dry_run=True) == ()


def test_an_object_store_that_stops_is_unavailable_and_nothing_is_half(tmp_path):
    store = ObjectStore()
    try:
        lake = ql.connect(
            f"sqlite:///{tmp_path}/catalog.sqlite",
            data_path=store.location("stopped/"),
            storage_options=store.settings(),
        )
        table = lake.create_table("t", TABLE)
        table.append(rows_from(0, 30))
        before = lake.snapshots()
    finally:
        store.stop()

    with pytest.raises(Unavailable):
        table.append(rows_from(100, 2_000))
    with pytest.raises(Unavailable), lake.transaction() as tx:
        tx.table("t").append(rows_from(100, 40))

    assert lake.snapshots() == before
    # Small writes need no files: they work while the store is away.
    assert table.append(rows_from(200, 2)).inserted == 2
    lake.close()


def test_values_survive_a_large_append(url):
    """The limit above is what stops the write, not its size."""
    values = np.random.default_rng(1).integers(0, 1 << 60, 400_000)
    with ql.connect(url) as lake:
        lake.table("t").append(pa.table({"k": np.arange(400_000), "n": values}))

        assert lake.table("t").stats().rows == 400_030

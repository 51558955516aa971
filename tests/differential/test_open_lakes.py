"""A lake that stays open while DuckDB changes it: nothing remembered outlives its truth."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import quacklake as ql
from tests.support.referee import Referee

STEPS = (
    "INSERT INTO t SELECT i, 'b' FROM range(5) r(i)",
    "INSERT INTO t SELECT i, 'c' FROM range(100) r(i)",
    "INSERT INTO t SELECT i, 'd' FROM range(100) r(i)",
    "CALL ducklake_merge_adjacent_files('lake')",
    "DELETE FROM t WHERE n = 'c' AND i < 3",
    "DELETE FROM t WHERE n = 'd' AND i < 50",
    "ALTER TABLE t ADD COLUMN more INTEGER DEFAULT 7",
    "INSERT INTO t VALUES (1000, 'e', 1)",
    "CALL ducklake_flush_inlined_data('lake')",
    "UPDATE t SET n = 'u' WHERE i = 4",
    "CALL ducklake_rewrite_data_files('lake', delete_threshold => 0)",
    "CALL ducklake_expire_snapshots('lake', versions => [2, 3])",
    "CALL ducklake_cleanup_old_files('lake', cleanup_all => true)",
    "ALTER TABLE t RENAME COLUMN n TO name",
    "TRUNCATE t",
)


@pytest.fixture
def referee(tmp_path):
    with Referee(f"sqlite:{tmp_path}/lake.sqlite", data_path=f"{tmp_path}/data/") as made:
        made.execute("CREATE TABLE t (i INTEGER, n VARCHAR)")
        yield made


@pytest.fixture
def lake(referee, tmp_path):
    with ql.connect(f"sqlite:///{tmp_path}/lake.sqlite", create=False) as opened:
        yield opened


def rows(lake, condition=None, snapshot=None):
    """The rows of `t` as DuckDB would list them."""
    found = lake.table("t").scan(filter=condition, snapshot=snapshot).to_arrow().to_pylist()
    return sorted(tuple(row.values()) for row in found)


def test_an_open_lake_sees_every_step_of_another_writer(referee, lake):
    for step in ("SELECT 1", *STEPS):
        referee.execute(step)

        for _ in range(2):
            assert rows(lake) == sorted(referee.rows("FROM t")), step
            few = sorted(referee.rows("FROM t WHERE i = 4"))
            assert rows(lake, "i = 4") == few, step
        for snapshot in lake.snapshots()[1:]:
            then = sorted(referee.rows(f"FROM t AT (VERSION => {snapshot.id})"))
            assert rows(lake, snapshot=snapshot.id) == then, (step, snapshot.id)


def test_a_replaced_inlined_table_may_go_without_a_snapshot(referee, lake, tmp_path):
    referee.execute("INSERT INTO t VALUES (1, 'a')")
    referee.execute("CALL ducklake_flush_inlined_data('lake')")
    referee.execute("ALTER TABLE t ADD COLUMN more INTEGER")
    assert rows(lake) == [(1, "a", None)]
    referee.close()

    dropped = drop_replaced(tmp_path / "lake.sqlite")

    assert dropped == 1
    assert rows(lake) == [(1, "a", None)]


def drop_replaced(path: Path) -> int:
    """Drop the inlined tables that a newer one replaced, as a flush does after its commit."""
    catalog = sqlite3.connect(path)
    listed = catalog.execute(
        "SELECT table_name FROM ducklake_inlined_data_tables ORDER BY schema_version DESC"
    ).fetchall()
    for (name,) in listed[1:]:
        catalog.execute(f'DROP TABLE "{name}"')
        catalog.execute("DELETE FROM ducklake_inlined_data_tables WHERE table_name = ?", (name,))
    catalog.commit()
    catalog.close()
    return len(listed) - 1

"""Inlined data tables that a newer schema replaced and a flush emptied."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pyarrow as pa
import pytest

import quacklake as ql
from tests.support.referee import Referee


@pytest.fixture
def lake(tmp_path):
    with ql.connect(f"sqlite:///{tmp_path}/lake.sqlite", data_path=f"{tmp_path}/data/") as made:
        yield made


def listed(tmp_path: Path) -> list[int]:
    """The schema versions of the inlined data tables that the catalog lists."""
    with sqlite3.connect(tmp_path / "lake.sqlite") as catalog:
        found = catalog.execute(
            "SELECT schema_version FROM ducklake_inlined_data_tables ORDER BY 1"
        )
        versions = [version for (version,) in found]
    catalog.close()
    return versions


def there(tmp_path: Path) -> list[str]:
    """The inlined data tables that the catalog holds, listed or not."""
    with sqlite3.connect(tmp_path / "lake.sqlite") as catalog:
        found = catalog.execute(
            "SELECT name FROM sqlite_master WHERE name LIKE 'ducklake_inlined_data_1%' ORDER BY 1"
        )
        names = [name for (name,) in found]
    catalog.close()
    return names


def altered(lake) -> None:
    """Rows in two inlined data tables, and a third that is empty."""
    table = lake.create_table("t", {"i": "int"})
    table.append(pa.table({"i": [1, 2]}))
    table.add_column("j", "int")
    table.append(pa.table({"i": [3], "j": [3]}))
    table.add_column("k", "int")


def test_after_a_flush_only_the_newest_is_listed_as_after_duckdbs(lake, tmp_path):
    altered(lake)
    assert listed(tmp_path) == [1, 2, 3]

    lake.flush_inlined_data(dry_run=True)
    assert listed(tmp_path) == [1, 2, 3]

    lake.flush_inlined_data()
    assert listed(tmp_path) == [3]
    assert lake.table("t").scan().to_arrow().column("i").to_pylist() == [1, 2, 3]
    assert lake.table("t").scan(snapshot=2).to_arrow().column("i").to_pylist() == [1, 2]


def test_a_session_that_listed_them_before_goes_on_reading(lake, tmp_path):
    altered(lake)
    with Referee(f"sqlite:{tmp_path}/lake.sqlite") as referee:
        assert len(referee.rows("FROM t")) == 3
        assert referee.rows("FROM t AT (VERSION => 2)") == [(1,), (2,)]

        lake.flush_inlined_data()

        assert sorted(referee.rows("SELECT i FROM t")) == [(1,), (2,), (3,)]
        assert referee.rows("FROM t AT (VERSION => 2)") == [(1,), (2,)]
        referee.execute("INSERT INTO t VALUES (4, 4, 4)")
        referee.execute("DELETE FROM t WHERE i = 1")
        assert sorted(referee.rows("SELECT i FROM t")) == [(2,), (3,), (4,)]
    assert sorted(lake.table("t").scan(["i"]).to_arrow()["i"].to_pylist()) == [2, 3, 4]


def test_tables_that_never_had_rows_are_forgotten_without_a_snapshot(lake, tmp_path):
    table = lake.create_table("t", {"i": "int"})
    table.add_column("j", "int")

    assert lake.flush_inlined_data() == ()
    assert listed(tmp_path) == [2]
    assert len(lake.snapshots()) == 3


def test_they_are_dropped_with_their_table(lake, tmp_path):
    altered(lake)
    lake.flush_inlined_data()
    assert len(there(tmp_path)) == 3

    lake.drop_table("t")
    lake.expire_snapshots(older_than="0 seconds")

    assert there(tmp_path) == []
    with Referee(f"sqlite:{tmp_path}/lake.sqlite") as referee:
        assert referee.rows("SHOW TABLES") == []

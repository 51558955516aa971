"""A table, a view of it alone, and their rows by row id."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import quacklake as ql
from quacklake.catalog import Backend
from tests.support.lakes import Place, lakes_on

LINEAR = "select id, v * 2 as w, k from t where v % 3 <> 0"
DOUBLED = "select w + 1 as x from linear where w % 4 = 0"


def small_lake(request: pytest.FixtureRequest, tmp_path: Path, limit: int) -> Place:
    """A lake with the table, whose rows stay in the catalog up to a limit."""
    made = lakes_on(Backend.SQLITE, request, tmp_path).place()
    with opened(made) as lake:
        lake.set_option("data_inlining_row_limit", limit)
        lake.create_table("t", {"id": "bigint", "k": "varchar", "v": "integer"})
        lake.table("t").append(numbered(0, 12))
        lake.table("t").append(numbered(12, 3))
    return made


def opened(place: Place) -> ql.Lake:
    """The lake, refreshed in process."""
    return ql.connect(place.url, data_path=place.data_path, engine="local")


def numbered(start: int, count: int) -> pa.Table:
    """Rows of the table."""
    ids = range(start, start + count)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "k": [["a", None, "b"][i % 3] for i in ids],
            "v": pa.array([i % 7 for i in ids], pa.int32()),
        }
    )


def by_id(
    lake: ql.Lake, name: str, *columns: str, snapshot: int | None = None
) -> dict[int, tuple[Any, ...]]:
    """The rows of a table by their ids, which are all different."""
    found = lake.table(name).scan(["rowid", *columns], snapshot=snapshot).to_arrow().to_pylist()
    rows = {row.pop("rowid"): tuple(row.values()) for row in found}
    assert len(rows) == len(found), "a row id occurs twice"
    return rows


def derived(lake: ql.Lake) -> dict[int, tuple[Any, ...]]:
    """What the rows of LINEAR are, and their ids."""
    source = by_id(lake, "t", "id", "v", "k")
    return {i: (d, v * 2, k) for i, (d, v, k) in source.items() if v is not None and v % 3 != 0}


def check(lake: ql.Lake) -> None:
    """The view has its rows, under the ids they come with."""
    stored = by_id(lake, "linear", "id", "w", "k")
    assert stored == derived(lake)
    assert lake.stream_table("linear").verify()


def next_row_id(place: Place, lake: ql.Lake, name: str) -> int:
    """The first row id that a table has not given away."""
    table = lake.table(name).described().id
    with sqlite3.connect(place.target.removeprefix("sqlite:")) as con:
        (found,) = con.execute(
            "SELECT next_row_id FROM ducklake_table_stats WHERE table_id = ?", (int(table),)
        ).fetchone()
    return int(found)


def change(lake: ql.Lake) -> None:
    """Rows come, change and go, in the catalog and in files."""
    table = lake.table("t")
    table.append(numbered(20, 4))
    table.append(numbered(30, 25))
    table.update({"v": "v + 1"}, where="id in (1, 2, 5, 21, 31)")
    table.update({"k": "'c'"}, where="id in (7, 32)")
    table.delete("id in (4, 8, 33)")

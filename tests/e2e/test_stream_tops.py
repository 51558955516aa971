"""First rows of a large table are followed without reading it, until the reserve is used up."""

from __future__ import annotations

import pyarrow as pa
import pytest

import quacklake as ql

ROWS = 5_000
BEST = "SELECT id, points FROM games ORDER BY points DESC, id LIMIT 10"


def games(start: int, count: int) -> pa.Table:
    ids = range(start, start + count)
    return pa.table({"id": ids, "points": [each * 7919 % 10_007 for each in ids]})


@pytest.fixture
def lake(tmp_path):
    url, data = f"sqlite:///{tmp_path}/c.sqlite", f"{tmp_path}/data/"
    with ql.connect(url, data_path=data, engine="local") as made:
        made.create_table("games", {"id": "bigint", "points": "bigint"}).append(games(0, ROWS))
        yield made


def test_the_table_is_read_again_only_when_the_reserve_is_used_up(lake):
    best = lake.create_stream_table("best", BEST, mode="incremental")
    assert "new rows of 'games' (id, points), only when" in str(best.explain())
    lake.table("games").append(games(ROWS, 20))

    followed = best.refresh()

    assert best.verify()
    assert followed.rows_read < ROWS / 10

    leaders = lake.sql("FROM games ORDER BY points DESC, id LIMIT 115").to_arrow()
    lake.table("games").delete(f"id IN ({', '.join(map(str, leaders['id'].to_pylist()))})")
    sought = best.refresh()

    assert best.verify()
    assert sought.mode == "incremental"
    assert sought.rows_read > ROWS

    lake.table("games").append(games(ROWS + 20, 5))

    assert best.refresh().rows_read < ROWS / 10
    assert best.verify()


def test_a_value_that_is_selected_twice_is_kept_once_and_shown_twice(lake):
    twice = lake.create_stream_table(
        "twice", "SELECT id, id AS again, points + 1 AS more FROM games ORDER BY points + 1 LIMIT 4"
    )
    lake.table("games").append(games(ROWS, 20))

    assert twice.refresh(mode="incremental").mode == "incremental"

    assert twice.verify()
    assert lake.sql("SELECT bool_and(id = again) AS same FROM twice").to_arrow().to_pylist() == [
        {"same": True}
    ]

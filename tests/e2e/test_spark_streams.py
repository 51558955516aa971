"""Stream tables kept by Spark: after every window they are what Spark computes of the query."""

from __future__ import annotations

from collections import Counter
from datetime import date
from decimal import Decimal

import pyarrow as pa
import pytest

import quacklake as ql
from tests.support.referee import Referee
from tests.support.spark import ONE_WORKER, held_here_up_to

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), ONE_WORKER]

VIEWS = {
    "linear": "select id, amount * 2 as twice, upper(region) as r from orders where n > 2",
    "joined": """select o.id, c.name, o.amount from orders o join customers c on o.customer = c.id
        where c.name is not null""",
    "padded": """select c.id, c.name, o.id as order_id
        from customers c left join orders o on o.customer = c.id and o.n > 3""",
    "totals": """select region, day, sum(amount) as total, count(*) as n, avg(n) as mean,
        min(amount) as least, max(n) as most, avg(amount) as price
        from orders group by region, day""",
    "different": "select distinct region, n from orders",
    "loyal": """select id from customers c where exists
        (select 1 from orders o where o.customer = c.id and o.amount > 20)""",
    "absent": "select id from customers where id not in (select customer from orders where n = 1)",
    "ranked": """select id, region, amount, row_number() over
        (partition by region order by amount desc, id) as place from orders""",
    "largest": "select id, amount from orders order by amount desc, id limit 5",
    "above": "select id from orders where amount > (select avg(amount) from orders)",
    "both": "select customer from orders intersect select id from customers",
    "rolled": """select region, n, count(*) as c from orders group by rollup (region, n)""",
}
STACKED = {
    "by_region": """select region, sum(total) as total, max(most) as most
        from totals group by region""",
    "best": "select region, total from by_region order by total desc, region limit 2",
}


def orders(start: int, count: int) -> pa.Table:
    numbers = range(start, start + count)
    regions = ["eu", "us", None, "asia"]
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "customer": pa.array([i % 9 or None for i in numbers], pa.int64()),
            "region": [regions[i % 4] for i in numbers],
            "day": [date(2026, 1, 1 + i % 3) for i in numbers],
            "n": pa.array([i % 7 for i in numbers], pa.int32()),
            "amount": pa.array([Decimal(i * 7 % 50) for i in numbers], pa.decimal128(9, 2)),
        }
    )


@pytest.fixture
def lake(tmp_path, spark):
    url = f"sqlite:///{tmp_path}/c.sqlite"
    with ql.connect(url, data_path=f"{tmp_path}/data/", engine="spark") as opened:
        opened.create_table("orders", orders(0, 60))
        names = pa.table({"id": list(range(10)), "name": [*"abcdefgh", None, "j"]})
        opened.create_table("customers", names)
        yield opened


def change(lake: ql.Lake, window: int) -> None:
    """Rows come, go and change in both tables; files, inlined rows and compaction are met."""
    table = lake.table("orders")
    if window == 0:
        table.append(orders(100, 30))
        table.delete("id % 11 = 3")
        table.update({"amount": "amount + 13", "region": "'us'"}, where="id % 8 = 1")
    elif window == 1:
        lake.flush_inlined_data()
        lake.merge_adjacent_files("orders")
        lake.table("customers").update({"name": "'renamed'"}, where="id in (3, 4)")
        lake.table("customers").delete("id = 5")
        table.merge(orders(50, 20), on="id")
        table.add_column("note", "varchar", default="'x'")
    else:
        table.truncate()
        table.append(orders(40, 15))


def rows(found: pa.Table) -> Counter[tuple[object, ...]]:
    return Counter(tuple(map(repr, row.values())) for row in found.to_pylist())


def test_every_view_is_what_its_query_is_after_every_window(lake, tmp_path):
    kept = {
        name: lake.create_stream_table(name, sql, mode="incremental") for name, sql in VIEWS.items()
    }
    stacked = {name: lake.create_stream_table(name, sql) for name, sql in STACKED.items()}
    everything = VIEWS | STACKED

    for window in range(3):
        change(lake, window)
        reports = lake.refresh()

        assert {r.mode for r in reports if r.name.removeprefix("main.") in VIEWS} == {"incremental"}
        assert len({r.snapshot_id for r in reports}) == 1
        for name, sql in everything.items():
            stored = lake.table(name).to_arrow()
            expected = lake.sql(sql).to_arrow()
            assert rows(stored) == rows(expected), f"{name} after window {window}"
            assert stored.schema.types == expected.schema.types, name
    assert {r.mode for r in lake.refresh()} == {"no-change"}
    assert all(view.verify() for view in (kept["totals"], stacked["best"]))
    with Referee(f"sqlite:{tmp_path}/c.sqlite") as referee:
        assert len(referee.rows("FROM totals")) == kept["totals"].to_arrow().num_rows


def test_rewinding_gives_what_was_there_and_can_go_forward_again(lake):
    view = lake.create_stream_table("totals", VIEWS["totals"])
    then, at = rows(view.to_arrow()), lake.snapshots()[-1].id
    change(lake, 0)
    view.refresh()
    later = rows(view.to_arrow())

    report = view.rewind(snapshot=at)

    assert (report.mode, rows(view.to_arrow())) == ("full", then)
    assert view.verify()
    view.refresh()
    assert rows(view.to_arrow()) == later != then


def test_a_large_result_is_compared_by_spark_and_wrong_rows_are_told(lake, tmp_path, monkeypatch):
    """Stored rows are spoiled by DuckDB, which does not know that they are kept."""
    floats = "select region, cast(n as double) * 0.0 as zero, amount from orders"
    view = lake.create_stream_table("spoiled", floats)
    monkeypatch.setattr("quacklake.engine.spark.programs.READ_HERE", 0)
    assert view.verify()

    with Referee(f"sqlite:{tmp_path}/c.sqlite") as duck:
        duck.execute("UPDATE spoiled SET zero = -zero")
        duck.execute("DELETE FROM spoiled WHERE region = 'eu' AND amount = 0")
        duck.execute("INSERT INTO spoiled VALUES (NULL, 1.5, 7), (NULL, 1.5, 7)")
    by_spark = view.verify()
    monkeypatch.undo()
    here = view.verify()

    assert (by_spark.ok, by_spark.rows) == (here.ok, here.rows)
    assert rows(by_spark.differences) == rows(here.differences)
    assert by_spark.differences.schema == here.differences.schema
    assert min(by_spark.differences["__weight"].to_pylist()) == -2


def test_differences_that_are_not_all_listed_are_told_so(lake, tmp_path, monkeypatch):
    view = lake.create_stream_table("spoiled", "select id from orders")
    with Referee(f"sqlite:{tmp_path}/c.sqlite") as duck:
        duck.execute("DELETE FROM spoiled WHERE id < 5")
    monkeypatch.setattr("quacklake.engine.spark.programs.READ_HERE", 0)
    found = {}
    for listed in (4, 5):
        for module in ("engine.spark.programs", "pipeline.verifying"):
            monkeypatch.setattr(f"quacklake.{module}.LISTED", listed)
        told = view.verify()
        found[listed] = (told.ok, told.differences.num_rows, told.complete)

    assert found == {4: (False, 4, False), 5: (False, 5, True)}


def test_large_changes_are_read_computed_and_applied_by_spark(lake, monkeypatch):
    """By row id, by key and by all values; a view of such a result follows, too."""
    held_here_up_to(2, monkeypatch)
    names = ("linear", "joined", "totals")
    for name in names:
        lake.create_stream_table(name, VIEWS[name], mode="incremental")
    lake.create_stream_table("by_region", STACKED["by_region"], mode="incremental")

    for window in range(2):
        change(lake, window)
        reports = lake.refresh()

        assert {each.mode for each in reports} == {"incremental"}
        assert all(each.rows_in for each in reports)
        for name, sql in (VIEWS | STACKED).items():
            if name in (*names, "by_region"):
                stored, expected = lake.table(name).to_arrow(), lake.sql(sql).to_arrow()
                assert rows(stored) == rows(expected), f"{name} after window {window}"


@pytest.mark.parametrize("name", ["linear", "totals", "joined"])
def test_a_large_change_of_rows_that_are_not_there_changes_nothing(
    lake, tmp_path, monkeypatch, name
):
    """By row id, by key, and by all values."""
    held_here_up_to(0, monkeypatch)
    view = lake.create_stream_table(name, VIEWS[name], mode="incremental")
    with Referee(f"sqlite:{tmp_path}/c.sqlite") as duck:
        duck.execute(f"DELETE FROM {name} WHERE rowid % 2 = 0")
    lake.table("orders").truncate()
    before, at = rows(view.to_arrow()), lake.snapshots()[-1].id

    with pytest.raises(ql.CorruptLake, match="of which"):
        view.refresh()

    assert (rows(view.to_arrow()), lake.snapshots()[-1].id) == (before, at)

"""All 22 TPC-H queries as stream tables of a lake whose every table changes."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

from quacklake.catalog import Backend
from tests.support.ivm_tpch import TABLES, Tpch
from tests.support.ivm_world import WEIGHT_COLUMN, comparable
from tests.support.lakes import Lakes
from tests.support.streams import opened

pytestmark = pytest.mark.slow

KEYS = {
    "region": ["r_regionkey"],
    "nation": ["n_nationkey"],
    "supplier": ["s_suppkey"],
    "customer": ["c_custkey"],
    "part": ["p_partkey"],
    "partsupp": ["ps_partkey", "ps_suppkey", "ps_comment"],
    "orders": ["o_orderkey"],
    "lineitem": ["l_orderkey", "l_linenumber"],
}
NUMBERS = range(1, 23)


class Market:
    """TPC-H in DuckDB, the same tables in a lake, and the 22 queries kept there."""

    def __init__(self, place):
        self.tpch = Tpch.generated(0.005)
        self.lake = opened(place)
        # Row groups as small as the tables: what a key skips can be seen.
        self.lake.set_option("parquet_row_group_size", 500)
        for name in TABLES:
            rows = self.rows(f"FROM {name} ORDER BY ALL")
            self.lake.create_table(name, rows.schema)
            self.lake.table(name).append(rows)
        self.views = {
            number: self.lake.create_stream_table(f"q{number}", self.tpch.query(number))
            for number in NUMBERS
        }

    def rows(self, sql: str) -> pa.Table:
        return self.tpch.con.execute(sql).to_arrow_table()

    def window(self, seed: int) -> None:
        """Change every table in both, in one snapshot for each kind of change."""
        self.tpch.window(seed)
        for name in TABLES:
            self.carry(name)

    def carry(self, name: str) -> None:
        """Do to the lake's table what was done to DuckDB's: by key, updates as updates."""
        keys = ", ".join(KEYS[name])
        came, went = (
            f"(SELECT * EXCLUDE {WEIGHT_COLUMN} FROM change_{name} WHERE {WEIGHT_COLUMN} {sign} 0)"
            for sign in "><"
        )
        table = self.lake.table(name)
        both = f"({keys}) IN (SELECT ({keys}) FROM"
        gone = self.rows(f"SELECT {keys} FROM {went} WHERE NOT ({both} {came}))")
        table.merge(gone, on=KEYS[name], when_matched="delete", when_not_matched="ignore")
        table.merge(self.rows(f"SELECT * FROM {came} WHERE {both} {went})"), on=KEYS[name])
        table.append(self.rows(f"SELECT * FROM {came} WHERE NOT ({both} {went}))"))

    def stored(self, number: int) -> Counter:
        found = self.views[number].to_arrow()
        columns = [column.to_pylist() for column in found.columns]
        return Counter(map(comparable, zip(*columns, strict=True)))

    def full_read(self, number: int) -> int:
        """How many rows computing a query anew reads."""
        frontier = self.views[number].frontier
        return sum(
            self.lake.table(source.removeprefix("ducklake:")).stats().rows for source in frontier
        )


@pytest.fixture(scope="module")
def market(tmp_path_factory):
    made = Market(Lakes(Backend.SQLITE, tmp_path_factory.mktemp("tpch")).place())
    yield made
    made.lake.close()
    made.tpch.con.close()


@pytest.mark.timeout(300)
def test_all_queries_are_kept_by_deltas_and_equal_their_recomputation(market):
    shown = set()
    for seed in (1, 2):
        market.window(seed)
        if seed == 2:
            market.lake.merge_adjacent_files()
            market.lake.flush_inlined_data()
        for number, view in market.views.items():
            report = view.refresh(mode="incremental")

            assert str(report.mode) == "incremental", f"query {number}"
            assert report.rows_read > 0, f"query {number}"
            expected = market.tpch.bag(market.tpch.query(number))
            assert market.stored(number) == expected, f"query {number} in window {seed}"
            shown |= {number} if expected else set()
    assert len(shown) >= 19, "most queries must have rows, or nothing was compared"
    for number in (1, 13, 18, 21):
        assert market.views[number].verify().ok


@pytest.mark.timeout(300)
def test_a_small_change_reads_less_than_everything(market):
    for view in market.views.values():
        view.refresh(mode="incremental")
    order = market.rows("SELECT l_orderkey FROM lineitem ORDER BY l_orderkey LIMIT 1 OFFSET 5000")
    key = order.column(0)[0].as_py()
    for table, column in (("orders", "o_orderkey"), ("lineitem", "l_orderkey")):
        market.lake.table(table).delete(f"{column} = {key}")
        market.tpch.con.execute(f"DELETE FROM {table} WHERE {column} = {key}")

    less = 0
    for number, view in market.views.items():
        report = view.refresh(mode="incremental")
        less += report.rows_read < market.full_read(number)
        assert market.stored(number) == market.tpch.bag(market.tpch.query(number))

    assert less >= 18, f"only {less} of 22 read less"

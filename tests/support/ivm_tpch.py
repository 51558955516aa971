"""TPC-H tables that change: rows come, go and are updated in every table, window after window."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import duckdb
import duckdb_extensions

from quacklake.ivm.compiler import View, compile_view
from quacklake.ivm.plan import State
from quacklake.ivm.program import WEIGHT_COLUMN, Program
from quacklake.ivm.schema import SourceColumn
from tests.support.ivm_world import ImpossibleDelta, comparable

TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")

# What an update does to each table; each moves rows between groups, joins or filters.
UPDATES = {
    "region": "r_name = CASE WHEN r_name = 'ASIA' THEN 'EUROPE' ELSE 'ASIA' END",
    "nation": "n_regionkey = (n_regionkey + 1) % 5",
    "supplier": "s_nationkey = (s_nationkey + 3) % 25, s_acctbal = s_acctbal + 1",
    "customer": "c_mktsegment = 'BUILDING', c_acctbal = -c_acctbal",
    "part": "p_size = 15, p_type = 'PROMO BRUSHED BRASS', p_brand = 'Brand#23'",
    "partsupp": "ps_supplycost = ps_supplycost / 2, ps_availqty = ps_availqty + 10",
    "orders": "o_orderdate = o_orderdate + 40, o_custkey = o_custkey + 1",
    "lineitem": "l_quantity = l_quantity + 5, l_discount = 0.06, l_returnflag = 'R'",
}


@dataclass(frozen=True, slots=True)
class Tpch:
    """The tables in DuckDB: now, and before the window."""

    con: duckdb.DuckDBPyConnection

    @classmethod
    def generated(cls, scale: float) -> Tpch:
        """Tables of one scale; a tenth of the rows is held back to be inserted later."""
        con = duckdb.connect()
        duckdb_extensions.import_extension("tpch", con=con)
        con.load_extension("tpch")
        con.execute(f"CALL dbgen(sf = {scale})")
        for name in TABLES:
            con.execute(f"CREATE TABLE spare_{name} AS FROM {name} WHERE hash({name}) % 10 = 0")
            con.execute(f"DELETE FROM {name} WHERE hash({name}) % 10 = 0")
            con.execute(f"CREATE TABLE old_{name} AS FROM {name} LIMIT 0")
            con.execute(
                f"CREATE TABLE change_{name} AS SELECT *, 0::BIGINT AS {WEIGHT_COLUMN} FROM {name} LIMIT 0"
            )
        return cls(con)

    def schema(self) -> dict[str, list[SourceColumn]]:
        """The sources as the compiler sees them."""
        found: dict[str, list[SourceColumn]] = {}
        for name in TABLES:
            rows = self.con.execute(f"DESCRIBE {name}").fetchall()
            found[name] = [SourceColumn(row[0], _spark(row[1]), row[2] != "NO") for row in rows]
        return found

    def query(self, number: int) -> str:
        """One of the 22 queries."""
        rows = self.con.execute(
            "SELECT query FROM tpch_queries() WHERE query_nr = ?", [number]
        ).fetchall()
        return str(rows[0][0]).rstrip().rstrip(";")

    def window(self, seed: int, tables: tuple[str, ...] = TABLES) -> frozenset[str]:
        """Delete, update and insert about one row in a hundred of each table."""
        for name in TABLES:
            self.con.execute(f"CREATE OR REPLACE TABLE old_{name} AS FROM {name}")
            if name in tables:
                self._change(name, seed)
            self.con.execute(
                f"""CREATE OR REPLACE TABLE change_{name} AS
                SELECT *, count(*) AS {WEIGHT_COLUMN} FROM (FROM {name} EXCEPT ALL FROM old_{name}) GROUP BY ALL
                UNION ALL
                SELECT *, -count(*) FROM (FROM old_{name} EXCEPT ALL FROM {name}) GROUP BY ALL"""
            )
        return frozenset(tables)

    def _change(self, name: str, seed: int) -> None:
        share = 7 if name in {"region", "nation"} else 97
        pick = f"hash({name}, {seed}) % {share}"
        spare = f"hash(spare_{name}, {seed}) % {min(share, 11)} = 0"
        self.con.execute(f"INSERT INTO {name} FROM spare_{name} WHERE {spare}")
        self.con.execute(f"DELETE FROM spare_{name} WHERE {spare}")
        self.con.execute(f"INSERT INTO spare_{name} FROM {name} WHERE {pick} = 0")
        self.con.execute(f"DELETE FROM {name} WHERE {pick} = 0")
        self.con.execute(f"UPDATE {name} SET {UPDATES[name]} WHERE {pick} = 1")

    def rows(self, program: Program) -> list[tuple[Any, ...]]:
        """What a program answers on the tables as they are."""
        prefix = {State.OLD: "old_", State.NEW: "", State.CHANGE: "change_"}
        reads = {each.name: f"FROM {prefix[each.state]}{each.source}" for each in program.reads}
        return self.con.execute(program.sql(reads=reads)).fetchall()


@dataclass(slots=True)
class Kept:
    """A view over the tables, changed by nothing but deltas."""

    tpch: Tpch
    sql: str
    view: View
    bag: Counter[tuple[Any, ...]]

    def refresh(self, changed: frozenset[str]) -> int:
        """Apply the change of a window; answers how many rows it had."""
        program = self.view.delta("duckdb", changed=changed)
        rows = [] if program is None else self.tpch.rows(program)
        for *row, weight in rows:
            key = comparable(row)
            if self.bag[key] + weight < 0:
                raise ImpossibleDelta(f"{key!r} occurs {self.bag[key]} times, delta {weight}")
            self.bag[key] += weight
        self.bag = +self.bag
        return len(rows)

    def expected(self) -> Counter[tuple[Any, ...]]:
        """The query itself on the tables as they are."""
        return Counter(map(comparable, self.tpch.con.execute(self.sql).fetchall()))


def kept(tpch: Tpch, sql: str) -> Kept:
    """A view computed once from the tables as they are."""
    view = compile_view(sql, tpch.schema())
    return Kept(tpch, sql, view, Counter(map(comparable, tpch.con.execute(sql).fetchall())))


def _spark(kind: str) -> str:
    return {"VARCHAR": "STRING", "INTEGER": "INT"}.get(kind, kind)

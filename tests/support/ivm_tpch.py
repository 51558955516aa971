"""TPC-H tables that change: rows come, go and are updated in every table, window after window."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import duckdb

from quacklake.ivm import WEIGHT_COLUMN, SourceColumn, compile_view
from tests.support.ivm_world import Maintained, comparable
from tests.support.referee import extended

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
        con = extended("tpch")
        con.execute(f"CALL dbgen(sf = {scale})")
        for name in TABLES:
            con.execute(f"CREATE TABLE spare_{name} AS FROM {name} WHERE hash({name}) % 10 = 0")
            con.execute(f"DELETE FROM {name} WHERE hash({name}) % 10 = 0")
            con.execute(f"CREATE TABLE old_{name} AS FROM {name} LIMIT 0")
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
            came, went = (
                f"FROM {name} EXCEPT ALL FROM old_{name}",
                f"FROM old_{name} EXCEPT ALL FROM {name}",
            )
            self.con.execute(
                f"CREATE OR REPLACE TABLE change_{name} AS "
                f"SELECT *, count(*) AS {WEIGHT_COLUMN} FROM ({came}) GROUP BY ALL "
                f"UNION ALL SELECT *, -count(*) FROM ({went}) GROUP BY ALL"
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

    def bag(self, sql: str) -> Counter[tuple[Any, ...]]:
        """The rows of a query on the tables as they are."""
        return Counter(map(comparable, self.con.execute(sql).fetchall()))


def kept_query(tpch: Tpch, number: int) -> Maintained:
    """One of the 22 queries as a view, computed once from the tables as they are."""
    sql = tpch.query(number)
    view = Maintained(tpch.con, compile_view(sql, tpch.schema()), f"q{number}")
    description = tpch.con.execute(sql).description
    view.fill([str(each[1]) for each in description])
    return view


def _spark(kind: str) -> str:
    return {"VARCHAR": "STRING", "INTEGER": "INT"}.get(kind, kind)

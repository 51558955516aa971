"""All 22 TPC-H queries as stream tables: a change of 0.1 % followed, against computing anew.

`auto` must be no more than 1.2 times slower than the better of the two.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from lakes import duckdb_with_extensions, folder_of_its_own
from report import machine

import quacklake as ql

TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")


def filled(folder: str, scale: float) -> list[str]:
    """A lake of one scale, made by stock DuckDB; answers the queries."""
    duck = duckdb_with_extensions()
    import duckdb_extensions

    duckdb_extensions.import_extension("tpch", con=duck)
    duck.load_extension("tpch")
    duck.execute(f"CALL dbgen(sf = {scale})")
    duck.execute(f"ATTACH 'ducklake:sqlite:{folder}/c.sqlite' AS lake (DATA_PATH '{folder}/d/')")
    for name in TABLES:
        duck.execute(f"CREATE TABLE lake.{name} AS FROM {name}")
        duck.execute(f"DROP TABLE {name}")
    duck.execute("DETACH lake")
    rows = duck.execute("SELECT query FROM tpch_queries() ORDER BY query_nr").fetchall()
    return [row[0].rstrip().rstrip(";") for row in rows]


def change(lake: ql.Lake, number: int) -> None:
    """One order in a thousand goes with its lines, and as many change with theirs."""
    # Of every 32 numbers for orders, 8 are used.
    gone, moved = f"% 1000 = {number}", f"% 1000 = {500 + number}"
    with lake.transaction() as tx:
        tx.table("lineitem").delete(f"(l_orderkey // 32) {gone}")
        tx.table("orders").delete(f"(o_orderkey // 32) {gone}")
        tx.table("lineitem").update(
            {"l_quantity": "l_quantity + 1"}, where=f"(l_orderkey // 32) {moved}"
        )
        tx.table("orders").update(
            {"o_orderpriority": "'1-URGENT'"}, where=f"(o_orderkey // 32) {moved}"
        )


def main() -> None:
    """Measure, and print a line for each query."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="spark", choices=("spark", "local"))
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--only", type=int, nargs="+", help="numbers of queries")
    chosen = parser.parse_args()
    print(machine())
    print(f"engine {chosen.engine}, scale {chosen.scale}, 0.1 % of orders and lineitem changed")
    print("| query | incremental ms | anew ms | ratio | rows read | anew rows | auto | auto ms |")
    print("|---|---|---|---|---|---|---|---|")
    with folder_of_its_own():
        queries = filled(str(Path.cwd()), chosen.scale)
        with ql.connect(f"sqlite:///{Path.cwd()}/c.sqlite", engine=chosen.engine) as lake:
            views = {
                number: lake.create_stream_table(f"q{number}", query, engine=chosen.engine)
                for number, query in enumerate(queries, start=1)
                if number in (chosen.only or range(1, len(queries) + 1))
            }
            for number, view in views.items():
                measured(lake, view, number)


def measured(lake: ql.Lake, view: ql.StreamTable, number: int) -> None:
    """One query: the same change followed, computed anew, and left to `auto`."""
    # Twice: the first refresh of a view pays for what the engine compiles, and the changes made
    # for other queries are not this one's.
    for warm in (1, 2):
        change(lake, 10 * number + warm)
        view.refresh(mode="incremental")
    change(lake, 10 * number + 3)
    incremental = view.refresh(mode="incremental")
    full = view.refresh(mode="full")
    change(lake, 10 * number + 4)
    auto = view.refresh(mode="auto")
    if not view.verify():
        raise SystemExit(f"query {number}: the kept rows are wrong")
    print(
        f"| {number} | {incremental.duration_ms:,} | {full.duration_ms:,} "
        f"| {incremental.duration_ms / max(1, full.duration_ms):.2f} | {incremental.rows_read:,} "
        f"| {full.rows_read:,} | {auto.mode} | {auto.duration_ms:,} |",
        flush=True,
    )


if __name__ == "__main__":
    main()

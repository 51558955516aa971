"""Stream tables: what a refresh reads and costs as its sources grow, against computing anew.

Every view is kept over tables of several sizes while the same thousand rows change. Work in
proportion to the change reads the same rows, bytes and files whatever the size.
`--engine local` uses DuckDB in process; `--largest 100000000` is the full size.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from lakes import duckdb_with_extensions, folder_of_its_own
from report import machine

import quacklake as ql

ROUNDS = 5
VIEWS = {
    "filter and project": "SELECT id, v * 2 AS twice FROM facts WHERE v % 3 <> 0",
    "algebraic aggregate": """SELECT g, count(*) AS n, sum(v) AS total, avg(v) AS mean
                              FROM facts GROUP BY g""",
    "join with a dimension": """SELECT f.id, d.name, f.v FROM facts f JOIN dims d ON f.d = d.id""",
}


@dataclass(frozen=True, slots=True)
class Measured:
    """The median refresh of a view at a size, and computing it anew once."""

    rows: int
    files: int
    size: int
    incremental_ms: float
    full_ms: float
    full_size: int


def filled(folder: str, rows: int) -> None:
    """A lake of `rows` facts and 10,000 names, made by stock DuckDB, which is quickest."""
    duck = duckdb_with_extensions()
    target = f"ducklake:sqlite:{folder}/c.sqlite"
    duck.execute(f"ATTACH '{target}' AS lake (DATA_PATH '{folder}/d/')")
    duck.execute(
        f"""CREATE TABLE lake.facts AS SELECT i AS id, (i % 10000)::INTEGER AS d,
        (i * 7 % 500)::INTEGER AS g, (i * 13 % 1000)::BIGINT AS v FROM range({rows}) r(i)"""
    )
    names = "SELECT i AS id, 'd' || i AS name FROM range(10000) r(i)"
    duck.execute(f"CREATE TABLE lake.dims AS {names}")
    duck.execute("DETACH lake")


def change(lake: ql.Lake, start: int, count: int) -> None:
    """Rows come, eight of ten changes, and some of them change: the newest, as in most tables."""
    rows = lake.sql(
        f"""SELECT i AS id, (i % 10000)::INTEGER AS d, (i * 7 % 500)::INTEGER AS g,
        (i * 13 % 1000)::BIGINT AS v FROM range({start}, {start + count * 8 // 10}) r(i)""",
        engine="local",
    ).to_arrow()
    facts = lake.table("facts")
    facts.append(rows)
    facts.update({"v": "v + 1"}, where=f"id >= {start} AND id < {start + count // 10}")


def measured(lake: ql.Lake, name: str, query: str, size: int, engine: str, count: int) -> Measured:
    """Refreshes of one view, and one that computes it anew."""
    view = lake.create_stream_table("kept", query, engine=engine, mode="incremental")
    reports = []
    for number in range(ROUNDS + 1):
        change(lake, size + number * count, count)
        reports.append(view.refresh())
    full = view.refresh(mode="full")
    if not view.verify():
        raise SystemExit(f"{name}: the kept rows are wrong")
    view.drop()
    counted = reports[1:]
    return Measured(
        max(r.rows_read for r in counted),
        max(r.files_read for r in counted),
        max(r.bytes_read for r in counted),
        median(r.duration_ms for r in counted),
        full.duration_ms,
        full.bytes_read,
    )


def main() -> None:
    """Measure, and print a line for each view and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="spark", choices=("spark", "local"))
    parser.add_argument("--largest", type=int, default=10_000_000)
    parser.add_argument("--smallest", type=int, default=10_000)
    parser.add_argument("--change", type=int, default=1_000, help="how many rows")
    parser.add_argument("--only", choices=list(VIEWS), help="one view")
    chosen = parser.parse_args()
    print(machine())
    print(f"engine {chosen.engine}, a change of {chosen.change:,} rows")
    print("bytes and ms, incremental | anew")
    wanted = (10_000, 1_000_000, chosen.largest)
    sizes = [size for size in wanted if chosen.smallest <= size <= chosen.largest]
    views = {name: VIEWS[name] for name in ([chosen.only] if chosen.only else VIEWS)}
    for size in dict.fromkeys(sizes):
        with folder_of_its_own():
            filled(str(Path.cwd()), size)
            url = f"sqlite:///{Path.cwd()}/c.sqlite"
            with ql.connect(url, engine=chosen.engine) as lake:
                for name, query in views.items():
                    start = time.perf_counter()
                    m = measured(lake, name, query, size, chosen.engine, chosen.change)
                    spent = time.perf_counter() - start
                    print(
                        f"{name:<22}{size:>12,} rows: read {m.rows:>7,} rows {m.files:>3} files "
                        f"{m.size:>10,} B | {m.full_size:>12,} B; {m.incremental_ms:>6,.0f} ms | "
                        f"{m.full_ms:>8,.0f} ms; ratio {m.incremental_ms / m.full_ms:.2f} "
                        f"({spent:.0f} s)",
                        flush=True,
                    )


if __name__ == "__main__":
    main()

"""How fast a lake is read: ours over DuckDB's extension, pyarrow, and two clients from PyPI.

Everything is measured in one run, on the same lakes, in turns. A ratio below 1 means that we
are faster. `--quick` is a smoke test at a tenth of the size; its ratios say little.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

import pyarrow as pa
from contenders import CATALOG_READERS, EVERYBODY, Reader
from lakes import (
    LINES_PER_SCALE,
    LakeAddress,
    folder_of_its_own,
    in_duckdb,
    in_postgres,
    in_sqlite,
    make_listed,
    make_tables,
)
from queries import Between, Query
from report import details, heading, machine, row
from rounds import Measured, in_turns
from work import work_of

import quacklake as ql
from tests.support.postgres import PostgresServer


@dataclass(frozen=True, slots=True)
class Size:
    """How large the lakes are, and how often each line is measured."""

    scale: float
    files: int
    listed: int
    inlined: int
    rounds: int


Chosen: TypeAlias = Callable[[str], bool]
"""Whether the line of a title is measured."""

FULL = Size(scale=1, files=1_000, listed=10_000, inlined=10_000, rounds=7)
QUICK = Size(scale=0.1, files=100, listed=1_000, inlined=1_000, rounds=2)


def lines(size: Size) -> dict[str, Query]:
    """The queries, by what they show."""
    orders = int(LINES_PER_SCALE * size.scale)
    middle = size.files * 500
    return {
        "full scan of lineitem": Query("lineitem"),
        "two columns of lineitem": Query("lineitem", ("l_orderkey", "l_extendedprice")),
        "key range, 1 % in one place": Query(
            "lineitem", where=Between("l_orderkey", orders // 2, orders // 2 + orders // 100)
        ),
        "date range, 1 % everywhere": Query(
            "lineitem", where=Between("l_shipdate", date(1995, 3, 1), date(1995, 3, 25))
        ),
        "full scan, 1 % of rows deleted": Query("deleted"),
        f"lookup in {size.files:,} files": Query("many", where=Between("key", middle, middle)),
        f"full scan of {size.files:,} files": Query("many"),
        f"{size.inlined:,} inlined rows": Query("inlined"),
    }


def measure_queries(
    lake: LakeAddress, size: Size, only: Chosen
) -> Iterator[tuple[str, list[Measured]]]:
    """Every query by everybody, with the lake held open."""
    for title, query in lines(size).items():
        if not only(title):
            continue
        make_tables_once(lake, size)
        results = in_turns(
            EVERYBODY, lake, lambda reader, q=query: reader.read(q), rounds=size.rounds, cold=False
        )
        yield title, results
        with ql.connect(lake.url, create=False, read_only=True) as opened:
            table = opened.table(query.table)
            condition = query.where.sql() if query.where else None
            scan = table.scan(query.columns, filter=condition)
            print(f"  work: {work_of(scan, len(table.files()))}")


class Lookups:
    """Every reader looks up one key after the other, so that nobody can know the answer."""

    def __init__(self, keys: int) -> None:
        self._keys = keys
        self._asked: Counter[int] = Counter()

    def __call__(self, reader: Reader) -> pa.Table:
        """The row of the reader's next key."""
        self._asked[id(reader)] += 1
        key = self._asked[id(reader)] * 7919 % self._keys
        return reader.read(Query("many", where=Between("key", key, key)))


def measure_first_reads(
    lake: LakeAddress, size: Size, only: Chosen
) -> Iterator[tuple[str, list[Measured]]]:
    """What nobody can remember: another key every time, and inlined rows from connecting on."""
    title = f"lookup of another key in {size.files:,} files"
    if only(title):
        make_tables_once(lake, size)
        task = Lookups(size.files * 1000)
        yield title, in_turns(CATALOG_READERS, lake, task, rounds=3 * size.rounds, cold=False)
    title = f"connect and read {size.inlined:,} inlined rows"
    if only(title):
        make_tables_once(lake, size)
        rows = Query("inlined")
        yield (
            title,
            in_turns(CATALOG_READERS, lake, lambda r: r.read(rows), rounds=size.rounds, cold=True),
        )


def measure_listing(
    lakes: list[LakeAddress], size: Size, only: Chosen
) -> Iterator[tuple[str, list[Measured]]]:
    """Opening a table of many files, from connecting on and again while connected."""
    for lake in lakes:
        for cold in (True, False):
            how = "connect and open" if cold else "open again"
            title = f"{how} {size.listed:,} files, {lake.kind} catalog"
            if only(title):
                make_listed_once(lake, size)
                task = lambda reader: reader.list_files("listed")  # noqa: E731
                yield title, in_turns(EVERYBODY, lake, task, rounds=size.rounds, cold=cold)


_MADE: set[LakeAddress] = set()


def make_tables_once(lake: LakeAddress, size: Size) -> None:
    if lake not in _MADE:
        make_tables(lake, scale=size.scale, files=size.files, inlined=size.inlined)
        _MADE.add(lake)


def make_listed_once(lake: LakeAddress, size: Size) -> None:
    if lake not in _MADE:
        make_listed(lake, files=size.listed)
        _MADE.add(lake)


def run(size: Size, only: Chosen) -> None:
    rows: list[str] = []
    begun = time.monotonic()
    with folder_of_its_own():
        server = PostgresServer()
        try:
            listed = [in_sqlite("listed"), in_duckdb("listed"), in_postgres(server)]
            tables = in_sqlite("tables")
            for measured in (
                measure_queries(tables, size, only),
                measure_first_reads(tables, size, only),
                measure_listing(listed, size, only),
            ):
                for title, results in measured:
                    rows.append(row(title, results))
                    print(title, *details(results), sep="\n", flush=True)
        finally:
            server.stop()
    print("", machine(), "", heading([each.name for each in EVERYBODY]), *rows, sep="\n")
    print(f"\n`*`: not the same rows, see above. {time.monotonic() - begun:.0f} s in all")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small lakes, few rounds")
    parser.add_argument(
        "--only", action="append", default=[], help="lines whose title contains this, or another"
    )
    chosen = parser.parse_args()
    words = chosen.only or [""]
    run(QUICK if chosen.quick else FULL, lambda title: any(word in title for word in words))


if __name__ == "__main__":
    main()

"""How fast a lake is written: ours over DuckDB's extension and two clients from PyPI.

Every contender writes to a lake of its own, made alike; all take turns in one run. Afterwards
DuckDB reads what each of them wrote. A ratio below 1 means that we are faster. `--quick` is a
smoke test with small tables; its ratios say little.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from copies import KINDS, Copies
from lakes import LakeAddress, attached, folder_of_its_own
from racing import racers
from report import details, heading, machine, row
from rounds import Measured, each_in_its_own, in_turns
from writers import EVERYBODY, Every, Writer

import quacklake as ql
from quacklake.scan.reads import Meter
from tests.support.postgres import PostgresServer

SERVED = KINDS[:2]
Task: TypeAlias = Callable[[Writer, int], object]


@dataclass(frozen=True, slots=True)
class Size:
    """How large the tables are, how often each line is measured, and how long writers race."""

    rows: int
    more_rows: int
    fed_rows: tuple[int, ...]
    commits: int
    columns: int
    rounds: int
    seconds: float


FULL = Size(1_000_000, 3_000_000, (10_000, 1_000_000, 10_000_000), 100, 50, 3, 4)
QUICK = Size(50_000, 100_000, (1_000, 50_000, 200_000), 10, 5, 1, 1)


@dataclass(frozen=True, slots=True)
class Line:
    """What is measured: the rows in the table before, what is done in each round, and where.

    One round is enough for a task that `repeats` itself.
    """

    title: str
    rows: int
    task: Task
    kinds: tuple[str, ...] = KINDS
    repeats: bool = False


def rows_from(first: int, count: int) -> pa.Table:
    """Rows with ids from `first` on."""
    ids = np.arange(first, first + count)
    names = pa.array([f"name {i % 10_000}" for i in range(first, first + count)])
    return pa.table(
        {"id": ids, "part": (ids % 100).astype(np.int32), "name": names, "amount": ids / 4}
    )


def lines(size: Size) -> Iterator[Line]:
    """What is done to a table by one writer, in one commit or many."""
    one, some, many = (rows_from(0, count) for count in (1, 1_000, size.rows))
    yield Line("append 1 row", 0, lambda writer, _: writer.append(one))
    yield Line("append 1,000 rows", 0, lambda writer, _: writer.append(some))
    yield Line(f"append {size.rows:,} rows", 0, lambda writer, _: writer.append(many))
    often = size.commits
    yield Line(f"{often} appends of 1 row", 0, _repeated(one, often), repeats=True)
    yield Line(f"{often} appends of 1,000 rows", 0, _repeated(some, often), SERVED, repeats=True)
    adding = partial(_add_columns, size.columns)
    yield Line(f"add {size.columns} columns, one by one", 0, adding, SERVED, repeats=True)
    yield Line(f"delete 1 % of {size.rows:,} rows", size.rows, _delete)
    yield Line(f"delete 1 % of {size.more_rows:,} rows", size.more_rows, _delete, ("SQLite",))
    yield Line(f"update 1 % of {size.rows:,} rows", size.rows, _update, SERVED)
    yield Line(f"merge 1 % of {size.rows:,} rows", size.rows, partial(_merge, size))
    yield Line(f"delete 1 of {size.rows:,} rows", size.rows, partial(_delete_one, size), SERVED)
    yield Line(f"update 1 of {size.rows:,} rows", size.rows, partial(_update_one, size), SERVED)


def _repeated(rows: pa.Table, count: int) -> Task:
    def task(writer: Writer, _: int) -> None:
        for _ in range(count):
            writer.append(rows)

    return task


def _add_columns(count: int, writer: Writer, number: int) -> None:
    for each in range(count):
        writer.add_column(f"c{number}_{each}")


def _delete(writer: Writer, number: int) -> None:
    writer.delete(Every(100, number))


def _update(writer: Writer, number: int) -> None:
    writer.update(Every(100, number))


def _delete_one(size: Size, writer: Writer, number: int) -> None:
    writer.delete(Every(size.rows, number))


def _update_one(size: Size, writer: Writer, number: int) -> None:
    writer.update(Every(size.rows, number))


def _merge(size: Size, writer: Writer, number: int) -> None:
    """Nine of ten rows are there, the tenth is new."""
    writer.merge(merged_rows(size.rows, number))


def merged_rows(rows: int, number: int) -> pa.Table:
    """A hundredth of the ids of a table, some of them beyond its end."""
    ids = np.arange(number, rows * 1.1, 110, dtype=np.int64)
    part = pa.array(np.zeros(ids.size, np.int32))
    names = pa.array([f"merged {i}" for i in ids])
    return pa.table({"id": ids, "part": part, "name": names, "amount": ids / 8})


def read_back(lake: LakeAddress) -> tuple[int, object]:
    """What DuckDB finds in a lake."""
    with attached(lake, name="read") as connection:
        found = connection.execute(
            "SELECT count(*), [sum(id), sum(amount), count(DISTINCT name)] FROM read.t"
        ).fetchone()
    return found[0], tuple(found[1])


def measure_lines(copies: Copies, size: Size, only: str) -> Iterator[tuple[str, list[Measured]]]:
    """Every line by everybody, on every kind of catalog."""
    for line, kind in ((each, kind) for each in lines(size) for kind in each.kinds):
        title = f"{line.title}, {kind}"
        if only not in title:
            continue
        rounds = 1 if line.repeats else size.rounds
        lakes = {each.name: copies.new(kind, line.rows) for each in EVERYBODY}
        results = each_in_its_own(EVERYBODY, lakes, line.task, rounds=rounds)
        for measured in results:
            if measured.seconds:
                measured.answer = read_back(lakes[measured.name])
        yield title, results


def measure_races(copies: Copies, size: Size, only: str) -> Iterator[tuple[str, list[Measured]]]:
    """Commits of several processes at once; a failed one is not counted."""
    with racers(4) as processes:
        for count in (1, 1_000):
            title = f"a commit while 4 processes append {count:,} rows, PostgreSQL"
            if only in title:
                rows = rows_from(0, count)
                results = []
                for each in EVERYBODY:
                    lake = copies.new("PostgreSQL", 0)
                    results.append(processes.raced(each, lake, rows, seconds=size.seconds))
                yield title, results


def measure_feeds(copies: Copies, size: Size, only: str) -> Iterator[tuple[str, list[Measured]]]:
    """The same changes in tables of different sizes; ours must not grow with the table."""
    for rows in size.fed_rows:
        for scattered in (False, True):
            where = "scattered" if scattered else "neighbours"
            title = f"feed of 1,000 changes ({where}) in {rows:,} rows"
            if only in title:
                lake = copies.new("SQLite", rows)
                since, until = _changed(lake, rows, scattered=scattered)
                task = lambda reader, a=since, b=until: reader.changes(a, b)  # noqa: E731
                yield title, in_turns(EVERYBODY, lake, task, rounds=2 * size.rounds + 1, cold=False)
                print(f"  work: {_work(lake, since, until)}")


def _changed(lake: LakeAddress, rows: int, *, scattered: bool) -> tuple[int, int]:
    """500 rows come, 250 go, and 125 are updated; the snapshots before and after."""
    step, middle = rows // 375, rows // 2
    place = f"id % {step} = 0 AND id // {step}" if scattered and step > 1 else f"id - {middle}"
    with attached(lake, name="made") as connection:
        connection.execute(
            f"INSERT INTO made.t SELECT {rows} + i, 0, 'new', 0 FROM range(500) r(i)"
        )
        connection.execute(f"DELETE FROM made.t WHERE {place} BETWEEN 0 AND 249")
        connection.execute(f"UPDATE made.t SET name = 'old' WHERE {place} BETWEEN 250 AND 374")
        (last,) = connection.execute("FROM made.current_snapshot()").fetchone()
    return last - 3, last


def _work(lake: LakeAddress, since: int, until: int) -> str:
    meter = Meter()
    with ql.connect(lake.url, create=False, read_only=True) as opened:
        for _ in opened.table("t").changes(since, until).to_batches(meter=meter):
            pass
    read = meter.total
    return f"{read.files:,} files, {read.rows:,} rows, {read.bytes / 1e6:,.2f} MB"


def run(size: Size, only: str) -> None:
    rows: list[str] = []
    begun = time.monotonic()
    with folder_of_its_own():
        server = PostgresServer()
        copies = Copies(server)
        try:
            for title, results in itertools.chain(
                measure_lines(copies, size, only),
                measure_races(copies, size, only),
                measure_feeds(copies, size, only),
            ):
                rows.append(row(title, results))
                print(title, *details(results), sep="\n", flush=True)
        finally:
            server.stop()
    print("", machine(), "", heading([each.name for each in EVERYBODY]), *rows, sep="\n")
    print(f"\n`*`: not the same rows, see above. {time.monotonic() - begun:.0f} s in all")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small tables, few rounds")
    parser.add_argument("--only", default="", help="lines whose title contains this")
    chosen = parser.parse_args()
    run(QUICK if chosen.quick else FULL, chosen.only)


if __name__ == "__main__":
    main()

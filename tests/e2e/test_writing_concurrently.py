"""Processes of ours and of DuckDB change the same tables at once: nothing is lost or doubled.

`QUACKLAKE_LONG=120` lets them run for two minutes instead of a few seconds, and races every pair
of changes instead of every other one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest

import quacklake as ql
from quacklake.catalog import Backend
from quacklake.client.maintaining import Maintains
from quacklake.format.snapshot import Latest
from quacklake.format.table import TableName
from quacklake.kernel.errors import CommitConflict
from tests.support.lakes import lakes_on
from tests.support.writers import (
    ALTER,
    COMPACT,
    FLUSH,
    REWRITE,
    TABLE,
    altered,
    check_catalog,
    check_current,
    delete,
    increment,
    insert,
    merge,
    rows_from,
)

ROOT = Path(__file__).parents[2]
SECONDS = float(os.environ.get("QUACKLAKE_LONG", "6"))
WRITER = """
    import json, random, sys, time
    import duckdb
    import quacklake as ql
    from quacklake.kernel.errors import CommitConflict, Unavailable
    from tests.support.referee import Referee
    from tests.support.writers import (
        COMPACT, FLUSH, REWRITE, altered, delete, increment, insert, merge,
    )

    kind, number, url, target, seconds = sys.argv[1:]
    chance = random.Random(int(number))
    base = 100_000 * (int(number) + 1)
    holder = ql.connect(url) if kind == "ours" else Referee(target)
    told = {"n": {}, "mine": {}, "done": 0, "refused": 0}

    def run(operation, table):
        try:
            if kind == "ours":
                operation.ours(holder, table)
            else:
                operation.by_duckdb(holder, table)
        except (CommitConflict, Unavailable, duckdb.Error) as error:
            if kind == "ours" and not isinstance(error, CommitConflict | Unavailable):
                raise
            told["refused"] += 1
            return False
        told["done"] += 1
        return True

    column, other = f"c{number}", f"d{number}"
    SHAPES = [
        altered(f"ADD COLUMN {column} BIGINT DEFAULT 7",
                lambda t: t.add_column(column, "bigint", default="7")),
        altered(f"RENAME COLUMN {column} TO {other}", lambda t: t.rename_column(column, other)),
        altered(f"DROP COLUMN {other}", lambda t: t.drop_column(other)),
    ]
    KINDS = ["increment"] * 4 + ["append"] * 4 + ["delete"] * 2 + ["merge"] * 2
    KINDS += ["move", "note", "shape"]
    MOVES = [COMPACT, REWRITE]
    # On PostgreSQL a flush of DuckDB's that others get ahead of leaves deletions in two places.
    if kind == "ours" or not target.startswith("postgres:"):
        MOVES.append(FLUSH)

    end = time.monotonic() + float(seconds)
    fresh = shape = 0
    while time.monotonic() < end:
        match chance.choice(KINDS):
            case "increment":
                first, count = chance.randrange(20), chance.choice([1, 2, 15])
                if run(increment(first, count), "shared"):
                    for k in range(first, min(first + count, 20)):
                        told["n"][k] = told["n"].get(k, 0) + 1
            case "append":
                count = chance.choice([1, 3, 20])
                if run(insert(base + fresh, count), "log"):
                    told["mine"].update(dict.fromkeys(range(base + fresh, base + fresh + count), 0))
                fresh += count
            case "delete":
                first, count = base + chance.randrange(fresh + 1), chance.choice([1, 12])
                if run(delete(first, count), "log"):
                    for k in range(first, first + count):
                        told["mine"].pop(k, None)
            case "merge":
                first, count = base + chance.randrange(fresh + 1), chance.choice([1, 2, 14])
                n = chance.randrange(100)
                if run(merge(first, count, n), "log"):
                    told["mine"].update(dict.fromkeys(range(first, first + count), n))
                fresh = max(fresh, first + count - base)
            case "shape":
                if run(SHAPES[shape % 3], "log"):
                    shape += 1
            case "move":
                run(chance.choice(MOVES), chance.choice(["shared", "log"]))
            case "note":
                run(altered("SET SORTED BY (k)", lambda t: t.set_sort_order(["k"])), "log")
    holder.close()
    print(json.dumps(told))
"""


def started(kind, number, place):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER), kind, str(number), place.url,
         place.target, str(SECONDS)],
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip


def told_by(process):
    out, err = process.communicate(timeout=SECONDS + 240)
    assert process.returncode == 0, err
    # DuckDB may draw a progress bar before it.
    return json.loads(out.splitlines()[-1])


@pytest.mark.timeout(SECONDS + 300)
@pytest.mark.parametrize(
    ("backend", "kinds"),
    [
        (Backend.POSTGRES, ("ours", "ours", "duckdb")),
        (Backend.SQLITE, ("ours", "ours", "duckdb")),
        (Backend.POSTGRES, ("ours", "ours", "ours")),
        (Backend.SQLITE, ("ours", "ours", "ours")),
    ],
)
def test_what_was_acknowledged_is_there_once(backend, kinds, request, tmp_path, record_property):
    place = lakes_on(backend, request, tmp_path).place()
    with ql.connect(place.url, data_path=place.data_path) as lake:
        lake.create_table("shared", TABLE).append(rows_from(0, 20))
        lake.create_table("log", TABLE).append(rows_from(0, 1))

    processes = [started(kind, i, place) for i, kind in enumerate(kinds)]
    try:
        told = [told_by(process) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.communicate()

    for kind, each in zip(kinds, told, strict=True):
        record_property(f"{backend} {kind}", f"{each['done']} done, {each['refused']} refused")
    shared, log = Counter(dict.fromkeys(range(20), 0)), [(0, 0)]
    for each in told:
        shared.update({int(k): n for k, n in each["n"].items()})
        log += [(int(k), n) for k, n in each["mine"].items()]
    with ql.connect(place.url) as lake, place.referee() as referee:
        check_current(lake, referee, "shared", list(shared.items()))
        check_current(lake, referee, "log", log)
        check_catalog(referee)
    assert all(each["done"] for each, kind in zip(told, kinds, strict=True) if kind == "ours")


RACES = {
    "insert small": insert(1000, 1, 1),
    "insert large": insert(1000, 30, 1),
    "delete small": delete(3, 2),
    "delete large": delete(0, 20),
    "delete kept": delete(100, 1),
    "delete fresh": delete(203, 2),
    "delete worn small": delete(318, 3),
    "delete worn large": delete(314, 12),
    "update small": increment(3, 1),
    "update large": increment(0, 150),
    "compact": COMPACT,
    "rewrite": REWRITE,
    "flush": FLUSH,
    "alter": ALTER,
    "rename": altered(
        "RENAME COLUMN n TO m; ALTER TABLE {t} RENAME COLUMN m TO n",
        lambda t: (t.rename_column("n", "m"), t.rename_column("m", "n")),
    ),
    "merge small": merge(2, 2, 9),
    "merge large": merge(50, 60, 9),
}
START = [
    (k, 0) for k in (*range(60), 100, 101, *range(200, 224), *range(312, 340)) if k not in (1, 30)
]


@pytest.fixture(scope="module")
def racecourse(request, tmp_path_factory):
    """A lake on PostgreSQL, where an open transaction of DuckDB does not lock others out."""
    place = lakes_on(Backend.POSTGRES, request, tmp_path_factory.mktemp("races")).place()
    with ql.connect(place.url, data_path=place.data_path) as lake, place.referee() as referee:
        lake.create_table("aside", TABLE)
        yield lake, referee


@pytest.fixture
def raced(racecourse):
    """The lake, with nothing left by a race before: DuckDB loads all tables again and again."""
    yield racecourse
    lake, referee = racecourse
    with suppress(duckdb.Error):
        referee.execute("ROLLBACK")
    for each in lake.tables():
        if each.name != "aside":
            lake.drop_table(each.name)


def prepared(lake, table):
    with lake.transaction() as tx:
        made = tx.create_table(table, TABLE)
        for start, count in ((0, 30), (30, 30), (100, 2), (200, 12)):
            made.append(rows_from(start, count))
    with lake.transaction() as tx:
        for start, count in ((212, 12), (300, 40)):
            tx.table(table).append(rows_from(start, count))
    made = lake.table(table)
    made.delete("k >= 300 AND k < 312")
    made.delete("k IN (1, 30)")


def pairs(turn, ours=tuple(RACES), theirs=tuple(RACES)):
    """Pairs of changes, all of them or every other one; what `turn` 0 leaves out is in turn 1."""
    places = {name: place for place, name in enumerate(RACES)}
    chosen = [
        (one, other)
        for one in ours
        for other in theirs
        if "QUACKLAKE_LONG" in os.environ or (places[one] + places[other]) % 2 == turn
    ]
    return pytest.mark.parametrize(("ours", "theirs"), chosen)


MOVES = ("compact", "rewrite", "flush")


@pytest.mark.slow
@pairs(0)
def test_a_late_commit_of_duckdb_stands_on_ours_or_fails(raced, theirs, ours):
    lake, referee = raced
    table = f"t_{list(RACES).index(theirs)}_{list(RACES).index(ours)}"
    prepared(lake, table)
    referee.execute("BEGIN")
    RACES[theirs].by_duckdb(referee, table)

    # Where DuckDB holds a row of the catalog, our commit waits for DuckDB's and comes second.
    with ThreadPoolExecutor(1) as pool:
        committing = pool.submit(RACES[ours].ours, lake, table)
        second = bool(wait([committing], timeout=2).not_done)
        expected = START if second else RACES[ours].model(START)
        with suppress(duckdb.Error):
            referee.execute("COMMIT")
            expected = RACES[theirs].model(expected)
        try:
            committing.result()
            expected = RACES[ours].model(expected) if second else expected
        except CommitConflict:
            assert second, "nothing was committed that ours could meet"

    check_current(lake, referee, table, expected)


@pytest.mark.slow
@pairs(1, ours=[name for name in RACES if name not in MOVES])
def test_our_late_commit_stands_on_theirs_or_fails(raced, theirs, ours):
    lake, referee = raced
    table = f"u_{list(RACES).index(theirs)}_{list(RACES).index(ours)}"
    prepared(lake, table)
    expected = RACES[theirs].model(START)
    try:
        with lake.transaction() as tx:
            RACES[ours].ours(tx, table)
            RACES[theirs].by_duckdb(referee, table)
        expected = RACES[ours].model(expected)
    except CommitConflict:
        pass

    check_current(lake, referee, table, expected)


class Late(Maintains):
    """Maintenance that lets another writer in between its plan and its first commit."""

    def __init__(self, lake, meanwhile):
        self._session = lake._session
        self._meanwhile = meanwhile

    def _commit(self, move):
        self._meanwhile()
        self._meanwhile = lambda: None
        return super()._commit(move)


@pytest.mark.slow
@pytest.mark.parametrize("theirs", RACES)
@pytest.mark.parametrize("ours", MOVES)
def test_our_late_maintenance_stands_on_theirs_or_plans_anew(raced, theirs, ours):
    lake, referee = raced
    table = f"v_{list(RACES).index(theirs)}_{list(RACES).index(ours)}"
    prepared(lake, table)

    late = Late(lake, lambda: RACES[theirs].by_duckdb(referee, table))
    RACES[ours].ours(late, table)

    check_current(lake, referee, table, RACES[theirs].model(START))


@pytest.mark.slow
@pairs(0, theirs=[name for name in RACES if name != "flush"])
def test_our_late_commit_heeds_what_duckdb_had_to_commit_twice(raced, theirs, ours):
    """DuckDB dates what it deletes by its first attempt, which may be before we began."""
    lake, referee = raced
    table = f"w_{list(RACES).index(theirs)}_{list(RACES).index(ours)}"
    prepared(lake, table)
    referee.execute("BEGIN")
    RACES[theirs].by_duckdb(referee, table)
    lake.table("aside").append(rows_from(0, 1))
    expected = RACES[theirs].model(START)
    try:
        if ours in MOVES:
            RACES[ours].ours(Late(lake, lambda: referee.execute("COMMIT")), table)
        else:
            with lake.transaction() as tx:
                RACES[ours].ours(tx, table)
                referee.execute("COMMIT")
        expected = RACES[ours].model(expected)
    except CommitConflict:
        pass

    check_current(lake, referee, table, expected)


def test_the_matrix_has_a_change_of_every_kind(raced):
    lake, referee = raced
    prepared(lake, "every")
    rows = START
    for operation in RACES.values():
        operation.ours(lake, "every")
        rows = operation.model(rows)
        check_current(lake, referee, "every", rows)
    check_catalog(referee)


def test_a_reader_looks_again_when_a_table_it_was_about_to_read_is_gone(raced):
    lake, referee = raced
    table = lake.create_table("gone", TABLE)
    table.append(rows_from(0, 2))
    table.add_column("c", "int")
    looks = []

    def question(reader):
        at = reader.snapshot(Latest())
        found = reader.table(TableName("main", "gone"), at)
        if not looks:
            # DuckDB flushes, and drops the older of the two tables that the catalog keeps rows in.
            FLUSH.by_duckdb(referee, "gone")
        looks.append(at.id)
        return len(reader.files(found, at)), reader.inlined_rows(found, at)

    assert lake._session.asked(question) == (1, ())
    assert len(looks) == 2
    check_current(lake, referee, "gone", [(0, 0), (1, 0)])

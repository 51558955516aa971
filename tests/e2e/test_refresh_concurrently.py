"""Processes refresh the same stream tables while others write, compact and expire their sources.

`QUACKLAKE_LONG=120` lets them run for two minutes instead of a few seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from quacklake.catalog import Backend
from tests.support.lakes import lakes_on
from tests.support.streams import Streams, opened
from tests.support.writers import check_catalog

ROOT = Path(__file__).parents[2]
SECONDS = float(os.environ.get("QUACKLAKE_LONG", "8"))
QUERIES = {
    "grouped": "select k, sum(v) as s, count(*) as n, max(v) as top from t group by k",
    "joined": "select t.id, u.w from t left join u on t.k = u.k",
    "stacked": "select n, count(*) as c from grouped group by n",
}
PROCESS = """
    import json, random, sys, time
    import pyarrow as pa
    import quacklake as ql
    from quacklake.kernel.errors import CommitConflict, SnapshotExpired, Unavailable

    role, number, url, seconds = sys.argv[1:]
    chance = random.Random(int(number))
    lake = ql.connect(url, engine="local")
    told = {"snapshots": [], "modes": [], "verified": 0, "refused": 0, "expired": 0, "done": 0}
    fresh = 0

    def rows(count):
        global fresh
        fresh += count
        ids = range(1000 + fresh, 1000 + fresh + count)
        number = lambda: pa.array([chance.choice([None, 0, 1, 2, 3]) for _ in ids], pa.int32())
        return pa.table({"id": pa.array(ids, pa.int64()), "k": number(), "v": number()})

    def write():
        some = f"k = {chance.randrange(4)}"
        match chance.randrange(6):
            case 0 | 1:
                lake.table("t").append(rows(chance.choice([1, 3, 14])))
            case 2:
                lake.table("t").update({"v": "v + 1"}, where=some)
            case 3:
                lake.table("t").delete(f"{some} and id % 3 = 0")
            case 4:
                lake.table("u").overwrite(
                    pa.table({"k": pa.array([1, 2], pa.int32()),
                              "w": pa.array([chance.randrange(9)] * 2, pa.int32())}), where=some)
            case 5:
                with lake.transaction() as tx:
                    tx.table("t").append(rows(2))
                    tx.table("u").update({"w": "w + 1"}, where=some)
        time.sleep(0.05)

    def refresh():
        names = chance.choice([None, ["grouped"], ["joined"], ["stacked", "grouped"]])
        if chance.random() < 0.1:
            reports = [lake.stream_table("joined").refresh(mode="full")]
        else:
            reports = lake.refresh(names)
        told["modes"] += [str(each.mode) for each in reports]
        told["snapshots"] += {each.snapshot_id for each in reports if each.snapshot_id}
        name = chance.choice(["grouped", "joined", "stacked"])
        assert lake.stream_table(name).verify().ok, f"{name} is wrong or half done"
        told["verified"] += 1

    def maintain():
        match chance.randrange(5):
            case 0:
                lake.merge_adjacent_files()
            case 1:
                lake.flush_inlined_data()
            case 2:
                lake.rewrite_data_files(delete_threshold=0.1)
            case 3 | 4:
                told["expired"] += len(lake.expire_snapshots(older_than="1 second"))
        time.sleep(0.2)

    act = {"write": write, "refresh": refresh, "maintain": maintain}[role]
    print("ready", flush=True)
    sys.stdin.readline()
    start = time.monotonic()
    # On a busy machine seconds are short: something must have happened, too.
    while (spent := time.monotonic() - start) < float(seconds) or (
        told["done"] < 8 and spent < float(seconds) + 60
    ):
        try:
            act()
            told["done"] += 1
        except (CommitConflict, Unavailable, SnapshotExpired):
            told["refused"] += 1
    lake.close()
    print(json.dumps(told))
"""


def started(role, number, place):
    return subprocess.Popen(
        [
            sys.executable,
            "-c",
            textwrap.dedent(PROCESS),
            role,
            str(number),
            place.url,
            str(SECONDS),
        ],
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told_by(process):
    out, err = process.communicate(timeout=SECONDS + 200)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


def prepared(lake):
    lake.create_table("t", {"id": "bigint", "k": "int", "v": "int"})
    lake.create_table("u", {"k": "int", "w": "int"})
    ids = range(40)
    keys = pa.array([i % 4 for i in ids], pa.int32())
    lake.table("t").append(pa.table({"id": pa.array(ids, pa.int64()), "k": keys, "v": keys}))
    lake.table("u").append(
        pa.table({"k": pa.array([1, 2], pa.int32()), "w": pa.array([5, 6], pa.int32())})
    )
    for name, query in QUERIES.items():
        lake.create_stream_table(name, query)


@pytest.mark.timeout(SECONDS + 300)
@pytest.mark.parametrize("others", [["write"], ["write", "maintain"]], ids=["writing", "upkeep"])
@pytest.mark.parametrize("backend", [Backend.SQLITE, Backend.POSTGRES])
def test_refreshers_never_leave_a_wrong_result(backend, others, request, tmp_path, record_property):
    place = lakes_on(backend, request, tmp_path).place()
    with opened(place) as lake:
        prepared(lake)
    roles = ["refresh", "refresh", *others]
    processes = [started(role, number, place) for number, role in enumerate(roles)]
    try:
        # None begins before all can: a process takes seconds to start.
        for process in processes:
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            process.stdin.write("go\n")
            process.stdin.flush()
        told = [told_by(process) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.communicate()

    for role, each in zip(roles, told, strict=True):
        modes = dict(Counter(each["modes"]))
        record_property(
            f"{backend} {role}", f"{each['done']} done, {each['refused']} refused {modes}"
        )
    claimed = [snapshot for each in told[:2] for snapshot in each["snapshots"]]
    assert len(claimed) == len(set(claimed)), "a refresh was won twice"
    assert min(each["verified"] for each in told[:2]) > 0, "both must have refreshed"
    with opened(place) as lake:
        made = Streams(place, lake)
        remembered = set()
        for name in QUERIES:
            view = lake.stream_table(name)
            made.views[name], made.queries[name] = view, view.query
            made.shapes[name] = view.table.schema
            assert view.verify().ok
            won = [each.report.snapshot_id for each in view.history()]
            assert len(won) == len(set(won)), "two generations in one snapshot"
            remembered |= set(won)
        assert set(claimed) <= remembered
        lake.refresh()
        made.check()
        with place.referee() as referee:
            check_catalog(referee)

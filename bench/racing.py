"""Several processes that commit to one table of one lake, as often as they can."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier

import pyarrow as pa
from lakes import LakeAddress
from rounds import Measured
from writers import EVERYBODY, Contender

START_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Lap:
    """What one process did: commits that landed, those that did not and why, time and CPU."""

    landed: int
    lost: int
    why: str
    seconds: float
    cpu_seconds: float


class Racers:
    """Processes that wait for a race; starting them is not part of any measurement."""

    def __init__(self, pool: ProcessPoolExecutor, count: int) -> None:
        self._pool = pool
        self._count = count

    def raced(
        self, contender: Contender, lake: LakeAddress, rows: pa.Table, *, seconds: float
    ) -> Measured:
        """The time per commit while everybody appends `rows` again and again."""
        racing = [
            self._pool.submit(_race, contender.name, lake, rows, seconds)
            for _ in range(self._count)
        ]
        laps = [each.result() for each in racing]
        measured = Measured(contender.name)
        measured.failed_rounds = sum(lap.lost for lap in laps)
        measured.failure = next((lap.why for lap in laps if lap.why), None)
        landed = sum(lap.landed for lap in laps)
        if landed:
            measured.seconds.append(max(lap.seconds for lap in laps) / landed)
            measured.cpu_seconds.append(sum(lap.cpu_seconds for lap in laps) / landed)
        return measured


@contextmanager
def racers(count: int) -> Iterator[Racers]:
    """`count` processes, started when they are first needed."""
    spawn = multiprocessing.get_context("spawn")
    start = spawn.Barrier(count)
    with ProcessPoolExecutor(count, spawn, initializer=_wait_at, initargs=(start,)) as pool:
        yield Racers(pool, count)


_START: list[Barrier] = []


def _wait_at(start: Barrier) -> None:
    _START.append(start)


def _race(name: str, lake: LakeAddress, rows: pa.Table, seconds: float) -> Lap:
    """One process; the barrier holds it until every other one has taken a place, too."""
    contender = next(each for each in EVERYBODY if each.name == name)
    landed = lost = 0
    why = ""
    _START[0].wait(START_SECONDS)
    try:
        with contender.opened(lake) as writer:
            with suppress(Exception):
                # The first one makes what later ones find; rivals may lose it.
                writer.append(rows)
            _START[0].wait(START_SECONDS)
            begun, cpu_begun = time.monotonic(), time.process_time()
            while time.monotonic() < begun + seconds:
                try:
                    writer.append(rows)
                    landed += 1
                except Exception as reason:  # noqa: BLE001 - whatever it is, it is counted
                    lost, why = lost + 1, f"{type(reason).__name__}: {reason}"[:110]
            took, worked = time.monotonic() - begun, time.process_time() - cpu_begun
            return Lap(landed, lost, why, took, worked)
    except Exception as reason:  # noqa: BLE001
        return Lap(0, 1, f"{type(reason).__name__}: {reason}"[:110], 0, 0)

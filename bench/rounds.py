"""Measuring in turns: noise that lasts hits every contender alike."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import median
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from contenders import Contender, Reader
from lakes import LakeAddress

Task: TypeAlias = Callable[[Reader], pa.Table | int]


@dataclass(slots=True)
class Measured:
    """What one contender did on one line: seconds and seconds of CPU per round, or why not."""

    name: str
    seconds: list[float] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)
    answer: tuple[int, object] | None = None
    failure: str | None = None
    failed_rounds: int = 0

    @property
    def median(self) -> float | None:
        """The median time, if any round succeeded."""
        return median(self.seconds) if self.seconds else None

    @property
    def cpu(self) -> float | None:
        """The median CPU time of this process, which other processes disturb less."""
        return median(self.cpu_seconds) if self.cpu_seconds else None


def in_turns(
    contenders: Sequence[Contender], lake: LakeAddress, task: Task, *, rounds: int, cold: bool
) -> list[Measured]:
    """Every contender does `task` `rounds` times; `cold` counts opening the lake as well."""
    results = {contender.name: Measured(contender.name) for contender in contenders}
    if cold or lake.is_exclusive:
        _reopening(contenders, lake, task, results, rounds=rounds, cold=cold)
    else:
        _held_open(contenders, lake, task, results, rounds=rounds)
    return list(results.values())


def each_in_its_own(
    contenders: Sequence[Any],
    lakes: Mapping[str, LakeAddress],
    task: Callable[[Any, int], object],
    *,
    rounds: int,
) -> list[Measured]:
    """Every contender does `task`, told the round, `rounds` times on a lake of its own."""
    results = {contender.name: Measured(contender.name) for contender in contenders}
    with ExitStack() as held:
        opened: dict[str, Any] = {}
        for contender in contenders:
            try:
                lake = lakes[contender.name]
                opened[contender.name] = held.enter_context(contender.opened(lake))
            except Exception as reason:  # noqa: BLE001 - whatever it is, it is the answer
                _note(results[contender.name], reason)
        for number in range(rounds + 1):
            for name, writer in _rotated(opened.items(), number):
                _once(
                    results[name],
                    lambda writer=writer, number=number: _nothing(task(writer, number)),
                    counts=number > 0,
                )
    return list(results.values())


def _nothing(_: object) -> int:
    """The answer is in the lake."""
    return 0


def _held_open(
    contenders: Sequence[Contender],
    lake: LakeAddress,
    task: Task,
    results: dict[str, Measured],
    *,
    rounds: int,
) -> None:
    with ExitStack() as held:
        readers: dict[str, Reader] = {}
        for contender in contenders:
            try:
                readers[contender.name] = held.enter_context(contender.opened(lake))
            except Exception as reason:  # noqa: BLE001 - whatever it is, it is the answer
                _note(results[contender.name], reason)
        for number in range(rounds + 1):
            for name, reader in _rotated(readers.items(), number):
                _once(results[name], lambda reader=reader: task(reader), counts=number > 0)


def _reopening(
    contenders: Sequence[Contender],
    lake: LakeAddress,
    task: Task,
    results: dict[str, Measured],
    *,
    rounds: int,
    cold: bool,
) -> None:
    for number in range(rounds + 1):
        for contender in _rotated(contenders, number):
            if cold:
                _once(
                    results[contender.name],
                    lambda contender=contender: _opened_and_done(contender, lake, task),
                    counts=number > 0,
                )
                continue
            try:
                with contender.opened(lake) as reader:
                    task(reader)
                    _once(results[contender.name], lambda reader=reader: task(reader), counts=True)
            except Exception as reason:  # noqa: BLE001
                _note(results[contender.name], reason)


def _opened_and_done(contender: Contender, lake: LakeAddress, task: Task) -> pa.Table | int:
    with contender.opened(lake) as reader:
        return task(reader)


def _rotated(items: Iterable, number: int) -> list:
    """The same items, each round another one first."""
    listed = list(items)
    start = number % len(listed) if listed else 0
    return listed[start:] + listed[:start]


def _once(measured: Measured, work: Callable[[], pa.Table | int], *, counts: bool) -> None:
    gc.collect()
    before, cpu_before = time.perf_counter(), time.process_time()
    try:
        result = work()
    except Exception as reason:  # noqa: BLE001
        _note(measured, reason)
        return
    seconds, cpu_seconds = time.perf_counter() - before, time.process_time() - cpu_before
    if measured.answer is None:
        measured.answer = _summary(result)
    if counts:
        measured.seconds.append(seconds)
        measured.cpu_seconds.append(cpu_seconds)


def _summary(result: pa.Table | int) -> tuple[int, object]:
    """Enough of an answer to see that two contenders do not agree."""
    if isinstance(result, int):
        return result, None
    return result.num_rows, pc.sum(result.column(0)).as_py()


def _note(measured: Measured, reason: Exception) -> None:
    measured.failed_rounds += 1
    text = " ".join(str(reason).split())
    measured.failure = f"{type(reason).__name__}: {text[:110]}"

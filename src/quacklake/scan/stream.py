"""Work done by several threads, its results in order, with a bounded amount in flight."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Job: TypeAlias = Callable[[], "T | list[Job[T]]"]
"""A piece of work; it may answer with a list of smaller pieces that stand in its place."""


def default_threads() -> int:
    """One thread per core that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(jobs: Iterable[Job[T]], *, threads: int, ahead: int) -> Iterator[T]:
    """The results of `jobs` in their order; at most `ahead` are begun and not yet taken."""
    waiting = iter(jobs)
    first = list(islice(waiting, 2))
    while len(first) == 1:
        # A job without company is done sooner here than by a thread that has to start.
        result = first[0]()
        if not isinstance(result, list):
            yield result
            return
        first = result
    pool = ThreadPoolExecutor(threads, thread_name_prefix="quacklake-scan")
    try:
        yield from _ordered(pool, chain(first, waiting), ahead)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _ordered(pool: ThreadPoolExecutor, jobs: Iterable[Job[T]], ahead: int) -> Iterator[T]:
    running: deque[Future[T | list[Job[T]]]] = deque()
    for job in jobs:
        running.append(pool.submit(job))
        if len(running) >= ahead:
            yield from _taken(pool, running.popleft().result(), ahead)
    while running:
        yield from _taken(pool, running.popleft().result(), ahead)


def _taken(pool: ThreadPoolExecutor, result: T | list[Job[T]], ahead: int) -> Iterator[T]:
    if isinstance(result, list):
        yield from _ordered(pool, result, ahead)
    else:
        yield result

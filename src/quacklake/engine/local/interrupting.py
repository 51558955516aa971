"""Queries that end when the user says so."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self, TypeVar

import duckdb

T = TypeVar("T")


class Interruptible:
    """Runs the work of a connection so that an interrupt ends it.

    DuckDB hears of a signal only while the calling thread works itself, and not while it waits
    for others. So another thread calls DuckDB, and this one waits, which a signal ends.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        # Signals reach the main thread alone.
        is_main = threading.current_thread() is threading.main_thread()
        self._pool = ThreadPoolExecutor(1, "quacklake-query") if is_main else None

    def run(self, work: Callable[[], T]) -> T:
        """What `work` gives; it is told to stop if this thread is interrupted."""
        if self._pool is None:
            return work()
        running = self._pool.submit(work)
        try:
            return running.result()
        except KeyboardInterrupt:
            self._connection.interrupt()
            running.exception()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True)

"""Processes that kill themselves at a step of a commit.

Each is a copy of one process that has imported everything: to start Python takes longer than what
it is then killed at.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from itertools import count
from multiprocessing import forkserver
from typing import Any, Final
from unittest import mock

import quacklake as ql
from quacklake.pipeline import refreshing
from tests.support.writers import rows_from

_LATER: Final = (
    "psycopg",
    "quacklake.engine.local.programs",
    "quacklake.pipeline.lake",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.dialects.sqlite",
)
"""What is imported when it is needed first, which would be in each copy."""


def killed(victim: Callable[..., None], *arguments: str) -> None:
    """Run a victim, which has to be a function of a module, to its death."""
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload([__name__])
    with mock.patch.dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)):
        forkserver.ensure_running()
    process = forks.Process(target=victim, args=arguments)
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL, f"it ended with {process.exitcode}"


def refresh(url: str, change: str, last: str, back: str) -> None:
    """A change of stream tables; `back` is a snapshot to rewind to."""
    lake: Any = ql.connect(url, engine="local")
    reached = _watched(lake, last)
    module: Any = refreshing
    applied, numbers = module.apply_change, count(1)

    def apply_change(*given: Any, **named: Any) -> Any:
        reached("computed")
        done = applied(*given, **named)
        reached(f"table {next(numbers)} staged")
        return done

    module.apply_change = apply_change
    match change:
        case "refresh" | "no change":
            lake.refresh()
        case "full":
            lake.stream_table("grouped").refresh(mode="full")
        case "rewind":
            lake.stream_table("grouped").rewind(snapshot=int(back))
        case "declare":
            lake.create_stream_table("declared", "select k, min(v) as m from t group by k")
        case "drop":
            lake.stream_table("grouped").drop(cascade=True)


def write(url: str, change: str, last: str) -> None:
    """A change of the table `t`."""
    lake: Any = ql.connect(url)
    reached = _watched(lake, last)
    if change == "compaction":
        lake.merge_adjacent_files("t")
    elif change == "flush":
        lake.flush_inlined_data("t")
    else:
        with lake.transaction() as tx:
            table = tx.table("t")
            table.append(rows_from(500, 40))
            table.delete("k < 15")
            table.update({"n": "n + 1"}, where="k >= 90")
            reached("files written")


def _watched(lake: Any, last: str) -> Callable[[str], None]:
    """Have the lake's commits end the process at the step `last`; what other steps have to call."""

    def reached(step: str) -> None:
        if step == last:
            os.kill(os.getpid(), signal.SIGKILL)

    catalog = lake.session.catalog
    catalog.write = partial(catalog.write, steps=reached)
    return reached


for _name in _LATER:
    importlib.import_module(_name)

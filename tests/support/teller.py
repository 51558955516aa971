"""The real DuckLake extension, in a process of its own.

The extension can take its process down, and a DuckDB catalog belongs to one process at a time.
A teller makes a lake, reads every table at every snapshot, and leaves the answers in a DuckDB
file that needs no extension.
"""

from __future__ import annotations

import os
import pickle
import select
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import duckdb

from quacklake.format.sqltypes import literal, quoted
from tests.support.histories import LAKE, History, Tally, tell
from tests.support.oracle import Answer, remember
from tests.support.referee import extended

_ROOT: Final = Path(__file__).parents[2]
_PATIENCE_SECONDS: Final = 120
_ANSWERS: Final = "answers"
# The optimizer takes bounds of today's rows for those of every snapshot, and answers wrongly.
_MISLED: Final = "statistics_propagation,compressed_materialization"


@dataclass(frozen=True, slots=True)
class Tale:
    """A history to be made real: `uri` is the catalog as ATTACH takes it."""

    history: History
    uri: str
    data_path: str
    files: Path
    answers: Path
    asks_changes: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """What the extension says a table holds at a snapshot, or why it cannot say.

    `identified` has the same rows with `rowid` and `snapshot_id` in front.
    """

    snapshot: int
    schema: str
    table: str
    answer: Answer | None
    complaint: str = ""
    identified: Answer | None = None


@dataclass(frozen=True, slots=True)
class ChangeReading:
    """What the extension says happened to a table from `first` to `last`, both included."""

    first: int
    last: int
    schema: str
    table: str
    answer: Answer | None
    complaint: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """A lake that now exists: its snapshots, oldest first, and what is in it."""

    tally: Tally
    snapshots: tuple[tuple[int, datetime], ...]
    readings: tuple[Reading, ...]
    version: str
    changes: tuple[ChangeReading, ...] = ()


class TellerDied(Exception):
    """The extension took its process down, or did not answer in time."""


class Teller:
    """A process that makes lakes, one after the other, until it dies of one."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from tests.support import teller; teller.serve()"],
            cwd=_ROOT,
            env=os.environ | {"PYTHONPATH": f"{_ROOT / 'src'}{os.pathsep}{_ROOT}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def tell(self, tale: Tale) -> Told:
        """Make the lake of `tale`; after `TellerDied` this teller is of no more use."""
        send, receive = self._process.stdin, self._process.stdout
        assert send is not None
        assert receive is not None
        try:
            pickle.dump(tale, send)
            send.flush()
            ready, _, _ = select.select([receive], [], [], _PATIENCE_SECONDS)
            told = pickle.load(receive) if ready else None
        except (BrokenPipeError, EOFError) as death:
            raise TellerDied(repr(tale.history)) from death
        if not isinstance(told, Told):
            raise TellerDied(repr(tale.history))
        return told

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def serve() -> None:
    """Answer tales on standard input with what became of them, on standard output."""
    # DuckDB may print a progress bar, which must not get between the answers.
    receive, send = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    con = extended("ducklake", "sqlite_scanner", "postgres_scanner", "httpfs")
    con.execute(f"SET disabled_optimizers = '{_MISLED}'")
    while True:
        try:
            tale = pickle.load(receive)
        except EOFError:
            return
        pickle.dump(_told(con, tale), send)
        send.flush()


def _told(con: duckdb.DuckDBPyConnection, tale: Tale) -> Told:
    options = f"DATA_PATH {literal(tale.data_path)}, {tale.history.attach_options()}"
    con.execute(f"ATTACH {literal(tale.uri)} AS {LAKE} ({options})")
    tally = tell(con, tale.history, tale.files)
    con.execute(f"DETACH {LAKE}")
    con.execute(f"ATTACH {literal(tale.uri)} AS {LAKE}")
    con.execute(f"ATTACH {literal(str(tale.answers))} AS {_ANSWERS}")
    changes = tuple(_changes(con)) if tale.asks_changes else ()
    told = Told(tally, tuple(_snapshots(con)), tuple(_readings(con)), _version(con), changes)
    con.execute(f"DETACH {LAKE}")
    con.execute(f"DETACH {_ANSWERS}")
    return told


def _snapshots(con: duckdb.DuckDBPyConnection) -> list[tuple[int, datetime]]:
    query = f"SELECT snapshot_id, snapshot_time FROM ducklake_snapshots('{LAKE}') ORDER BY ALL"
    return [(int(number), time) for number, time in con.execute(query).fetchall()]


def _version(con: duckdb.DuckDBPyConnection) -> str:
    query = "SELECT extension_version FROM duckdb_extensions() WHERE extension_name = 'ducklake'"
    row = con.execute(query).fetchone()
    assert row is not None
    return f"{row[0]} on DuckDB {duckdb.__version__}"


def _readings(con: duckdb.DuckDBPyConnection) -> Iterator[Reading]:
    for snapshot, _ in _snapshots(con):
        for schema, table in _tables(con, snapshot):
            name = f"{LAKE}.{quoted(schema)}.{quoted(table)}"
            relation = f"{_ANSWERS}.{quoted(f'{snapshot} {schema} {table}')}"
            query = f"SELECT rowid, snapshot_id, * FROM {name} AT (VERSION => {snapshot})"
            try:
                identified = remember(con, query, relation)
            except (duckdb.FatalException, duckdb.InternalException):
                raise
            except duckdb.Error as complaint:
                yield Reading(snapshot, schema, table, None, str(complaint))
            else:
                answer = Answer(relation, identified.columns[2:])
                yield Reading(snapshot, schema, table, answer, identified=identified)


def _changes(con: duckdb.DuckDBPyConnection) -> Iterator[ChangeReading]:
    numbers = [number for number, _ in _snapshots(con)]
    for last in numbers:
        for schema, table in _tables(con, last):
            for first in (number for number in numbers if 0 < number <= last):
                words = f"{literal(LAKE)}, {literal(schema)}, {literal(table)}, {first}, {last}"
                relation = f"{_ANSWERS}.{quoted(f'{first} to {last} {schema} {table}')}"
                query = f"SELECT * FROM ducklake_table_changes({words})"
                try:
                    answer = remember(con, query, relation)
                except (duckdb.FatalException, duckdb.InternalException):
                    raise
                except duckdb.Error as complaint:
                    yield ChangeReading(first, last, schema, table, None, str(complaint))
                else:
                    yield ChangeReading(first, last, schema, table, answer)


def _tables(con: duckdb.DuckDBPyConnection, snapshot: int) -> list[tuple[str, str]]:
    catalog = f"__ducklake_metadata_{LAKE}"
    query = f"""
        SELECT schema_name, table_name
        FROM {catalog}.ducklake_table AS t JOIN {catalog}.ducklake_schema AS s USING (schema_id)
        WHERE t.begin_snapshot <= {snapshot}
          AND (t.end_snapshot IS NULL OR t.end_snapshot > {snapshot})
        ORDER BY ALL
    """
    return [(str(schema), str(table)) for schema, table in con.execute(query).fetchall()]

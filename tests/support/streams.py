"""Stream tables on real lakes, and DuckDB's own extension to say what they must hold.

The judge reads sources and results with stock DuckDB and computes the query there: of what is
judged it shares nothing but the files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Final

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

import quacklake as ql
from quacklake.catalog import Backend
from quacklake.format.sqltypes import literal, quoted
from quacklake.pipeline.lake import StreamingLake
from quacklake.pipeline.reports import RefreshReport
from quacklake.pipeline.table import StreamTable
from tests.support.ivm_histories import random_row
from tests.support.ivm_world import Bag, Table, comparable, duckdb_type, on_duckdb
from tests.support.lakes import Place
from tests.support.referee import extended

ARROW: Final = {
    "INT": pa.int32(),
    "BIGINT": pa.int64(),
    "SMALLINT": pa.int16(),
    "STRING": pa.string(),
}


def opened(place: Place) -> StreamingLake:
    """The lake at a place, with the engine of this process."""
    return ql.connect(place.url, data_path=place.data_path, engine="local")


@dataclass(slots=True)
class Streams:
    """A lake with sources and stream tables, the judge beside it."""

    place: Place
    lake: StreamingLake
    views: dict[str, StreamTable] = field(default_factory=dict)
    queries: dict[str, str] = field(default_factory=dict)
    shapes: dict[str, pa.Schema] = field(default_factory=dict)

    def keep(self, name: str, query: str, *, oracle: str | None = None) -> StreamTable:
        """A stream table; `oracle` is what DuckDB must be asked where it differs from Spark."""
        made = self.lake.create_stream_table(name, query)
        self.views[name] = made
        self.queries[name] = oracle or on_duckdb(query)
        self.shapes[name] = made.table.schema
        return made

    def refreshed(self, names: Iterable[str] | None = None) -> dict[str, RefreshReport]:
        """Refresh each on its own, by deltas and nothing else."""
        return {
            name: self.views[name].refresh(mode="incremental")
            for name in names or tuple(self.views)
        }

    def check(self, names: Iterable[str] | None = None, *, verify: bool = True) -> None:
        """What is stored is what DuckDB computes, in the types declared, and verify() agrees."""
        chosen = tuple(names or self.views)
        found = self.judged(chosen)
        for name in chosen:
            stored, expected = found[name]
            query = self.queries[name]
            assert stored == expected, f"{name}: {differing(stored, expected)} of {query}"
            assert self.views[name].table.schema == self.shapes[name], f"{name} has other types"
            if verify:
                assert self.views[name].verify().ok, f"verify() disagrees with DuckDB on {name}"

    def judged(self, names: Sequence[str]) -> dict[str, tuple[Bag, Bag]]:
        """For each name the rows that are stored and those that should be, both by DuckDB."""
        with self._judge() as ask:
            return {name: (ask(f"FROM {quoted(name)}"), ask(self.queries[name])) for name in names}

    @contextmanager
    def _judge(self) -> Iterator[Callable[[str], Bag]]:
        # A DuckDB file can be open once only, so the lake lets go of it.
        alone = self.place.backend is Backend.DUCKDB
        if alone:
            self.lake.close()
        con = judge()
        con.execute(f"ATTACH {literal(f'ducklake:{self.place.target}')} AS judged")
        try:
            con.execute("USE judged")
            yield lambda sql: Counter(map(comparable, con.execute(sql).fetchall()))
        finally:
            con.execute("USE memory")
            con.execute("DETACH judged")
        if alone:
            self.reopen()

    def reopen(self) -> None:
        """Another session on the same lake."""
        self.lake.close()
        self.lake = opened(self.place)
        self.views = {name: self.lake.stream_table(name) for name in self.views}


@lru_cache(maxsize=1)
def judge() -> duckdb.DuckDBPyConnection:
    """Stock DuckDB with its extensions, loaded once."""
    return extended("ducklake", "sqlite_scanner", "postgres_scanner")


def differing(ours: Bag, theirs: Bag) -> str:
    """What only one side has."""
    return f"too many {dict(ours - theirs)!r}, missing {dict(theirs - ours)!r}"


@contextmanager
def streams(place: Place) -> Iterator[Streams]:
    """A new lake at a place."""
    made = Streams(place, opened(place))
    try:
        yield made
    finally:
        made.lake.close()


def arrow_rows(random: Random, table: Table, count: int) -> pa.Table:
    """Random rows for a table."""
    rows = [random_row(random, table) for _ in range(count)]
    return pa.table(
        {
            column.name: pa.array([row[place] for row in rows], ARROW[column.type])
            for place, column in enumerate(table.columns)
        }
    )


def make_source(lake: StreamingLake, table: Table) -> None:
    """An empty table of the lake."""
    lake.create_table(
        table.name,
        {
            column.name: duckdb_type(column.type) + ("" if column.nullable else " not null")
            for column in table.columns
        },
    )


@dataclass(slots=True)
class Changing:
    """Random changes of the sources of a lake, by the public interface; `done` tells them."""

    lake: StreamingLake
    random: Random
    tables: tuple[Table, ...]
    done: list[str] = field(default_factory=list)

    def window(self) -> None:
        """Some changes of rows, and in between what only moves rows or adds columns."""
        for _ in range(self.random.randint(1, 4)):
            self._note(self.random.choice(_CHANGES))
            if self.random.random() < 0.4:
                self._note(self.random.choice(_MOVES))

    def moved(self) -> None:
        """Only what moves rows."""
        for _ in range(self.random.randint(1, 3)):
            self._note(self.random.choice(_MOVES))

    def _note(self, change: Callable[[Changing, Table], None]) -> None:
        table = self.random.choice(self.tables)
        self.done.append(f"{change.__name__} {table.name}")
        change(self, table)

    def _some(self, table: Table) -> str:
        column = self.random.choice(table.columns)
        if column.type == "STRING":
            return self.random.choice([f"{column.name} = 'x'", f"{column.name} IS NULL"])
        value = self.random.randint(0, 3)
        return self.random.choice(
            [f"{column.name} = {value}", f"{column.name} > {value}", f"{column.name} IS NULL"]
        )

    def insert(self, table: Table) -> None:
        """A few rows, seldom enough of them for a file."""
        count = self.random.choice([1, 2, 3, 3, 14])
        self.lake.table(table.name).append(arrow_rows(self.random, table, count))

    def delete(self, table: Table) -> None:
        """Rows that satisfy something."""
        self.lake.table(table.name).delete(self._some(table))

    def update(self, table: Table) -> None:
        """New values in rows that satisfy something."""
        column = self.random.choice(table.columns)
        new = {"STRING": "'y'"}.get(column.type, f"({column.name} + 1) % 4")
        if column.nullable and self.random.random() < 0.3:
            new = "NULL"
        self.lake.table(table.name).update({column.name: new}, where=self._some(table))

    def truncate(self, table: Table) -> None:
        """All rows gone, and sometimes new ones in the same window."""
        self.lake.table(table.name).truncate()
        if self.random.random() < 0.7:
            self.insert(table)

    def overwrite(self, table: Table) -> None:
        """Other rows in the place of some."""
        rows = arrow_rows(self.random, table, self.random.randint(0, 3))
        self.lake.table(table.name).overwrite(rows, where=self._some(table))

    def merge(self, table: Table) -> None:
        """Rows brought in by a key that is there, or is not."""
        key = table.columns[0].name
        rows = arrow_rows(self.random, table, 3)
        unique = rows.group_by(key).aggregate(
            [(column.name, "max") for column in table.columns[1:]]
        )
        unique = unique.rename_columns([key, *(column.name for column in table.columns[1:])])
        self.lake.table(table.name).merge(
            unique.filter(pc.is_valid(unique.column(key))),
            on=key,
            when_matched=self.random.choice(["update", "delete"]),
            when_not_matched=self.random.choice(["insert", "ignore"]),
        )

    def transaction(self, table: Table) -> None:
        """Insert, update and delete in one snapshot."""
        with self.lake.transaction() as tx:
            chosen = tx.table(table.name)
            chosen.append(arrow_rows(self.random, table, 2))
            chosen.delete(self._some(table))
            chosen.append(arrow_rows(self.random, table, 1))

    def compact(self, table: Table) -> None:
        """Small files become one."""
        self.lake.merge_adjacent_files(table.name)

    def flush(self, table: Table) -> None:
        """Rows that the catalog keeps go to files."""
        self.lake.flush_inlined_data(table.name)

    def rewrite(self, table: Table) -> None:
        """Files with deleted rows are written anew."""
        self.lake.rewrite_data_files(table.name, delete_threshold=0.01)

    def add_column(self, table: Table) -> None:
        """One more column, which no view reads."""
        known = len(self.lake.table(table.name).schema)
        default = self.random.choice([None, "7"])
        self.lake.table(table.name).add_column(f"more_{known}", "int", default=default)

    def limit(self, table: Table) -> None:
        """From now on rows go to files, or to the catalog."""
        limit = self.random.choice([0, 10])
        self.lake.set_option("data_inlining_row_limit", limit, table=table.name)


_CHANGES: Final = (
    Changing.insert,
    Changing.insert,
    Changing.insert,
    Changing.delete,
    Changing.delete,
    Changing.update,
    Changing.update,
    Changing.truncate,
    Changing.overwrite,
    Changing.merge,
    Changing.transaction,
)
_MOVES: Final = (
    Changing.compact,
    Changing.flush,
    Changing.rewrite,
    Changing.add_column,
    Changing.limit,
)

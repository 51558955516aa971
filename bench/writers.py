"""Those who write: us, DuckDB's extension, and two clients from PyPI."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol

import duckdb
import ducklake
import ducklake_polars as dataframe
import polars as pl
import pyarrow as pa
from contenders import CannotError
from lakes import LakeAddress, attached

import quacklake as ql

INLINED = 10
"""How many rows a catalog keeps itself; two contenders know it, one must be told."""


@dataclass(frozen=True, slots=True)
class Every:
    """Rows scattered all over a table: those whose `id` leaves `rest` when divided by `of`."""

    of: int
    rest: int

    def sql(self) -> str:
        """The condition for DuckDB and for us."""
        return f"id % {self.of} = {self.rest}"

    def polars(self) -> pl.Expr:
        """The condition for the client that stands on Polars."""
        return pl.col("id") % self.of == self.rest


class Writer(Protocol):
    """A lake held open by a contender, which writes to its table `t`, a commit per call."""

    def append(self, rows: pa.Table) -> None:
        """Add rows."""

    def add_column(self, name: str) -> None:
        """Add a column of integers."""

    def delete(self, where: Every) -> None:
        """Remove rows."""

    def update(self, where: Every) -> None:
        """Add 1 to `amount`."""

    def merge(self, rows: pa.Table) -> None:
        """Bring rows in by `id`: update those that are there, insert the others."""

    def changes(self, since: int, until: int) -> pa.Table:
        """The rows that came and went after `since`, up to and including `until`."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A name, and how to open a lake for writing."""

    name: str
    opened: Callable[[LakeAddress], AbstractContextManager[Writer]]


class Ours:
    """Quacklake."""

    def __init__(self, lake: ql.Lake) -> None:
        self._table = lake.table("t")

    def append(self, rows: pa.Table) -> None:
        """By append."""
        self._table.append(rows)

    def add_column(self, name: str) -> None:
        """By add_column."""
        self._table.add_column(name, "integer")

    def delete(self, where: Every) -> None:
        """By delete."""
        self._table.delete(where.sql())

    def update(self, where: Every) -> None:
        """By update."""
        self._table.update({"amount": "amount + 1"}, where=where.sql())

    def merge(self, rows: pa.Table) -> None:
        """By merge."""
        self._table.merge(rows, on="id")

    def changes(self, since: int, until: int) -> pa.Table:
        """By changes."""
        return self._table.changes(since, until).to_arrow()


class Extension:
    """DuckDB with its own extension."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def append(self, rows: pa.Table) -> None:
        """By INSERT from the Arrow table."""
        self._connection.register("given", rows)
        self._connection.execute("INSERT INTO lake.t FROM given")
        self._connection.unregister("given")

    def add_column(self, name: str) -> None:
        """By ALTER TABLE."""
        self._connection.execute(f"ALTER TABLE lake.t ADD COLUMN {name} INTEGER")

    def delete(self, where: Every) -> None:
        """By DELETE."""
        self._connection.execute(f"DELETE FROM lake.t WHERE {where.sql()}")

    def update(self, where: Every) -> None:
        """By UPDATE."""
        self._connection.execute(f"UPDATE lake.t SET amount = amount + 1 WHERE {where.sql()}")

    def merge(self, rows: pa.Table) -> None:
        """By MERGE."""
        self._connection.register("given", rows)
        self._connection.execute(
            "MERGE INTO lake.t USING given ON t.id = given.id "
            "WHEN MATCHED THEN UPDATE WHEN NOT MATCHED THEN INSERT"
        )
        self._connection.unregister("given")

    def changes(self, since: int, until: int) -> pa.Table:
        """By its table function, whose bounds are both included."""
        feed = f"FROM ducklake_table_changes('lake', 'main', 't', {since + 1}, {until})"
        return self._connection.execute(feed).to_arrow_table()


class Sdk:
    """ducklake-sdk, by way of Polars."""

    def __init__(self, lake: ducklake.Ducklake) -> None:
        self._table = lake.table("t")

    def append(self, rows: pa.Table) -> None:
        """By write_polars; its way for Arrow is DuckDB's."""
        self._table.write_polars(pl.from_arrow(rows))

    def add_column(self, name: str) -> None:
        """By add_column."""
        self._table.add_column(ducklake.Column(name, ducklake.Int32()))

    def delete(self, where: Every) -> None:
        """Not there."""
        raise CannotError(f"it has no delete ({where.sql()})")

    def update(self, where: Every) -> None:
        """Not there."""
        raise CannotError(f"it has no update ({where.sql()})")

    def merge(self, rows: pa.Table) -> None:
        """Not there."""
        raise CannotError(f"it has no merge ({rows.num_rows} rows)")

    def changes(self, since: int, until: int) -> pa.Table:
        """Not there."""
        raise CannotError(f"it has no change feed ({since} to {until})")


class Dataframe:
    """ducklake-dataframe, by way of Polars."""

    def __init__(self, path: str) -> None:
        self._path = path

    def append(self, rows: pa.Table) -> None:
        """By write_ducklake."""
        dataframe.write_ducklake(
            pl.from_arrow(rows), self._path, "t", mode="append", data_inlining_row_limit=INLINED
        )

    def add_column(self, name: str) -> None:
        """By its function."""
        dataframe.alter_ducklake_add_column(self._path, "t", name, pl.Int32())

    def delete(self, where: Every) -> None:
        """By its function."""
        dataframe.delete_ducklake(self._path, "t", where.polars())

    def update(self, where: Every) -> None:
        """By its function."""
        more = {"amount": pl.col("amount") + 1}
        dataframe.update_ducklake(self._path, "t", more, where.polars())

    def merge(self, rows: pa.Table) -> None:
        """By its function."""
        given = pl.from_arrow(rows)
        dataframe.merge_ducklake(self._path, "t", given, "id", when_matched_update=True)

    def changes(self, since: int, until: int) -> pa.Table:
        """By its function."""
        return dataframe.read_ducklake_changes(self._path, "t", since, until).to_arrow()


@contextmanager
def _ours(lake: LakeAddress) -> Iterator[Ours]:
    with ql.connect(lake.url, create=False) as opened:
        yield Ours(opened)


@contextmanager
def _extension(lake: LakeAddress) -> Iterator[Extension]:
    with attached(lake) as connection:
        yield Extension(connection)


@contextmanager
def _sdk(lake: LakeAddress) -> Iterator[Sdk]:
    with ducklake.connect(lake.url) as opened:
        yield Sdk(opened)


@contextmanager
def _dataframe(lake: LakeAddress) -> Iterator[Dataframe]:
    yield Dataframe(lake.path)


OURS = Contender("quacklake", _ours)
EXTENSION = Contender("extension", _extension)
EVERYBODY = (
    OURS,
    EXTENSION,
    Contender("ducklake-sdk", _sdk),
    Contender("ducklake-dataframe", _dataframe),
)

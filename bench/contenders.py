"""Those who read: us, DuckDB's extension, plain pyarrow, and two clients from PyPI."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

import ducklake
import pyarrow as pa
import pyarrow.parquet as pq
from ducklake_core._catalog import DuckLakeCatalogReader
from ducklake_polars import scan_ducklake
from lakes import LakeAddress, attached
from queries import Query

import quacklake as ql


class CannotError(Exception):
    """A contender has no way to do what is asked."""


class Reader(Protocol):
    """A lake held open by a contender; it may be asked any number of times."""

    def read(self, query: Query) -> pa.Table:
        """The rows of `query`, in memory."""

    def list_files(self, table: str) -> int:
        """The number of files a scan of `table` would open, from the catalog alone."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A name, and how to open a lake."""

    name: str
    opened: Callable[[LakeAddress], AbstractContextManager[Reader]]


class Ours:
    """Quacklake."""

    def __init__(self, lake: ql.Lake) -> None:
        self._lake = lake

    def read(self, query: Query) -> pa.Table:
        """The rows, by a scan."""
        condition = query.where.sql() if query.where else None
        return self._lake.table(query.table).scan(query.columns, filter=condition).to_arrow()

    def list_files(self, table: str) -> int:
        """The tasks of a plan."""
        return len(self._lake.table(table).scan().plan().tasks)


class Extension:
    """DuckDB with its own extension."""

    def __init__(self, connection: object) -> None:
        self._connection = connection

    def read(self, query: Query) -> pa.Table:
        """The rows, by SQL."""
        return self._connection.execute(query.sql("lake")).to_arrow_table()

    def list_files(self, table: str) -> int:
        """The files that the extension lists."""
        listing = f"FROM ducklake_list_files('lake', '{table}')"
        return self._connection.execute(listing).to_arrow_table().num_rows


class PlainArrow:
    """pyarrow, told beforehand which files our plan leaves; it knows no deletes."""

    def __init__(self, lake: ql.Lake) -> None:
        self._lake = lake
        self._files: dict[Query, list[str]] = {}

    def read(self, query: Query) -> pa.Table:
        """The rows of the files, filtered."""
        if query not in self._files:
            self._files[query] = self._planned(query)
        return pq.read_table(
            self._files[query],
            columns=list(query.columns) if query.columns else None,
            filters=query.where.arrow() if query.where else None,
            partitioning=None,
        )

    def list_files(self, table: str) -> int:
        """Not possible without a catalog."""
        raise CannotError(f"it has no list of the files of {table}")

    def _planned(self, query: Query) -> list[str]:
        condition = query.where.sql() if query.where else None
        plan = self._lake.table(query.table).scan(query.columns, filter=condition).plan()
        if not plan.tasks:
            raise CannotError("the rows are not in files")
        return [task.file.path for task in plan.tasks]


class Sdk:
    """ducklake-sdk, by way of Polars."""

    def __init__(self, lake: ducklake.Ducklake) -> None:
        self._lake = lake

    def read(self, query: Query) -> pa.Table:
        """The rows, through a lazy frame."""
        return query.on(self._lake.table(query.table).scan_polars()).collect().to_arrow()

    def list_files(self, table: str) -> int:
        """The files of a scan."""
        return len(self._lake.table(table).scan().data_files)


class Dataframe:
    """ducklake-dataframe, by way of Polars."""

    def __init__(self, path: str) -> None:
        self._path = path

    def read(self, query: Query) -> pa.Table:
        """The rows, through a lazy frame."""
        return query.on(scan_ducklake(self._path, query.table)).collect().to_arrow()

    def list_files(self, table: str) -> int:
        """The files, as its scan asks for them."""
        with DuckLakeCatalogReader(self._path) as reader:
            at = reader.get_current_snapshot().snapshot_id
            found, _ = reader.get_table_with_columns(table, "main", at)
            reader.get_delete_files(found.table_id, at)
            return len(reader.get_data_files(found.table_id, at))


@contextmanager
def _ours(lake: LakeAddress) -> Iterator[Ours]:
    with ql.connect(lake.url, create=False, read_only=True) as opened:
        yield Ours(opened)


@contextmanager
def _extension(lake: LakeAddress) -> Iterator[Extension]:
    with attached(lake, "READ_ONLY") as connection:
        yield Extension(connection)


@contextmanager
def _plain_arrow(lake: LakeAddress) -> Iterator[PlainArrow]:
    with ql.connect(lake.url, create=False, read_only=True) as opened:
        yield PlainArrow(opened)


@contextmanager
def _sdk(lake: LakeAddress) -> Iterator[Sdk]:
    with ducklake.connect(lake.url, readonly=True) as opened:
        yield Sdk(opened)


@contextmanager
def _dataframe(lake: LakeAddress) -> Iterator[Dataframe]:
    yield Dataframe(lake.path)


OURS = Contender("quacklake", _ours)
EVERYBODY = (
    OURS,
    Contender("extension", _extension),
    Contender("pyarrow", _plain_arrow),
    Contender("ducklake-sdk", _sdk),
    Contender("ducklake-dataframe", _dataframe),
)


def _untold(lake: LakeAddress) -> AbstractContextManager[Reader]:
    raise CannotError(f"it has to be told the files of {lake.kind}")


CATALOG_READERS = tuple(
    replace(each, opened=_untold) if each.name == "pyarrow" else each for each in EVERYBODY
)

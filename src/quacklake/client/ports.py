"""What the client asks of the world above it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from quacklake.format.types import LakeType, NameEver, TypeEver
from quacklake.kernel.ids import ColumnId, DataFileId

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from quacklake.client.session import Session
    from quacklake.scan.plan import Request, ScanPlan
    from quacklake.storage.filesystem import Storage


class Planner(Protocol):
    """What a scan is planned by: a lake, or one transaction's view of it.

    A plan is asked for whenever rows are; nothing is kept between two of them.
    """

    @property
    def storage(self) -> Storage:
        """Where the planned files are read from."""
        ...

    @property
    def cluster(self) -> object:
        """Where frames of many processes come from; see `writing.clusters`."""
        ...

    def plan(self, request: Request) -> ScanPlan:
        """The files and rows that answer a request now."""
        ...

    def complete_files(self, plan: ScanPlan, columns: Sequence[ColumnId]) -> frozenset[DataFileId]:
        """Files of a plan that are known to hold all of these columns; others may, too."""
        ...

    def types_ever(self, plan: ScanPlan) -> tuple[TypeEver, ...]:
        """The types that the columns of a plan's table have and had."""
        ...

    def names_ever(self, plan: ScanPlan) -> tuple[NameEver, ...]:
        """The names that the columns of a plan's table have and had."""
        ...


class Result(Protocol):
    """Rows on demand.

    Nothing is read before a conversion is called; every call runs the work again.
    """

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns; one may come twice."""

    @property
    def lake_types(self) -> tuple[LakeType, ...]:
        """The lake type that holds the values of each column."""

    def to_arrow(self) -> pa.Table:
        """All rows as one Arrow table."""

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """The rows as a stream that holds few batches in memory."""

    def to_pandas(self) -> pd.DataFrame:
        """All rows as a pandas DataFrame."""

    def to_polars(self) -> pl.DataFrame:
        """All rows as a Polars DataFrame."""

    def to_duckdb(self, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        """The rows as a relation of `connection`."""


class QueryEngine(Protocol):
    """Where SQL over lake tables becomes rows.

    Asked once per query, from any thread; it may be asked again while results are open.
    """

    def query(self, session: Session, sql: str) -> Result:
        """The result of `sql`, checked and planned; rows are read when the result is used."""


Engines: TypeAlias = Callable[[str | None], QueryEngine]
"""The engine of a name; without one, the engine of the lake."""

"""What the client asks of the world above it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from quacklake.client.session import Session


class Result(Protocol):
    """Rows on demand; every conversion runs the work again."""

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
    """Where SQL over lake tables becomes rows. Asked once per query, from any thread."""

    def query(self, session: Session, sql: str) -> Result:
        """The result of `sql`, checked and planned; rows are read when the result is used."""

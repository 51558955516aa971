"""What a statement has to tell, as the result of one: rows that are there already."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import pyarrow as pa

from quacklake.client import frames
from quacklake.client.autocommit import WriteReport
from quacklake.client.defining.types import Counter, type_from_arrow
from quacklake.format.sqltypes import sql_type
from quacklake.format.types import LakeType

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl


class Told:
    """Rows in memory behind the methods of a result."""

    def __init__(self, rows: pa.Table) -> None:
        self._rows = rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._rows.column_names)

    @property
    def lake_types(self) -> tuple[LakeType, ...]:
        """The lake type of each column."""
        ids = Counter()
        return tuple(type_from_arrow(field.type, ids) for field in self._rows.schema)

    @property
    def types(self) -> tuple[str, ...]:
        """The type of each column, as DuckDB names it."""
        return tuple(sql_type(each) for each in self.lake_types)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the rows."""
        return self._rows.schema

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table."""
        return self._rows

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """The rows as a stream."""
        return iter(self._rows.to_batches())

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas DataFrame."""
        return frames.to_pandas(self._rows)

    def to_polars(self) -> pl.DataFrame:
        """The rows as a Polars DataFrame."""
        return frames.to_polars(self._rows)

    def to_duckdb(self, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        """The rows as a relation of `connection`."""
        return connection.from_arrow(self._rows)


def told(report: WriteReport) -> Told:
    """Rows inserted, updated and deleted, and the snapshot that was made."""
    said = asdict(report)
    schema = pa.schema([(name, pa.int64()) for name in said])
    return Told(pa.Table.from_pylist([said], schema=schema))

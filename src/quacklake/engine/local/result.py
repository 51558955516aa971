"""The result of a query: rows on demand."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import duckdb
import pyarrow as pa

from quacklake.client import frames
from quacklake.client.session import Session
from quacklake.engine.local.carriers import carried_query, conformed, lake_type, result_schema
from quacklake.engine.local.declaring import first_line, opened
from quacklake.engine.local.interrupting import Interruptible
from quacklake.format import casting
from quacklake.format.sqltypes import quoted, sql_type
from quacklake.format.types import Kind, LakeType, Scalar
from quacklake.kernel.errors import QuacklakeError, Unavailable, UsageError
from quacklake.scan.plan import VIRTUAL
from quacklake.sql.plan import QueryPlan

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

_AT_ONCE: Final = 122_880


class QueryResult:
    """A query that DuckDB has accepted; every conversion runs it, at the same snapshot."""

    def __init__(self, session: Session, plan: QueryPlan) -> None:
        self._session = session
        self._plan = plan
        self._problems: list[BaseException] = []
        # The connection that checked the query serves the first conversion.
        self._ready: deque[duckdb.DuckDBPyConnection] = deque([self._opened()])
        with explained(self._problems):
            relation = self._ready[0].sql(plan.sql)
        self._columns: tuple[str, ...] = tuple(relation.columns)
        self._types = relation.types
        self._schema = result_schema(self._columns, self._types)
        self._sql = carried_query(plan.sql, self._columns, self._types)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns; one may come twice."""
        return self._columns

    @property
    def lake_types(self) -> tuple[LakeType, ...]:
        """The lake type that holds the values of each column."""
        return tuple(lake_type(found) for found in self._types)

    @property
    def snapshot(self) -> int:
        """The snapshot the query reads, except where it travels in time."""
        return int(self._plan.snapshot.id)

    @property
    def types(self) -> tuple[str, ...]:
        """The type of each column, as DuckDB names it."""
        return tuple(str(found) for found in self._types)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the rows."""
        return self._schema

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """The rows as a stream that holds few batches in memory."""
        connection = self._ready.pop() if self._ready else self._opened()
        try:
            with explained(self._problems), Interruptible(connection) as running:
                reader = running.run(
                    lambda: connection.execute(self._sql).to_arrow_reader(_AT_ONCE)
                )
                while (batch := running.run(lambda: next(reader, None))) is not None:
                    yield conformed(batch, self._schema)
        finally:
            connection.close()

    def to_arrow(self) -> pa.Table:
        """All rows as one Arrow table."""
        return pa.Table.from_batches(self.to_batches(), self._schema)

    def to_pandas(self) -> pd.DataFrame:
        """All rows as a pandas DataFrame."""
        return frames.to_pandas(self.to_arrow())

    def to_polars(self) -> pl.DataFrame:
        """All rows as a Polars DataFrame."""
        wide = [
            name
            for name, found in zip(self.columns, self.lake_types, strict=True)
            if found == Scalar(Kind.INT128)
        ]
        return frames.to_polars(self.to_arrow(), int128=wide)

    def to_duckdb(self, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        """The rows, read now, as a relation of `connection` in the query's own types."""
        typed = ", ".join(
            f"{casting.restored(f'#{place}', found)} AS {quoted(name)}"
            for place, (name, found) in enumerate(
                zip(self.columns, self.lake_types, strict=True), start=1
            )
        )
        rows = self.to_arrow()
        # Two columns of one name are told apart by their places only.
        numbered = rows.rename_columns([f"c{place}" for place in range(rows.num_columns)])
        return connection.from_arrow(numbered).project(typed)

    def _opened(self) -> duckdb.DuckDBPyConnection:
        return opened(self._plan, self._session, self._problems)

    def __repr__(self) -> str:
        listed = ", ".join(
            f"{name} {sql_type(found)}"
            for name, found in zip(self.columns, self.lake_types, strict=True)
        )
        return f"<Result ({listed})>"


@contextmanager
def explained(problems: list[BaseException]) -> Iterator[None]:
    """Turn what DuckDB raises into our errors; one of a scan is the one that was raised there."""
    try:
        yield
    except QuacklakeError:
        raise
    except Exception as error:
        if problems:
            problem = problems[0]
            problems.clear()
            raise problem from error
        raise _translated(error) from error


def _translated(error: Exception) -> Exception:
    match error:
        case duckdb.BinderException() | duckdb.CatalogException() | duckdb.ParserException():
            return UsageError(f"the query cannot be run: {first_line(error)}", hint=_advice(error))
        case duckdb.PermissionException():
            return UsageError(
                "a query reads the lake only, not files or other databases",
                hint="join such data in your own DuckDB: lake.table(name).to_duckdb(connection)",
            )
        case duckdb.OutOfMemoryException() | duckdb.IOException():
            return Unavailable(
                "the query ran out of memory or of disk for what does not fit into memory",
                hint="select fewer rows or columns, or make room",
            )
        case duckdb.Error():
            # The rest of the message would show values of rows.
            kind = str(error).partition(" Error: ")[0].lower()
            return UsageError(
                f"the query failed on a row: {kind} error", hint="TRY_CAST turns bad values to NULL"
            )
        case _:
            return error


def _advice(error: duckdb.Error) -> str:
    if any(f'column "{column.name}" not found' in str(error) for column in VIRTUAL):
        return "virtual columns are those of tables: a view has them if it selects them"
    for line in str(error).splitlines()[1:]:
        if line.startswith(("Did you mean", "Candidate bindings")):
            return line
    return ""

"""The referee: DuckDB with its own DuckLake extension, attached to a lake on any catalog."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Final, Self

import duckdb
import duckdb_extensions
import pyarrow as pa

from quacklake.format.sqltypes import literal

EXTENSIONS: Final = ("ducklake", "sqlite_scanner", "postgres_scanner", "mysql_scanner", "httpfs")


class Referee:
    """A lake held by the extension, attached as `lake` and in use.

    `target` is what follows `ducklake:`. A DuckDB file is held until `close`.
    """

    def __init__(self, target: str, data_path: str | None = None, **options: str) -> None:
        scanner = target.partition(":")[0] + "_scanner"
        self.connection = extended(
            *(name for name in EXTENSIONS if name == scanner or "scanner" not in name)
        )
        try:
            words = [f"{key} {_option(value)}" for key, value in options.items()]
            if data_path is not None:
                words.append(f"DATA_PATH {literal(data_path)}")
            given = f" ({', '.join(words)})" if words else ""
            self.connection.execute(f"ATTACH {literal('ducklake:' + target)} AS lake{given}")
            self.connection.execute("USE lake")
        except BaseException:
            self.connection.close()
            raise

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> None:
        """Run one or more statements."""
        self.connection.execute(sql, list(parameters))

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        return self.connection.execute(sql).fetchall()

    def arrow(self, sql: str) -> pa.Table:
        """The result of a query as the extension exports it."""
        return self.connection.execute(sql).to_arrow_table()

    def close(self) -> None:
        """Let go of the lake."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _option(value: str) -> str:
    """A flag as it is, anything else quoted."""
    return value if value in ("true", "false") else literal(value)


def extended(*extensions: str) -> duckdb.DuckDBPyConnection:
    """Stock DuckDB with extensions from their wheels, loaded without a network.

    The lock has the hashes of the wheels, so DuckDB need not hash the extensions, for 0.2 s each.
    Tables of tests are small: a second thread costs more than it does.
    """
    connection = duckdb.connect(config={"allow_unsigned_extensions": True, "threads": 1})
    connection.execute("SET TimeZone = 'UTC'")
    for extension in extensions:
        duckdb_extensions.import_extension(extension, con=connection)
        connection.load_extension(extension)
    return connection

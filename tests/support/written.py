"""A lake made by the extension, into whose catalog files of our own are entered by hand."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from quacklake.catalog import open_catalog, parse_location
from quacklake.format import casting
from quacklake.format.arrow import arrow_schema
from quacklake.format.snapshot import Latest
from quacklake.format.sqltypes import quoted
from quacklake.format.statistics import ColumnStatistics
from quacklake.format.table import Table, TableName
from quacklake.format.types import Column
from quacklake.storage.writing import WrittenDelete, WrittenFile
from tests.support.referee import Referee

TABLE_ID: Final = 1


class HandmadeLake:
    """A lake with one table, `t`, whose catalog is SQLite."""

    def __init__(self, folder: Path, columns: str, **options: str) -> None:
        self._catalog = f"{folder}/catalog.sqlite"
        self._data_path = f"{folder}/data/"
        self._options = options
        self.directory = f"{self._data_path}main/t/"
        with self.referee() as referee:
            referee.execute("CALL lake.set_option('data_inlining_row_limit', '0')")
            referee.execute(f"CREATE TABLE t ({columns})")

    def referee(self) -> Referee:
        """The extension on this lake; to be closed before files are entered."""
        return Referee(f"sqlite:{self._catalog}", self._data_path, **self._options)

    def table(self) -> Table:
        """The table as we read it."""
        with (
            open_catalog(parse_location(f"sqlite:///{self._catalog}")) as catalog,
            catalog.read() as reader,
        ):
            return reader.table(TableName("main", "t"), reader.snapshot(Latest()))

    def enter(self, files: Sequence[WrittenFile]) -> None:
        """Commit data files, as an insert does."""
        with self._commit(f"inserted_into_table:{TABLE_ID}", len(files)) as (sql, snapshot, first):
            next_row = self._next_row_id(sql)
            partition = sql.execute("SELECT max(partition_id) FROM ducklake_partition_info")
            spec = partition.fetchone()[0]
            for number, file in enumerate(files, first):
                values: tuple[Any, ...] = (
                    number, TABLE_ID, snapshot, None, None,
                    file.location.removeprefix(self.directory), 1, "parquet", file.record_count,
                    file.file_size_bytes, file.footer_size, next_row,
                    spec if file.partition_values else None, file.encryption_key, None, None,
                )  # fmt: skip
                _insert(sql, "data_file", values)
                for each in file.statistics:
                    _insert(sql, "file_column_stats", (number, TABLE_ID, *_row(each)))
                for index, value in enumerate(file.partition_values):
                    _insert(sql, "file_partition_value", (number, TABLE_ID, index, value))
                next_row += file.record_count
                sql.execute(
                    "UPDATE ducklake_table_stats SET record_count = ?, next_row_id = ?",
                    (next_row, next_row),
                )

    def enter_delete(
        self, data_file_id: int, file: WrittenDelete, *, begin: int | None = None
    ) -> None:
        """Commit a delete file, for tagged positions as if its first were from `begin`."""
        with self._commit(f"deleted_from_table:{TABLE_ID}", 1) as (sql, snapshot, number):
            values = (
                number, TABLE_ID, begin or snapshot, None, data_file_id,
                file.location.removeprefix(self.directory), 1, "parquet", file.delete_count,
                file.file_size_bytes, file.footer_size, file.encryption_key, None,
            )  # fmt: skip
            _insert(sql, "delete_file", values)

    @contextmanager
    def _commit(self, change: str, files: int) -> Iterator[tuple[sqlite3.Connection, int, int]]:
        sql = sqlite3.connect(self._catalog)
        try:
            head = "SELECT * FROM ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1"
            before, _, version, next_id, next_file = sql.execute(head).fetchone()
            time = "2030-01-01 00:00:00+00"
            _insert(sql, "snapshot", (before + 1, time, version, next_id, next_file + files))
            _insert(sql, "snapshot_changes", (before + 1, change, None, None, None))
            yield sql, before + 1, next_file
            sql.commit()
        finally:
            sql.close()

    def _next_row_id(self, sql: sqlite3.Connection) -> int:
        found = sql.execute("SELECT next_row_id FROM ducklake_table_stats").fetchone()
        if found is None:
            _insert(sql, "table_stats", (TABLE_ID, 0, 0, 0))
            return 0
        return int(found[0])

    def recorded(self, data_file_id: int) -> dict[int, tuple[Any, ...]]:
        """The statistics rows of a file by column, without their sizes."""
        with sqlite3.connect(self._catalog) as sql:
            rows = sql.execute(
                "SELECT column_id, value_count, null_count, min_value, max_value, contains_nan,"
                " extra_stats FROM ducklake_file_column_stats WHERE data_file_id = ?",
                (data_file_id,),
            ).fetchall()
        return {row[0]: row[1:] for row in rows}

    def partitions(self) -> dict[tuple[str | None, ...], tuple[str, int]]:
        """The folder and the number of rows of every partition, by its values."""
        with sqlite3.connect(self._catalog) as sql:
            files = sql.execute(
                "SELECT data_file_id, path, record_count FROM ducklake_data_file"
            ).fetchall()
            values = sql.execute(
                "SELECT data_file_id, partition_value FROM ducklake_file_partition_value"
                " ORDER BY partition_key_index"
            ).fetchall()
        return {
            tuple(value for file, value in values if file == number): (
                path.rpartition("/")[0],
                count,
            )
            for number, path, count in files
        }


def _insert(sql: sqlite3.Connection, table: str, values: Sequence[Any]) -> None:
    marks = ", ".join("?" * len(values))
    sql.execute(f"INSERT INTO ducklake_{table} VALUES ({marks})", tuple(values))


def _row(each: ColumnStatistics) -> tuple[Any, ...]:
    nan = None if each.contains_nan is None else int(each.contains_nan)
    counts = (each.column, each.size_bytes, each.value_count, each.null_count)
    return (*counts, each.min, each.max, nan, each.extra)


def statistics_of(file: WrittenFile) -> dict[int, tuple[Any, ...]]:
    """What a written file says of itself, as `HandmadeLake.recorded` shows it."""
    rows = (_row(each) for each in file.statistics)
    return {row[0]: row[2:] for row in rows}


def rows_of(columns: tuple[Column, ...], query: str) -> pa.RecordBatch:
    """The rows of a DuckDB query, in the Arrow types of results."""
    inner = ", ".join(quoted(column.name) for column in columns)
    carried = ", ".join(
        f"{casting.carried(quoted(column.name), column.type)} AS {quoted(column.name)}"
        for column in columns
    )
    sql = f"SELECT {carried} FROM ({query}) AS q({inner})"
    table = casting.session().sql(sql).to_arrow_table()
    schema = arrow_schema(columns)
    arrays = [casting.in_type(table.column(i), field.type) for i, field in enumerate(schema)]
    made = pa.Table.from_arrays(arrays, schema=schema).combine_chunks()
    batches = made.to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=schema)

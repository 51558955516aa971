"""Rows of Parquet, CSV and JSON files, in the types of the table they are for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import duckdb
import pyarrow as pa

from quacklake.format.arrow import arrow_type
from quacklake.format.casting import carried
from quacklake.format.sqltypes import literal, quoted, sql_type
from quacklake.format.table import Table
from quacklake.kernel.errors import FileUnreadable, UsageError

_READERS: Final = {
    ".parquet": "read_parquet({})",
    ".csv": "read_csv({}, all_varchar = true)",
    ".tsv": "read_csv({}, all_varchar = true, delim = '\t')",
    ".json": "read_json({})",
    ".jsonl": "read_json({})",
    ".ndjson": "read_json({})",
}
_AT_ONCE: Final = 122_880


def rows_of_files(paths: list[Path], table: Table) -> pa.RecordBatchReader:
    """The rows of local files as a stream; every value is cast to its column's type."""
    for path in paths:
        if not path.is_file():
            raise FileUnreadable(f"file '{path}' does not exist", location=str(path))
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    sources = [_source(path) for path in paths]
    try:
        names = [connection.sql(f"SELECT * FROM {source}").columns for source in sources]
        wanted = [_selected(found, table) for found in names]
        queries = [f"SELECT {w} FROM {s}" for w, s in zip(wanted, sources, strict=True)]
        reader = connection.execute(" UNION ALL BY NAME ".join(queries)).to_arrow_reader(_AT_ONCE)
    except duckdb.Error as error:
        raise UsageError("the files cannot be read: " + str(error).splitlines()[0]) from error
    schema = pa.schema(
        [(name, arrow_type(table.column(name).type)) for name in reader.schema.names]
    )
    return pa.RecordBatchReader.from_batches(schema, _batches(reader, schema))


def _source(path: Path) -> str:
    kind = _READERS.get(path.suffix.lower())
    if kind is None:
        raise UsageError(
            f"'{path}' is of no known kind", hint="files end in " + ", ".join(sorted(_READERS))
        )
    return kind.format(literal(str(path)))


def _selected(names: list[str], table: Table) -> str:
    columns = [table.column(name) for name in names]
    return ", ".join(
        carried(f"CAST({quoted(name)} AS {sql_type(column.type)})", column.type)
        + f" AS {quoted(column.name)}"
        for name, column in zip(names, columns, strict=True)
    )


def _batches(reader: pa.RecordBatchReader, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    try:
        for batch in reader:
            yield pa.RecordBatch.from_arrays(
                [
                    column.cast(field.type)
                    for column, field in zip(batch.columns, schema, strict=True)
                ],
                schema=schema,
            )
    except duckdb.Error as error:
        problem = str(error).splitlines()[0]
        raise UsageError(f"a value in the files does not fit: {problem}") from error
    except (OSError, pa.ArrowException) as error:
        raise UsageError("a value in the files does not fit its column") from error

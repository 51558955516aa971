"""`quacklake sql`: a query over a lake."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from quacklake.cli.arguments import (
    AsJson,
    Engine,
    MetadataSchema,
    QueryFile,
    UrlAndQuery,
    addressed_query,
    changeable,
    opened,
)

EXAMPLES: Final = (
    'quacklake sql sqlite:///shop.sqlite "SELECT count(*) FROM orders"',
    'quacklake sql sqlite:///shop.sqlite "FROM orders AT (VERSION => 3)" --json',
    "quacklake sql sqlite:///shop.sqlite --file report.sql",
    'quacklake sql sqlite:///shop.sqlite --engine spark "SELECT count(*) FROM orders"',
    'echo "SHOW TABLES" | quacklake sql sqlite:///shop.sqlite -',
)


def sql(
    words: UrlAndQuery = None,
    file: QueryFile = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            "-n",
            min=0,
            help="Show this many rows, 0 for all; 100 if not said, or all with --json.",
        ),
    ] = None,
    metadata_schema: MetadataSchema = None,
    engine: Engine = None,
    *,
    json: AsJson = False,
) -> None:
    """Run one statement, with DuckDB in this process or on Spark. --json: one object per line.

    A query is DuckDB's SQL, or Spark's with --engine spark, and reads the lake. INSERT,
    UPDATE, DELETE, MERGE, TRUNCATE, CREATE, ALTER, DROP and COMMENT change the lake in one
    transaction and say what they did. CREATE, ALTER, REFRESH, EXPLAIN and DROP STREAM TABLE, and
    SHOW STREAM TABLES, are for queries that are kept as tables.
    """
    from quacklake.cli.printing import Columns, limited, print_json_lines, print_sheet

    url, query = addressed_query(words, file)
    most = limit if limit is not None else (0 if json else 100)
    with (opened if _only_reads(query, engine) else changeable)(
        url, metadata_schema, engine
    ) as lake:
        result = lake.sql(query)
        columns = Columns(result.columns, result.lake_types)
        if json:
            batches = result.to_batches()
            print_json_lines(columns, limited(batches, most) if most else batches)
            return
        # One row more than is shown tells whether there are more.
        found = list(limited(result.to_batches(), most + 1) if most else result.to_batches())
    count = sum(batch.num_rows for batch in found)
    print_sheet(columns, limited(iter(found), most) if most else found)
    if most and count > most:
        typer.echo(f"the first {most} rows; --limit 0 shows all", err=True)


def _only_reads(query: str, engine: str | None) -> bool:
    from quacklake.sql.editing import edit_of
    from quacklake.sql.streams import READING, stream_statement

    statement = stream_statement(query)
    if statement is not None:
        return isinstance(statement, READING)
    return edit_of(query, "duckdb" if engine in (None, "local") else "spark") is None

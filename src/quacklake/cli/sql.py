"""`quacklake sql`: a query over a lake."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from quacklake.cli.arguments import (
    AsJson,
    Engine,
    MetadataSchema,
    UrlAndQuery,
    addressed,
    changeable,
    opened,
)
from quacklake.kernel.errors import UsageError

EXAMPLES: Final = (
    'quacklake sql sqlite:///shop.sqlite "SELECT count(*) FROM orders"',
    'quacklake sql sqlite:///shop.sqlite "FROM orders AT (VERSION => 3)" --json',
    "quacklake sql sqlite:///shop.sqlite --file report.sql",
    'quacklake sql sqlite:///shop.sqlite --engine spark "SELECT count(*) FROM orders"',
    'echo "SHOW TABLES" | quacklake sql sqlite:///shop.sqlite -',
)


def sql(
    words: UrlAndQuery = None,
    file: Annotated[
        Path | None, typer.Option("--file", "-f", help="Read the query from a file.")
    ] = None,
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
    transaction and say what they did.
    """
    from quacklake.cli.printing import Columns, limited, print_json_lines, print_sheet
    from quacklake.sql.editing import edit_of

    url, query = _asked(words, file)
    most = limit if limit is not None else (0 if json else 100)
    is_edit = edit_of(query, "duckdb" if engine in (None, "local") else "spark") is not None
    with (changeable if is_edit else opened)(url, metadata_schema, engine) as lake:
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


def _asked(words: list[str] | None, file: Path | None) -> tuple[str, str]:
    if file is not None:
        (url,) = addressed(words)
        try:
            return url, file.read_text()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"'{file}' cannot be read as text") from error
    url, query = addressed(words, "the query")
    return url, sys.stdin.read() if query == "-" else query

"""`quacklake append`: rows of files into a table."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import typer

from quacklake.cli import sheet
from quacklake.cli.arguments import (
    AsJson,
    MetadataSchema,
    UrlTableAndFiles,
    addressed_many,
    changeable,
)
from quacklake.kernel.errors import UsageError

EXAMPLES: Final = (
    "quacklake append sqlite:///shop.sqlite orders today.parquet",
    "quacklake append sqlite:///shop.sqlite orders january.csv february.csv",
    "quacklake append sqlite:///shop.sqlite orders events.jsonl --json",
)
_FEWEST: Final = 2
"""A table and one file."""


def append(
    words: UrlTableAndFiles = None,
    metadata_schema: MetadataSchema = None,
    *,
    json: AsJson = False,
) -> None:
    """Add the rows of files to a table, all in one snapshot.

    Columns are matched by name, and every value is cast to its column's type.
    """
    from quacklake.cli.progress import counted, is_shown
    from quacklake.client.writing.foreign import rows_of_files

    url, given = addressed_many(words)
    if len(given) < _FEWEST:
        raise UsageError("the table or its files are missing", hint="--help shows an example")
    table, *files = given
    with changeable(url, metadata_schema) as lake:
        target = lake.table(table)
        reader = rows_of_files([Path(file) for file in files], target.described())
        report = target.append(counted(reader, shown=is_shown(json=json)))
    if json:
        sheet.print_json({"inserted": report.inserted, "snapshot_id": report.snapshot_id})
    else:
        typer.echo(f"{report.inserted} rows appended to {table}, snapshot {report.snapshot_id}")

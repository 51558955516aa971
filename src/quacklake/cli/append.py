"""`quacklake append`: rows of files into a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from quacklake.cli import sheet
from quacklake.cli.arguments import AsJson, MetadataSchema, changeable
from quacklake.kernel.errors import UsageError

EXAMPLES: Final = (
    "quacklake append sqlite:///shop.sqlite orders today.parquet",
    "quacklake append sqlite:///shop.sqlite orders january.csv february.csv",
    "quacklake append sqlite:///shop.sqlite orders events.jsonl --json",
)


def append(
    url: Annotated[str, typer.Argument(help="The lake's URL.")],
    table: Annotated[str, typer.Argument(help="The table, or schema.table.")],
    files: Annotated[list[Path], typer.Argument(help="Parquet, CSV or JSON files.")],
    metadata_schema: MetadataSchema = None,
    *,
    json: AsJson = False,
) -> None:
    """Add the rows of files to a table, all in one snapshot.

    Columns are matched by name, and every value is cast to its column's type.
    """
    from quacklake.cli.progress import counted, is_shown
    from quacklake.client.writing.foreign import rows_of_files

    if not files:
        raise UsageError("there is no file to append")
    with changeable(url, metadata_schema) as lake:
        target = lake.table(table)
        reader = rows_of_files(files, target.described())
        report = target.append(counted(reader, shown=is_shown(json=json)))
    if json:
        sheet.print_json({"inserted": report.inserted, "snapshot_id": report.snapshot_id})
    else:
        typer.echo(f"{report.inserted} rows appended to {table}, snapshot {report.snapshot_id}")

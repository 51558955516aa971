"""`quacklake append`: rows of files into a table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from quacklake.cli import sheet
from quacklake.cli.arguments import AsJson, MetadataSchema, changeable
from quacklake.kernel.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

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
    from quacklake.client.writing.foreign import rows_of_files

    if not files:
        raise UsageError("there is no file to append")
    with changeable(url, metadata_schema) as lake:
        target = lake.table(table)
        reader = rows_of_files(files, target.described())
        report = target.append(_watched(reader))
    if json:
        sheet.print_json({"inserted": report.inserted, "snapshot_id": report.snapshot_id})
    else:
        typer.echo(f"{report.inserted} rows appended to {table}, snapshot {report.snapshot_id}")


def _watched(reader: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """The same rows, counted on the terminal as they pass."""
    import pyarrow as pa
    from rich.console import Console
    from rich.progress import Progress, TextColumn, TimeElapsedColumn

    def rows() -> Iterator[pa.RecordBatch]:
        columns = (TextColumn("{task.completed:,} rows"), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("append", total=None)
            for batch in reader:
                progress.advance(task, batch.num_rows)
                yield batch

    return pa.RecordBatchReader.from_batches(reader.schema, rows())

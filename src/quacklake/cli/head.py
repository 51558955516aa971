"""`quacklake head`: some rows of a table."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from quacklake.cli.arguments import (
    AsJson,
    AtSnapshot,
    MetadataSchema,
    UrlAndTable,
    addressed,
    opened,
)

EXAMPLES: Final = (
    "quacklake head sqlite:///shop.sqlite orders -n 5",
    'quacklake head sqlite:///shop.sqlite orders --columns id --filter "id > 9"',
    "quacklake head sqlite:///shop.sqlite orders --snapshot 3 --json",
)


def head(
    words: UrlAndTable = None,
    rows: Annotated[int, typer.Option("-n", "--rows", min=0, help="How many rows.")] = 10,
    columns: Annotated[
        str | None,
        typer.Option("--columns", help="Columns, separated by commas; also rowid, snapshot_id."),
    ] = None,
    condition: Annotated[
        str | None, typer.Option("--filter", help="A SQL condition that the rows satisfy.")
    ] = None,
    snapshot: AtSnapshot = None,
    timestamp: Annotated[
        str | None,
        typer.Option("--timestamp", help="As the lake was then; UTC unless it has a zone."),
    ] = None,
    metadata_schema: MetadataSchema = None,
    *,
    json: AsJson = False,
) -> None:
    """Show some rows. With --json, one object per line."""
    from quacklake.cli.printing import Columns, limited, print_json_lines, print_sheet

    url, name = addressed(words, "the name of a table")
    chosen = None if columns is None else [each.strip() for each in columns.split(",")]
    with opened(url, metadata_schema) as lake:
        scan = lake.table(name, snapshot=snapshot, timestamp=timestamp).scan(
            columns=chosen, filter=condition, snapshot=snapshot, timestamp=timestamp
        )
        found = scan.plan().columns
        listed = Columns(
            tuple(column.name for column in found), tuple(column.type for column in found)
        )
        batches = limited(scan.to_batches(), rows)
        if json:
            print_json_lines(listed, batches)
        else:
            print_sheet(listed, batches)

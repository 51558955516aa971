"""`quacklake init`: an empty lake."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from quacklake.cli import sheet
from quacklake.cli.arguments import AsJson, MetadataSchema, Url, addressed

EXAMPLES: Final = (
    "quacklake init sqlite:///shop.sqlite --data-path shop_data/",
    "quacklake init postgresql://me@host/db --data-path s3://bucket/lake/",
)


def init(
    words: Url = None,
    data_path: Annotated[
        str | None,
        typer.Option(
            "--data-path",
            help="The folder or bucket for the files; by default beside a catalog that is a file.",
        ),
    ] = None,
    metadata_schema: MetadataSchema = None,
    *,
    json: AsJson = False,
) -> None:
    """Make an empty lake, or say where the files of an existing one are."""
    from quacklake.app.connecting import connect

    (url,) = addressed(words)
    with connect(url, data_path, metadata_schema=metadata_schema) as lake:
        newest = lake.snapshots()[-1].id
        facts = {"lake": lake.label, "data_path": lake.data_path, "snapshot": newest}
    if json:
        sheet.print_json(facts)
        return
    typer.echo(f"lake at {facts['lake']}, snapshot {newest}, files in {facts['data_path']}")

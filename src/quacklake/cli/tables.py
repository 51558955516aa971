"""`quacklake tables`: what is in a lake."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Final

import typer

from quacklake.cli import sheet
from quacklake.cli.arguments import AsJson, AtSnapshot, MetadataSchema, Url, addressed, opened

EXAMPLES: Final = (
    "quacklake tables sqlite:///shop.sqlite",
    "quacklake tables sqlite:///shop.sqlite --schema sales --snapshot 3 --json",
)


def tables(
    words: Url = None,
    schema: Annotated[str | None, typer.Option("--schema", help="Only this schema.")] = None,
    snapshot: AtSnapshot = None,
    metadata_schema: MetadataSchema = None,
    *,
    json: AsJson = False,
) -> None:
    """List the tables and views."""
    (url,) = addressed(words)
    with opened(url, metadata_schema) as lake:
        found = lake.tables(schema, snapshot=snapshot)
        views = [
            view
            for view in lake.views(snapshot=snapshot)
            if schema is None or view.name.schema.casefold() == schema.casefold()
        ]
    if json:
        listed = [{"kind": "table", **asdict(table)} for table in found]
        named = [
            {"kind": "view", "schema": view.name.schema, "name": view.name.table, "sql": view.sql}
            for view in views
        ]
        sheet.print_json([*listed, *named])
        return
    rows: list[tuple[str | None, ...]] = [
        (
            table.schema,
            table.name,
            "table",
            str(len(table.columns)),
            ", ".join(table.partitioned_by),
            table.comment or "",
        )
        for table in found
    ]
    rows += [(view.name.schema, view.name.table, "view", "", "", "") for view in views]
    headers = ("schema", "name", "kind", "columns", "partitioned by", "comment")
    sheet.show(headers, sorted(rows, key=str), right=(False, False, False, True))

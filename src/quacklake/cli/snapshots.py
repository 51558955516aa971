"""`quacklake snapshots`: what happened to a lake."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Final

import typer

from quacklake.cli import sheet
from quacklake.cli.arguments import AsJson, MetadataSchema, Url, addressed, opened

EXAMPLES: Final = (
    "quacklake snapshots sqlite:///shop.sqlite",
    "quacklake snapshots sqlite:///shop.sqlite -n 3 --json",
)


def snapshots(
    words: Url = None,
    last: Annotated[
        int | None, typer.Option("--last", "-n", min=1, help="Only the newest ones.")
    ] = None,
    metadata_schema: MetadataSchema = None,
    *,
    json: AsJson = False,
) -> None:
    """List the snapshots that can be read, oldest first, with what each commit did."""
    (url,) = addressed(words)
    with opened(url, metadata_schema) as lake:
        found = lake.snapshots()
    shown = found[-last:] if last else found
    if json:
        sheet.print_json([{**asdict(each), "time": each.time.isoformat()} for each in shown])
        return
    rows = [
        (
            str(each.id),
            each.time.isoformat(sep=" ", timespec="seconds"),
            each.changes,
            each.author or "",
            each.message or "",
        )
        for each in shown
    ]
    sheet.show(("id", "time", "changes", "author", "message"), rows, right=(True,))

"""`quacklake changes`: what happened to the rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from quacklake.cli.arguments import AsJson, MetadataSchema, UrlAndTable, addressed, opened

if TYPE_CHECKING:
    import pyarrow as pa

EXAMPLES: Final = (
    "quacklake changes sqlite:///shop.sqlite orders --since 3",
    "quacklake changes sqlite:///shop.sqlite orders --since '2026-01-31 12:00' --until 9",
    "quacklake changes sqlite:///shop.sqlite orders --since 3 --weighted --json",
)


def changes(
    words: UrlAndTable = None,
    since: Annotated[
        str | None,
        typer.Option("--since", help="Changes after this snapshot or time; from the first if not."),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", help="Changes up to and including it; to the newest if not."),
    ] = None,
    columns: Annotated[
        str | None, typer.Option("--columns", help="Columns, separated by commas.")
    ] = None,
    metadata_schema: MetadataSchema = None,
    *,
    weighted: Annotated[
        bool, typer.Option("--weighted", help="Sum the changes: each row with how many more.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Show which rows were inserted, deleted and updated. With --json, one object per line."""
    from quacklake.cli.printing import Columns, print_json_lines, print_sheet

    url, name = addressed(words, "the name of a table")
    chosen = None if columns is None else [each.strip() for each in columns.split(",")]
    last = _moment(until)
    with opened(url, metadata_schema) as lake:
        at = {"snapshot": last} if isinstance(last, int) else {"timestamp": last}
        found = lake.table(name, **at).changes(_moment(since), last, columns=chosen)
        if weighted:
            found = found.weighted()
        shown = found.columns_of(found.plan())
        listed = Columns(tuple(c.name for c in shown), tuple(c.type for c in shown))
        if json:
            print_json_lines(listed, found.to_batches())
        elif weighted:
            print_sheet(listed, found.to_batches())
        else:
            print_sheet(listed, _in_order(found.to_arrow()).to_batches())


def _moment(text: str | None) -> int | str | None:
    return int(text) if text is not None and text.lstrip("-").isdigit() else text


def _in_order(feed: pa.Table) -> pa.Table:
    """By snapshot and row; what a row was stands before what it became."""
    import numpy as np

    kinds = feed.column("change_type").to_numpy()
    is_new = (kinds == "insert") | (kinds == "update_postimage")
    rows = feed.column("rowid").fill_null(-1).to_numpy()
    return feed.take(np.lexsort((is_new, rows, feed.column("snapshot_id").to_numpy())))

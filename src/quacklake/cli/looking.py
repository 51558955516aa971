"""The commands of `quacklake stream` that change nothing."""

from __future__ import annotations

from dataclasses import asdict
from json import loads
from typing import Annotated, Any, Final

import typer

from quacklake.cli import sheet
from quacklake.cli.arguments import (
    AsJson,
    Engine,
    MetadataSchema,
    QueryFile,
    Url,
    UrlAndQuery,
    UrlAndTable,
    UrlAndTables,
    addressed,
    addressed_many,
    addressed_query,
    opened,
)
from quacklake.cli.refreshes import show_differences, show_history

A_NAME: Final = "the name of a stream table"


def listed(
    words: Url = None, metadata_schema: MetadataSchema = None, *, json: AsJson = False
) -> None:
    """List the stream tables: settings, how far each was refreshed, and its query."""
    (url,) = addressed(words)
    with opened(url, metadata_schema) as lake:
        found = lake.sql("SHOW STREAM TABLES").to_arrow().to_pylist()
    rows = [{**each, "frontier": loads(each["frontier"])} for each in found]
    if json:
        sheet.print_json(rows)
        return
    headers = ("name", "schedule", "mode", "policy", "engine", "snapshot", "query")
    sheet.show(headers, [_line(each) for each in rows], right=(False,) * 5 + (True,))


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    at = [place["snapshot_id"] for place in row["frontier"].values()]
    settings = (row["schedule"] or "", row["mode"], row["compaction_policy"], row["engine"])
    return (row["name"], *settings, str(min(at, default="")), " ".join(row["query"].split()))


def explain(
    words: UrlAndTable = None, metadata_schema: MetadataSchema = None, *, json: AsJson = False
) -> None:
    """Show how a stream table is kept: each operator with its rule, the change as SQL, its reads.

    Nothing is changed; the last line before the SQL says what the next refresh would do.
    """
    url, name = addressed(words, A_NAME)
    with opened(url, metadata_schema) as lake:
        found = lake.stream_table(name).explain()
    if json:
        sheet.print_json(asdict(found))
    else:
        typer.echo(str(found))


def verify(
    words: UrlAndTables = None,
    metadata_schema: MetadataSchema = None,
    engine: Engine = None,
    *,
    json: AsJson = False,
) -> None:
    """Compute queries anew where their tables stand, and compare row by row.

    A weight says how many copies of a row are missing, or, below zero, too many. The exit code
    is 1 if there is a difference.
    """
    url, names = addressed_many(words)
    with opened(url, metadata_schema, engine) as lake:
        tables = [lake.stream_table(each) for each in names] or lake.stream_tables()
        found = [each.verify() for each in tables]
    show_differences(found, json=json)
    if not all(found):
        raise typer.Exit(1)


def history(
    words: UrlAndTable = None,
    last: Annotated[
        int | None, typer.Option("--last", "-n", min=1, help="Only the newest ones.")
    ] = None,
    metadata_schema: MetadataSchema = None,
    *,
    json: AsJson = False,
) -> None:
    """List the refreshes that had something to do, newest first."""
    url, name = addressed(words, A_NAME)
    with opened(url, metadata_schema) as lake:
        found = lake.stream_table(name).history()
    show_history(found[:last], json=json)


def lineage(
    words: UrlAndTable = None, metadata_schema: MetadataSchema = None, *, json: AsJson = False
) -> None:
    """Show for each column of a stream table the columns it is computed from."""
    url, name = addressed(words, A_NAME)
    with opened(url, metadata_schema) as lake:
        found = lake.stream_table(name).lineage()
    if json:
        sheet.print_json(found)
        return
    rows = [(column, ", ".join(origins)) for column, origins in found.items()]
    sheet.show(("column", "computed from"), rows)


def validate(
    words: UrlAndQuery = None,
    file: QueryFile = None,
    metadata_schema: MetadataSchema = None,
    *,
    json: AsJson = False,
) -> None:
    """Say whether a query can be kept incrementally, and if not, why; nothing is made.

    The exit code is 1 if it cannot.
    """
    url, query = addressed_query(words, file)
    with opened(url, metadata_schema) as lake:
        found = lake.validate(query)
    if json:
        sheet.print_json(asdict(found))
    else:
        typer.echo(f"{'incremental' if found else 'not incremental'}: {found.reason}")
        for line in found.tree.lines() if found.tree else ():
            typer.echo(f"  {line}")
    if not found:
        raise typer.Exit(1)

"""Arguments and options that commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from quacklake.kernel.errors import UsageError

if TYPE_CHECKING:
    from quacklake.pipeline.lake import StreamingLake as Lake

_URL_HELP = "The lake's URL; it may be left out when QUACKLAKE_URL is set."

Url: TypeAlias = Annotated[list[str] | None, typer.Argument(metavar="[URL]", help=_URL_HELP)]
UrlAndTable: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(metavar="[URL] TABLE", help=f"{_URL_HELP} Then table or schema.table."),
]
UrlAndTables: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(metavar="[URL] [TABLE]…", help=f"{_URL_HELP} Then tables; none means all."),
]
UrlTableAndFiles: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[URL] TABLE FILE…",
        help=f"{_URL_HELP} Then table or schema.table, then Parquet, CSV or JSON files.",
    ),
]
UrlAndQuery: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(metavar="[URL] QUERY", help=f"{_URL_HELP} Then SQL, or - for standard input."),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
MetadataSchema: TypeAlias = Annotated[
    str | None,
    typer.Option("--metadata-schema", help="The database schema that holds the catalog."),
]
AtSnapshot: TypeAlias = Annotated[
    int | None, typer.Option("--snapshot", help="As the lake was at this snapshot.")
]
QueryFile: TypeAlias = Annotated[
    Path | None, typer.Option("--file", "-f", help="Read the query from a file.")
]
Engine: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="local, DuckDB in this process, or spark; a Spark master's address means Spark there.",
    ),
]


def addressed(words: list[str] | None, *names: str) -> tuple[str, ...]:
    """The URL, and then a word for each of `names`; without a URL it is the environment's."""
    given = tuple(words or ())
    if len(given) == len(names) + 1:
        return given
    if len(given) > len(names):
        raise UsageError(
            f"there are {len(given)} arguments, at most {len(names) + 1} are wanted",
            hint="quote an argument that has spaces: 'SELECT 1'",
        )
    url = os.environ.get("QUACKLAKE_URL")
    has_url = _has_url(given)
    if len(given) == len(names) and url and not has_url:
        return (url, *given)
    if len(given) < len(names) or has_url:
        raise UsageError(f"{names[-1]} is missing", hint="--help shows an example")
    raise _without_url()


def addressed_many(words: list[str] | None) -> tuple[str, list[str]]:
    """The URL, and then any number of names; without a URL it is the environment's."""
    given = list(words or ())
    if _has_url(given):
        return given[0], given[1:]
    url = os.environ.get("QUACKLAKE_URL")
    if not url:
        raise _without_url()
    return url, given


def addressed_query(words: list[str] | None, file: Path | None, *names: str) -> tuple[str, ...]:
    """The URL, a word for each of `names`, and a query: the last word, a file, or the input."""
    if file is not None:
        try:
            return (*addressed(words, *names), file.read_text())
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"'{file}' cannot be read as text") from error
    *found, query = addressed(words, *names, "the query")
    return (*found, sys.stdin.read() if query == "-" else query)


def _has_url(given: Sequence[str]) -> bool:
    return bool(given) and ("://" in given[0] or given[0].startswith("ducklake:"))


def _without_url() -> UsageError:
    return UsageError(
        "the URL of a lake is missing",
        hint="write it first, such as sqlite:///shop.sqlite, or set QUACKLAKE_URL",
    )


def opened(url: str, metadata_schema: str | None = None, engine: str | None = None) -> Lake:
    """The lake at `url`, for reading only."""
    from quacklake.app.connecting import connect

    return connect(
        url, metadata_schema=metadata_schema, engine=engine, read_only=True, create=False
    )


def changeable(url: str, metadata_schema: str | None = None, engine: str | None = None) -> Lake:
    """The lake at `url`, to be changed."""
    from quacklake.app.connecting import connect

    return connect(url, metadata_schema=metadata_schema, engine=engine, create=False)

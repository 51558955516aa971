"""Arguments and options that commands share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from quacklake.kernel.errors import UsageError

if TYPE_CHECKING:
    from quacklake.client.lake import Lake

_URL_HELP = "The lake's URL; it may be left out when QUACKLAKE_URL is set."

Url: TypeAlias = Annotated[list[str] | None, typer.Argument(metavar="[URL]", help=_URL_HELP)]
UrlAndTable: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(metavar="[URL] TABLE", help=f"{_URL_HELP} Then table or schema.table."),
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
    has_url = bool(given) and ("://" in given[0] or given[0].startswith("ducklake:"))
    if len(given) == len(names) and url and not has_url:
        return (url, *given)
    if len(given) < len(names) or has_url:
        raise UsageError(f"{names[-1]} is missing", hint="--help shows an example")
    raise UsageError(
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

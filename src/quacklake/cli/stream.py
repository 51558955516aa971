"""`quacklake stream`: queries that are kept as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Final, TypeAlias

import typer

from quacklake.cli import looking
from quacklake.cli.arguments import (
    AsJson,
    Engine,
    MetadataSchema,
    QueryFile,
    UrlAndTable,
    UrlAndTables,
    addressed,
    addressed_many,
    addressed_query,
    changeable,
)
from quacklake.cli.refreshes import show_reports
from quacklake.kernel.errors import NotFound, UsageError

TOUR: Final = """Keep queries as tables: refreshed by what changed in their sources.

The result of a stream table is an ordinary table of the lake. A refresh reads the changes of
its sources since the last one, and says what it did, why, and what it read.

\b
  quacklake stream create daily "SELECT day, sum(amount) AS total FROM orders GROUP BY day"
  quacklake stream refresh      all of them, in one snapshot
  quacklake stream explain daily
  quacklake stream verify       is every row as the query has it?
  quacklake stream history daily
  quacklake stream drop daily
"""

Mode: TypeAlias = Annotated[
    str | None, typer.Option("--mode", help="auto, incremental or full; auto says why it chose.")
]
Schedule: TypeAlias = Annotated[
    str | None, typer.Option("--schedule", help='How often to refresh: "1m", "2 hours".')
]
Policy: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--compaction-policy",
        help="When the changes it needs have expired: fallback computes anew, error refuses.",
    ),
]
NameAndQuery: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[URL] NAME QUERY",
        help="The lake's URL, which QUACKLAKE_URL may hold; then a name; then SQL, or - for input.",
    ),
]


def create(  # noqa: PLR0913 - each is a choice users make by name
    words: NameAndQuery = None,
    file: QueryFile = None,
    schedule: Schedule = None,
    mode: Mode = None,
    compaction_policy: Policy = None,
    metadata_schema: MetadataSchema = None,
    engine: Engine = None,
    *,
    replace: Annotated[
        bool, typer.Option("--replace", help="Put it in the place of one of that name.")
    ] = False,
    if_not_exists: Annotated[
        bool, typer.Option("--if-not-exists", help="Leave one of that name as it is.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Keep the result of a query as a table, and fill it.

    The query is Spark's SQL over tables and other stream tables of the lake. Spark makes the
    result and refreshes it; with --engine local DuckDB does, in this process.
    """
    url, name, query = addressed_query(words, file, looking.A_NAME)
    with changeable(url, metadata_schema, engine) as lake:
        made = lake.create_stream_table(
            name,
            query,
            schedule=schedule,
            mode=mode or "auto",
            compaction_policy=compaction_policy or "fallback",
            replace=replace,
            if_not_exists=if_not_exists,
        ).made
    show_reports([] if made is None else [made], json=json)


def refresh(
    words: UrlAndTables = None,
    mode: Mode = None,
    metadata_schema: MetadataSchema = None,
    engine: Engine = None,
    *,
    json: AsJson = False,
) -> None:
    """Bring stream tables up to the newest snapshot, several of them in one.

    Each line tells how it was done and why, the rows that changed in the sources and in the
    result, and what had to be read. Each is refreshed by the engine that made it.
    """
    url, names = addressed_many(words)
    with changeable(url, metadata_schema, engine) as lake:
        show_reports(lake.refresh(names or None, mode=mode), json=json)


def alter(
    words: UrlAndTable = None,
    schedule: Schedule = None,
    mode: Mode = None,
    compaction_policy: Policy = None,
    metadata_schema: MetadataSchema = None,
    *,
    no_schedule: Annotated[
        bool, typer.Option("--no-schedule", help="Refresh it only when asked.")
    ] = False,
) -> None:
    """Change the settings of a stream table; its rows stay as they are."""
    url, name = addressed(words, looking.A_NAME)
    given = {"schedule": schedule, "mode": mode, "compaction_policy": compaction_policy}
    chosen: dict[str, str | None] = {key: each for key, each in given.items() if each is not None}
    if no_schedule:
        if schedule is not None:
            raise UsageError("--schedule and --no-schedule exclude each other")
        chosen["schedule"] = None
    if not chosen:
        raise UsageError("nothing is to be changed", hint="give --schedule, --mode or another")
    with changeable(url, metadata_schema) as lake:
        lake.stream_table(name).alter(**chosen)
    said = ", ".join(f"{key} = {each or 'none'}" for key, each in chosen.items())
    typer.echo(f"{name}: {said}")


def rewind(
    words: UrlAndTable = None,
    snapshot: Annotated[
        int | None, typer.Option("--snapshot", help="The snapshot of the sources to go back to.")
    ] = None,
    metadata_schema: MetadataSchema = None,
    engine: Engine = None,
    *,
    json: AsJson = False,
) -> None:
    """Put a stream table back to what it was of its sources at a snapshot; refresh goes on."""
    url, name = addressed(words, looking.A_NAME)
    if snapshot is None:
        raise UsageError("--snapshot is missing", hint="quacklake snapshots lists them")
    with changeable(url, metadata_schema, engine) as lake:
        show_reports([lake.stream_table(name).rewind(snapshot=snapshot)], json=json)


def drop(
    words: UrlAndTable = None,
    metadata_schema: MetadataSchema = None,
    *,
    cascade: Annotated[
        bool, typer.Option("--cascade", help="Drop stream tables that read it, too.")
    ] = False,
    if_exists: Annotated[
        bool, typer.Option("--if-exists", help="It is no error if there is none.")
    ] = False,
) -> None:
    """Drop a stream table: its result, and all that was kept for it."""
    url, name = addressed(words, looking.A_NAME)
    with changeable(url, metadata_schema) as lake:
        try:
            dropped = lake.stream_table(name).drop(cascade=cascade)
        except NotFound:
            if not if_exists:
                raise
            dropped = ()
    for each in dropped:
        typer.echo(f"dropped {each}")


def _example(command: str, rest: str = "") -> str:
    return f"quacklake stream {command} sqlite:///shop.sqlite {rest}".rstrip()


_DAILY: Final = '"SELECT day, sum(amount) AS total FROM orders GROUP BY day"'
_EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "create": (f"daily --schedule 1m {_DAILY}", "daily --file daily.sql --replace --engine local"),
    "list": ("", "--json"),
    "refresh": ("", "daily top_days", "daily --mode full --json"),
    "explain": ("daily",),
    "verify": ("", "daily"),
    "history": ("daily -n 5",),
    "lineage": ("daily --json",),
    "alter": ("daily --schedule 5m --mode incremental", "daily --no-schedule"),
    "rewind": ("daily --snapshot 42",),
    "drop": ("daily --cascade",),
    "validate": ('"SELECT day, rand() AS r FROM orders"',),
}
_COMMANDS: Final[Mapping[str, Callable[..., None]]] = {
    "create": create,
    "list": looking.listed,
    "refresh": refresh,
    "explain": looking.explain,
    "verify": looking.verify,
    "history": looking.history,
    "lineage": looking.lineage,
    "alter": alter,
    "rewind": rewind,
    "drop": drop,
    "validate": looking.validate,
}
COMMANDS: Final = tuple(
    (name, command, tuple(_example(name, rest) for rest in _EXAMPLES[name]))
    for name, command in _COMMANDS.items()
)
"""The name of each command, what it does, and examples."""

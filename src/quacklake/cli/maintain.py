"""`quacklake maintain`: keep a lake in shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from quacklake.cli import sheet
from quacklake.cli.arguments import AsJson, Engine, MetadataSchema, addressed, changeable
from quacklake.kernel.errors import UsageError

if TYPE_CHECKING:
    from quacklake.client.lake import Lake
    from quacklake.client.upkeep import Watch

EXAMPLES: Final = (
    "quacklake maintain sqlite:///shop.sqlite checkpoint",
    "quacklake maintain sqlite:///shop.sqlite merge --table orders --dry-run",
    'quacklake maintain sqlite:///shop.sqlite expire --older-than "7 days"',
    "quacklake maintain sqlite:///shop.sqlite cleanup",
)


class Task(StrEnum):
    """What to do."""

    CHECKPOINT = "checkpoint"
    FLUSH = "flush"
    MERGE = "merge"
    REWRITE = "rewrite"
    EXPIRE = "expire"
    CLEANUP = "cleanup"
    ORPHANS = "orphans"


UrlAndTask: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[URL] TASK",
        help=f"The lake's URL, unless QUACKLAKE_URL is set. Then one of: {', '.join(Task)}.",
    ),
]


def maintain(
    words: UrlAndTask = None,
    table: Annotated[
        str | None, typer.Option("--table", help="One table only, for flush, merge and rewrite.")
    ] = None,
    older_than: Annotated[
        str | None,
        typer.Option("--older-than", help="An age or an instant, for expire, cleanup, orphans."),
    ] = None,
    metadata_schema: MetadataSchema = None,
    engine: Engine = None,
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Flush, merge, rewrite, expire and clean up; checkpoint does all of it, in that order.

    flush moves rows that the catalog keeps into files; merge makes large files of small ones;
    rewrite drops deleted rows from files; expire gives up old snapshots; cleanup deletes the
    files they needed; orphans deletes what failed writers left behind.
    """
    from quacklake.cli.progress import is_shown, watched

    url, named = addressed(words, "what to do")
    task = _task(named)
    with (
        changeable(url, metadata_schema, engine) as lake,
        watched(str(task), shown=is_shown(json=json)) as watch,
    ):
        done = _done(lake, task, table, older_than, watch, dry_run=dry_run)
    if json:
        sheet.print_json({"task": str(task), "dry_run": dry_run, "done": done})
        return
    verb = "would do" if dry_run else "did"
    if not done:
        typer.echo(f"{task}: nothing to do")
    for each in done:
        typer.echo(f"{task}: {verb} {_told(each)}")


def _task(word: str) -> Task:
    if word not in set(Task):
        raise UsageError(f"'{word}' is nothing to do", hint=f"choose from: {', '.join(Task)}")
    return Task(word)


def _done(
    lake: Lake,
    task: Task,
    table: str | None,
    older_than: str | None,
    watch: Watch,
    *,
    dry_run: bool,
) -> list[object]:
    acts: dict[Task, Callable[[], tuple[object, ...]]] = {
        Task.FLUSH: lambda: lake.flush_inlined_data(table, dry_run=dry_run, watch=watch),
        Task.MERGE: lambda: lake.merge_adjacent_files(table, dry_run=dry_run, watch=watch),
        Task.REWRITE: lambda: lake.rewrite_data_files(table, dry_run=dry_run, watch=watch),
        Task.EXPIRE: lambda: lake.expire_snapshots(older_than=older_than, dry_run=dry_run),
        Task.CLEANUP: lambda: lake.cleanup_old_files(older_than=older_than, dry_run=dry_run),
        Task.ORPHANS: lambda: lake.delete_orphaned_files(older_than=older_than, dry_run=dry_run),
        Task.CHECKPOINT: lambda: _checkpoint(lake, watch, dry_run=dry_run),
    }
    return [_plain(each) for each in acts[task]()]


def _checkpoint(lake: Lake, watch: Watch, *, dry_run: bool) -> tuple[object, ...]:
    if not dry_run:
        return lake.checkpoint(watch=watch)
    return (
        *lake.flush_inlined_data(dry_run=True, watch=watch),
        *lake.merge_adjacent_files(dry_run=True, watch=watch),
        *lake.rewrite_data_files(dry_run=True, watch=watch),
    )


def _plain(each: object) -> object:
    return each if isinstance(each, int | str) else asdict(each)  # type: ignore[call-overload]


def _told(each: object) -> str:
    if isinstance(each, dict):
        files = f"{each['files_removed']} files into {each['files_added']}"
        return f"{each['operation']} of {each['table']}: {files}, {each['rows']} rows"
    return f"expire snapshot {each}" if isinstance(each, int) else f"delete {each}"

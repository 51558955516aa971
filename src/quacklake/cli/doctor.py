"""`quacklake doctor`: is everything there and sound?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import typer

from quacklake.cli import sheet
from quacklake.cli.arguments import AsJson, MetadataSchema, Url, addressed, opened

if TYPE_CHECKING:
    from quacklake.app.doctor import Report

EXAMPLES: Final = (
    "quacklake doctor sqlite:///shop.sqlite",
    "quacklake doctor sqlite:///shop.sqlite --json",
)
_SHOWN: Final = 50


def doctor(
    words: Url = None, metadata_schema: MetadataSchema = None, *, json: AsJson = False
) -> None:
    """Check a lake: catalog, statistics, row ids, deletes, views, and that every file is there.

    Looks at the newest snapshot and changes nothing. The exit code is 1 if there is a problem.
    Tells besides which Spark and Java would be used; a lake needs neither.
    """
    from quacklake.app.doctor import examine, spark_here

    (url,) = addressed(words)
    with opened(url, metadata_schema) as lake, _progress() as progress:
        report = examine(lake, progress)
        label = lake.label
    if json:
        told = {"lake": label, "sound": report.is_sound, "spark": spark_here()}
        sheet.print_json({**told, **asdict(report)})
    else:
        typer.echo(f"Spark {spark_here()}")
        _show(label, report)
    if not report.is_sound:
        raise typer.Exit(1)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _done, _of: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("files", total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def _show(label: str, report: Report) -> None:
    typer.echo(
        f"{label} at snapshot {report.snapshot}: {report.tables} tables, {report.views} views, "
        f"{report.data_files} data files and {report.delete_files} delete files "
        f"({sheet.size(report.bytes)})"
    )
    if not report.findings:
        typer.secho("everything is there and sound", fg="green")
        return
    rows = [
        (str(each.severity), each.check, each.subject, each.problem, each.advice)
        for each in report.findings[:_SHOWN]
    ]
    sheet.show(("", "check", "in", "finding", "what to do"), rows)
    if len(report.findings) > _SHOWN:
        typer.echo(f"and {len(report.findings) - _SHOWN} more; --json lists all")

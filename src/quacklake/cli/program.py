"""The program `quacklake`: its commands, and how it fails."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Final

import typer

from quacklake import __version__
from quacklake.cli import (
    append,
    changes,
    demo,
    describe,
    doctor,
    head,
    init,
    maintain,
    snapshots,
    sql,
    stream,
    tables,
)
from quacklake.kernel.errors import QuacklakeError, UsageError

_TOUR: Final = """Read and write a DuckLake: a SQL database as catalog, Parquet files as data.

A lake is named by the URL of its catalog, given first or set once in QUACKLAKE_URL:

\b
  duckdb:///shop.ducklake       a DuckDB file, one program at a time
  sqlite:///shop.sqlite         a SQLite file, many programs at a time
  postgresql://me@host/db       or mysql://me@host/db
  ducklake:sqlite:shop.sqlite   as DuckDB's ATTACH spells it

[bold]A tour[/bold]

\b
  quacklake demo                see it work, in seconds
  quacklake init sqlite:///shop.sqlite --data-path shop_data/
  export QUACKLAKE_URL=sqlite:///shop.sqlite
  quacklake tables              what is in the lake
  quacklake describe orders     columns, partitions, rows and files
  quacklake snapshots           what happened to the lake
  quacklake head orders -n 5 --filter "amount > 10" --snapshot 3
  quacklake sql "SELECT day, sum(amount) FROM orders GROUP BY ALL"
  quacklake sql "FROM orders AT (VERSION => 3)" --json
  quacklake changes orders --since 3
  quacklake append $QUACKLAKE_URL orders today.csv
  quacklake sql "UPDATE orders SET amount = 0 WHERE id = 7"
  quacklake stream create daily "SELECT day, sum(amount) AS total FROM orders GROUP BY day"
  quacklake stream refresh daily
  quacklake maintain $QUACKLAKE_URL checkpoint
  quacklake doctor              is everything there and sound?

Every command takes --help, and --json where there is something to read for programs:
rows are one object per line, anything else is one document.
"""

program = typer.Typer(
    name="quacklake",
    help=_TOUR,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _help(command: Callable[..., None], lines: tuple[str, ...]) -> str:
    """The docstring of a command, and below it examples that typer leaves as they are."""
    told = inspect.getdoc(command) or ""
    return "\n\n".join([told, "[bold]For example[/bold]", "\b\n" + "\n".join(lines)])


for panel, command, lines in (
    ("Make", init.init, init.EXAMPLES),
    ("Make", demo.demo, demo.EXAMPLES),
    ("Look", tables.tables, tables.EXAMPLES),
    ("Look", describe.describe, describe.EXAMPLES),
    ("Look", snapshots.snapshots, snapshots.EXAMPLES),
    ("Read", head.head, head.EXAMPLES),
    ("Read", sql.sql, sql.EXAMPLES),
    ("Read", changes.changes, changes.EXAMPLES),
    ("Write", append.append, append.EXAMPLES),
    ("Care", maintain.maintain, maintain.EXAMPLES),
    ("Care", doctor.doctor, doctor.EXAMPLES),
):
    program.command(rich_help_panel=panel, help=_help(command, lines))(command)


def _shown_alone(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


streams = typer.Typer(
    help=stream.TOUR,
    rich_markup_mode="rich",
    invoke_without_command=True,
    callback=_shown_alone,
    context_settings={"help_option_names": ["--help", "-h"]},
)
for name, kept, examples in stream.COMMANDS:
    streams.command(name, help=_help(kept, examples))(kept)
program.add_typer(streams, name="stream", rich_help_panel="Keep")


def _show_version(value: bool) -> None:  # noqa: FBT001 - typer calls it with the flag
    if value:
        typer.echo(f"quacklake {__version__}")
        raise typer.Exit


@program.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001, FBT002 - handled before any command runs
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
    debug: Annotated[  # noqa: FBT002 - a flag of the command line
        bool,
        typer.Option("--debug", envvar="QUACKLAKE_DEBUG", help="Show the traceback of an error."),
    ] = False,
) -> None:
    if debug:
        os.environ["QUACKLAKE_DEBUG"] = "1"
    _shown_alone(context)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; the answer is its exit code: 2 for a wrong request, 1 for other errors."""
    try:
        code = program(args=arguments, prog_name="quacklake", standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return _quiet_end()
    except Exception as error:
        if os.environ.get("QUACKLAKE_DEBUG", "0") not in ("", "0", "false"):
            raise
        return _report(error)
    return code if isinstance(code, int) else 0


def _quiet_end() -> int:
    """The reader of our output has left, and there is nobody to tell."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141


def _report(error: Exception) -> int:
    if isinstance(error, QuacklakeError):
        _say(error.problem, error.hint)
        return 2 if isinstance(error, UsageError) else 1
    if hasattr(error, "format_message"):
        # A request that typer refused: an unknown option, a missing argument.
        _say(_sentence(error.format_message()), "quacklake --help shows how it is used")
        return int(getattr(error, "exit_code", 2))
    _say(
        f"something unexpected happened ({type(error).__name__})",
        "run it again with QUACKLAKE_DEBUG=1 to see where, and report it",
    )
    return 1


def _sentence(text: str) -> str:
    line = " ".join(text.split()).rstrip(".")
    return line[:1].lower() + line[1:]


def _say(problem: str, hint: str) -> None:
    sys.stdout.flush()
    typer.secho("error: ", fg="red", bold=True, nl=False, err=True)
    typer.echo(problem, err=True)
    if hint:
        typer.secho("hint: ", fg="cyan", nl=False, err=True)
        typer.echo(hint, err=True)

"""What commands print: a drawn table on a terminal, aligned text anywhere else, or JSON."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

import typer

_WIDEST: Final = 60
"""No cell is drawn wider; plain text is never cut."""


def show(
    headers: Sequence[str],
    rows: Iterable[Sequence[str | None]],
    *,
    right: Sequence[bool] = (),
    title: str = "",
) -> None:
    """Print rows below their headers; a cell without a value is NULL."""
    listed = [[*row] for row in rows]
    aligned = [*right, *[False] * (len(headers) - len(right))]
    if sys.stdout.isatty():
        _drawn(headers, listed, aligned, title)
        return
    if title:
        typer.echo(title)
    for line in _plain(headers, listed, aligned):
        typer.echo(line)


def _drawn(
    headers: Sequence[str], rows: list[list[str | None]], right: list[bool], title: str
) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.ROUNDED, title=title or None, title_justify="left", header_style="bold")
    for header, is_right in zip(headers, right, strict=True):
        table.add_column(
            Text(header),
            justify="right" if is_right else "left",
            overflow="ellipsis",
            max_width=_WIDEST,
        )
    for row in rows:
        table.add_row(*(Text("NULL", style="dim") if cell is None else Text(cell) for cell in row))
    Console().print(table)


def _plain(
    headers: Sequence[str], rows: list[list[str | None]], right: list[bool]
) -> Iterable[str]:
    lines = [list(headers), *([_one_line(cell) for cell in row] for row in rows)]
    widths = [max(_width(line[place]) for line in lines) for place in range(len(headers))]
    for line in lines:
        cells = (
            _padded(cell, width, right=is_right)
            for cell, width, is_right in zip(line, widths, right, strict=True)
        )
        yield "  ".join(cells).rstrip()


def _one_line(cell: str | None) -> str:
    return "NULL" if cell is None else cell.replace("\n", "\\n")


def _padded(cell: str, width: int, *, right: bool) -> str:
    gap = " " * (width - _width(cell))
    return gap + cell if right else cell + gap


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) != 0 for letter in text)


def size(count: int | None) -> str | None:
    """A number of bytes as people say it."""
    if count is None:
        return None
    amount = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:  # noqa: PLR2004 - a thousand of one unit is one of the next
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def print_json(document: object) -> None:
    """One JSON document."""
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False, default=str))

"""What stream tables did, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import typer

from quacklake.cli import sheet

if TYPE_CHECKING:
    from quacklake.pipeline.reports import PastRefresh, RefreshReport
    from quacklake.pipeline.verifying import Verification

_NUMBERS: Final = ("rows in", "rows out", "rows read", "read", "files", "ms", "snapshot")
_SHOWN: Final = 20


def show_reports(reports: Sequence[RefreshReport], *, json: bool) -> None:
    """Refreshes, one a line."""
    if json:
        sheet.print_json([asdict(each) for each in reports])
        return
    rows = [(each.name, each.mode, *_numbers(each), each.reason) for each in reports]
    headers = ("name", "mode", *_NUMBERS, "reason")
    sheet.show(headers, rows, right=(False, False, *(True for _ in _NUMBERS)))


def show_history(history: Sequence[PastRefresh], *, json: bool) -> None:
    """The refreshes of one stream table, one a line."""
    if json:
        sheet.print_json(
            [{"finished": each.finished.isoformat(), **_whole(each)} for each in history]
        )
        return
    rows = [
        (
            each.finished.isoformat(sep=" ", timespec="seconds"),
            each.report.mode,
            *_numbers(each.report),
            each.report.reason,
        )
        for each in history
    ]
    headers = ("finished", "mode", *_NUMBERS, "reason")
    sheet.show(headers, rows, right=(False, False, *(True for _ in _NUMBERS)))


def show_differences(found: Sequence[Verification], *, json: bool) -> None:
    """Whether stored rows are those of the queries, and the rows that are not."""
    if json:
        sheet.print_json(
            [
                {
                    "name": each.name,
                    "ok": each.ok,
                    "rows": each.rows,
                    "differences": each.differences.to_pylist(),
                    "complete": each.complete,
                }
                for each in found
            ]
        )
        return
    for each in found:
        if each.ok:
            typer.echo(f"{each.name}: {each.rows:,} rows, all as the query has them")
            continue
        count = each.differences.num_rows
        some = "" if each.complete else "more than "
        differ = f"{some}{count:,} of them or of the query differ"
        typer.echo(f"{each.name}: {each.rows:,} rows, {differ}")
        shown = each.differences.slice(0, _SHOWN)
        rows = [[None if v is None else str(v) for v in row.values()] for row in shown.to_pylist()]
        sheet.show(shown.column_names, rows)
        if count > _SHOWN:
            whole = "all" if each.complete else f"{count:,}"
            typer.echo(f"the first {_SHOWN} differences; --json has {whole}", err=True)


def _numbers(report: RefreshReport) -> tuple[str | None, ...]:
    counts = (report.rows_in, report.rows_out, report.rows_read)
    return (
        *(f"{count:,}" for count in counts),
        sheet.size(report.bytes_read),
        f"{report.files_read:,}",
        f"{report.duration_ms:,}",
        "" if report.snapshot_id is None else str(report.snapshot_id),
    )


def _whole(past: PastRefresh) -> dict[str, object]:
    return {**asdict(past.report), "frontier": past.frontier}

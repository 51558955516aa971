"""`quacklake describe`: one table, its columns and its size."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import typer

from quacklake.cli import sheet
from quacklake.cli.arguments import AsJson, MetadataSchema, UrlAndTable, addressed, opened

if TYPE_CHECKING:
    from quacklake.client.inspection import TableInfo, TableStats

EXAMPLES: Final = (
    "quacklake describe sqlite:///shop.sqlite orders",
    "quacklake describe sqlite:///shop.sqlite sales.orders --json",
)


def describe(
    words: UrlAndTable = None,
    metadata_schema: MetadataSchema = None,
    *,
    json: AsJson = False,
) -> None:
    """Show a table: columns with types and ranges, partitions, rows and files."""
    url, name = addressed(words, "the name of a table")
    with opened(url, metadata_schema) as lake:
        table = lake.table(name)
        info, stats = table.info, table.stats()
    if json:
        sheet.print_json(_document(info, stats))
        return
    _show(info, stats)


def _document(info: TableInfo, stats: TableStats) -> dict[str, object]:
    ranges = {each.column: each for each in stats.columns}
    columns = [
        {**asdict(column), **_range(ranges[column.name])}
        if column.name in ranges
        else asdict(column)
        for column in info.columns
    ]
    totals = {key: value for key, value in asdict(stats).items() if key != "columns"}
    return {**asdict(info), "columns": columns, **totals}


def _range(stats: object) -> dict[str, object]:
    return {key: value for key, value in asdict(stats).items() if key != "column"}  # type: ignore[call-overload]


def _show(info: TableInfo, stats: TableStats) -> None:
    typer.secho(f"{info.schema}.{info.name}", bold=True)
    if info.comment:
        typer.echo(info.comment)
    typer.echo(
        f"{stats.rows:,} rows: {stats.file_rows:,} in {stats.files:,} files "
        f"({sheet.size(stats.size_bytes)}), {stats.deleted_rows:,} of them deleted, "
        f"{stats.inlined_rows:,} in the catalog"
    )
    if info.partitioned_by:
        typer.echo(f"partitioned by {', '.join(info.partitioned_by)}")
    ranges = {each.column: each for each in stats.columns}
    rows = []
    for column in info.columns:
        known = ranges.get(column.name)
        rows.append(
            (
                column.name,
                column.type,
                "" if column.nullable else "not null",
                column.default or "",
                (known and known.min) or "",
                (known and known.max) or "",
                "" if known is None or known.nulls is None else str(known.nulls),
            )
        )
    headers = ("column", "type", "", "default", "min", "max", "nulls")
    sheet.show(headers, rows, right=(False,) * 6 + (True,))

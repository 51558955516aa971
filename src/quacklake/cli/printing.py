"""Rows of lake types as text and as JSON, written by DuckDB as DuckDB writes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import typer

from quacklake.cli import sheet
from quacklake.format import casting
from quacklake.format.sqltypes import literal
from quacklake.format.types import FLOATS, INTEGERS, Decimal, Kind, LakeType, Scalar

if TYPE_CHECKING:
    import pyarrow as pa

_NOT_JSON: Final = ("NaN", "Infinity")


@dataclass(frozen=True, slots=True)
class Columns:
    """The names and lake types of rows to print."""

    names: tuple[str, ...]
    types: tuple[LakeType, ...]


def print_json_lines(columns: Columns, batches: Iterable[pa.RecordBatch]) -> None:
    """One JSON object per row, as the rows come."""
    for batch in batches:
        for line in _json_rows(columns, batch):
            typer.echo(line)


def print_sheet(columns: Columns, batches: Iterable[pa.RecordBatch]) -> None:
    """One table with all rows."""
    rows = (row for batch in batches for row in _text_rows(columns, batch))
    sheet.show(columns.names, rows, right=[_is_number(found) for found in columns.types])


def limited(batches: Iterator[pa.RecordBatch], count: int) -> Iterator[pa.RecordBatch]:
    """The first `count` rows; no more than needed is read."""
    left = count
    for batch in batches:
        if left <= 0:
            return
        yield batch.slice(0, left)
        left -= batch.num_rows


def _text_rows(columns: Columns, batch: pa.RecordBatch) -> list[tuple[str | None, ...]]:
    return _projected(batch, [f"CAST({each} AS VARCHAR)" for each in _restored(columns)])


def _json_rows(columns: Columns, batch: pa.RecordBatch) -> Iterator[str]:
    values = [
        _json_value(each, found)
        for each, found in zip(_restored(columns), columns.types, strict=True)
    ]
    keys = _distinct(columns.names)
    pairs = ", ".join(f"{literal(key)}, {value}" for key, value in zip(keys, values, strict=True))
    for (line,) in _projected(batch, [f"CAST(json_object({pairs}) AS VARCHAR)"]):
        text = line or "{}"
        # JSON has no such numbers: they are written as texts.
        if any(word in text for word in _NOT_JSON):
            text = json.dumps(json.loads(text, parse_constant=str), ensure_ascii=False)
        yield text


def _json_value(expression: str, found: LakeType) -> str:
    return f"CAST({expression} AS JSON)" if found == Scalar(Kind.VARIANT) else expression


def _restored(columns: Columns) -> list[str]:
    return [
        casting.restored(f"#{place}", found) for place, found in enumerate(columns.types, start=1)
    ]


def _projected(batch: pa.RecordBatch, expressions: Sequence[str]) -> list[tuple[str | None, ...]]:
    import pyarrow as pa

    table = pa.Table.from_batches([batch])
    # Two columns of one name are told apart by their place only.
    numbered = table.rename_columns([f"c{place}" for place in range(table.num_columns)])
    listed = ", ".join(f"{expression} AS e{place}" for place, expression in enumerate(expressions))
    return casting.session().from_arrow(numbered).project(listed).fetchall()


def _distinct(names: Sequence[str]) -> list[str]:
    """Keys of an object: a name that comes again gets a number."""
    keys: list[str] = []
    for name in names:
        key, number = name, 1
        while key in keys:
            key, number = f"{name}_{number}", number + 1
        keys.append(key)
    return keys


def _is_number(found: LakeType) -> bool:
    match found:
        case Scalar(kind):
            return kind in INTEGERS or kind in FLOATS
        case Decimal():
            return True
        case _:
            return False

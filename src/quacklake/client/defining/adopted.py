"""What is known of the values in a file added as it is: by its footer, folders and defaults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq

from quacklake.format.casting import constant
from quacklake.format.measuring import statistics_of
from quacklake.format.statistics import ColumnStatistics
from quacklake.format.table import Table
from quacklake.format.types import Column
from quacklake.kernel.errors import CorruptLake, UsageError
from quacklake.storage.parquet import ParquetField
from quacklake.storage.writing.foreign import foreign_statistics


def adopted_statistics(
    table: Table,
    fields: Sequence[ParquetField],
    folders: Mapping[str, str | None],
    footer: pq.FileMetaData,
    location: str,
) -> tuple[ColumnStatistics, ...]:
    """The statistics of every leaf of the table in a file; a NULL where none may be is refused."""
    stored = {field.name.casefold(): field for field in fields}
    said = {name.casefold(): text for name, text in folders.items()}
    found: list[ColumnStatistics] = []
    for column in table.columns:
        own = _of_column(column, stored, said, footer, location)
        if not column.nullable and not column.children() and own[0].null_count:
            raise UsageError(
                f"column '{column.name}' of file '{location}' has NULLs, and the table allows none",
                hint="append its rows with the NULLs replaced, or drop NOT NULL",
                column=column.name,
            )
        found += own
    return tuple(found)


def _of_column(
    column: Column,
    stored: Mapping[str, ParquetField],
    said: Mapping[str, str | None],
    footer: pq.FileMetaData,
    location: str,
) -> list[ColumnStatistics]:
    name = column.name.casefold()
    rows = footer.num_rows
    if name in stored:
        return [
            _constant(leaf, leaf.initial_default, rows)
            if field is None
            else foreign_statistics(footer, leaf, field)
            for leaf, field in leaf_pairs(column, stored[name])
        ]
    if name not in said:
        return [_constant(leaf, leaf.initial_default, rows) for leaf in column.leaves()]
    try:
        return [_constant(column, said[name], rows)]
    except CorruptLake as error:
        raise UsageError(
            f"the folder of file '{location}' says a value that column '{column.name}' cannot have",
            column=column.name,
        ) from error


def leaf_pairs(
    column: Column, field: ParquetField | None
) -> Iterator[tuple[Column, ParquetField | None]]:
    """The leaves of a column, each with the field it is read from, if the file has one."""
    children = column.children()
    if not children:
        yield column, field
        return
    for child, below in child_pairs(column, field):
        yield from leaf_pairs(child, below)


def child_pairs(
    column: Column, field: ParquetField | None
) -> Iterator[tuple[Column, ParquetField | None]]:
    """Fields of a struct by name, what is in a list or map by place."""
    children = column.children()
    if field is None:
        yield from ((child, None) for child in children)
    elif len(children) == len(field.children) and not pa.types.is_struct(field.type):
        yield from zip(children, field.children, strict=True)
    else:
        named = {below.name.casefold(): below for below in field.children}
        yield from ((child, named.get(child.name.casefold())) for child in children)


def _constant(leaf: Column, text: str | None, rows: int) -> ColumnStatistics:
    """A leaf that has one value in all rows."""
    value = pa.array([constant(text, leaf.type).as_py()], constant(text, leaf.type).type)
    (found,) = statistics_of((leaf,), pa.table([value], names=[leaf.name]))
    is_null = text is None
    counts = (0, rows) if is_null else (rows, 0)
    return replace(found, size_bytes=0, value_count=counts[0], null_count=counts[1])

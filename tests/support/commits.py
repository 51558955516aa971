"""Commits by hand: the rows that a writer of the format would write, without its planning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pyarrow as pa
from sqlalchemy import select

from quacklake.catalog import Catalog, CatalogWriter, Steps
from quacklake.catalog.mutations import CreateInlined, Insert, InsertInlined, Mutation
from quacklake.catalog.writer import unheard
from quacklake.format.snapshot import Latest, Snapshot
from quacklake.format.types import Column, type_name
from quacklake.kernel.ids import SnapshotId, TableId


def after(head: Snapshot, *, schema_changes: bool = False, files: int = 1) -> Snapshot:
    """The snapshot of a commit on top of `head`."""
    return Snapshot(
        SnapshotId(head.id + 1),
        datetime.now(UTC),
        head.schema_version + schema_changes,
        head.next_catalog_id + schema_changes,
        head.next_file_id + files,
    )


def commit(
    catalog: Catalog,
    *mutations: Mutation,
    changes: str = "",
    files: int = 1,
    steps: Steps = unheard,
) -> Snapshot:
    """One commit of `mutations` that gave ids to `files`; `changes` is what it says of itself."""
    with catalog.write(steps=steps) as writer:
        snapshot = after(writer.snapshot(Latest()), schema_changes=True, files=files)
        writer.claim(snapshot)
        writer.apply((*mutations, said(snapshot, changes)))
    return snapshot


def said(snapshot: Snapshot, changes: str) -> Insert:
    """The row that tells what a commit did."""
    return Insert("snapshot_changes", ((snapshot.id, changes, None, None, None),))


def head_of(catalog: Catalog) -> Snapshot:
    """The newest snapshot."""
    with catalog.read() as reader:
        return reader.snapshot(Latest())


def table_made(
    table: TableId, name: str, columns: Sequence[Column], at: Snapshot
) -> list[Mutation]:
    """What creates a table in the schema `main`, with a place for inlined rows."""
    rows = [row for column in columns for row in _column_rows(column, None, table, at.id)]
    return [
        Insert("table", ((table, uuid4(), at.id, None, 0, name, f"{name}/", True),)),
        Insert("column", tuple(rows)),
        Insert("schema_versions", ((at.id, at.schema_version, table),)),
        CreateInlined(table, at.schema_version, tuple(columns)),
    ]


def _column_rows(
    column: Column, parent: int | None, table: TableId, at: int
) -> list[tuple[Any, ...]]:
    row = (
        column.id, at, None, table, column.id, column.name, type_name(column.type), None, "NULL",
        column.nullable, parent, "literal", "duckdb",
    )  # fmt: skip
    inner = (_column_rows(child, column.id, table, at) for child in column.children())
    return [row, *(below for rows in inner for below in rows)]


def inlined_table(
    catalog: Catalog, columns: Sequence[Column], rows: pa.Table, *, name: str = "t"
) -> TableId:
    """A table created and filled with inlined rows in one commit; `rows` are without ids."""
    with catalog.write() as writer:
        head = writer.snapshot(Latest())
        at = after(head, schema_changes=True)
        table = TableId(head.next_catalog_id)
        writer.claim(at)
        writer.apply(
            [
                *table_made(table, name, columns, at),
                inlined(table, at.schema_version, columns, rows, at.id),
                Insert("table_stats", ((table, rows.num_rows, rows.num_rows, 0),)),
                said(at, f'created_table:"main"."{name}",inlined_insert:{table}'),
            ]
        )
    return table


def inlined(
    table: TableId,
    version: int,
    columns: Sequence[Column],
    rows: pa.Table,
    begin: SnapshotId,
    *,
    first: int = 0,
) -> InsertInlined:
    """Inlined rows with row ids from `first`."""
    ids = pa.array(range(first, first + rows.num_rows), pa.int64())
    return InsertInlined(table, version, tuple(columns), rows.add_column(0, "row_id", [ids]), begin)


def rows_in(catalog: Catalog | CatalogWriter, name: str) -> list[tuple[Any, ...]]:
    """All rows of `ducklake_<name>`, positional, in no particular order."""
    if isinstance(catalog, CatalogWriter):
        return [tuple(row) for row in catalog._all(select(catalog._scope.tables[name]))]
    with catalog.read() as reader:
        return [tuple(row) for row in reader._all(select(catalog.scope.tables[name]))]


def without_time(snapshot: Snapshot) -> Snapshot:
    """A snapshot whose time does not matter."""
    return replace(snapshot, time=datetime(2000, 1, 1, tzinfo=UTC))

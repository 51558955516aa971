"""Schemas, tables and views made, renamed and dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import duckdb
import pyarrow as pa

from quacklake.client.defining.layout import partition_spec
from quacklake.client.defining.types import Counter, column_from_arrow, column_from_sql
from quacklake.client.workspace import Workspace
from quacklake.format import casting
from quacklake.format.naming import folder_for, uuid7
from quacklake.format.paths import relative_path
from quacklake.format.table import Schema, Table, TableName, View
from quacklake.format.types import Column
from quacklake.kernel.errors import NotFound, UsageError
from quacklake.kernel.ids import SchemaId, TableId
from quacklake.transaction.draft import TableDraft, ViewDraft

Columns: TypeAlias = pa.Schema | Mapping[str, str]


def create_schema(work: Workspace, name: str, *, if_not_exists: bool = False) -> None:
    """Make a schema."""
    _check_name(name)
    try:
        work.schema(name)
    except NotFound:
        made = Schema(SchemaId(work.local_id()), name, "")
        work.draft = replace(work.draft, new_schemas=(*work.draft.new_schemas, made))
        return
    if not if_not_exists:
        raise UsageError(f"schema '{name}' exists already", schema=name)


def drop_schema(work: Workspace, name: str, *, cascade: bool = False) -> None:
    """Drop a schema; with `cascade` everything in it too."""
    schema = work.schema(name)
    tables, views = work.entries_in(schema)
    if (tables or views) and not cascade:
        first = (*tables, *views)[0]
        raise UsageError(
            f"schema '{name}' is not empty: it has '{first}'", hint="drop it with cascade=True"
        )
    for table in tables:
        drop_table(work, table)
    for view in views:
        drop_view(work, view)
    if schema.id < 0:
        kept = tuple(other for other in work.draft.new_schemas if other.id != schema.id)
        work.draft = replace(work.draft, new_schemas=kept)
    else:
        dropped = (*work.draft.dropped_schemas, schema)
        work.draft = replace(work.draft, dropped_schemas=dropped)


def create_table(
    work: Workspace, name: TableName, columns: Columns, *, partition_by: Sequence[str] = ()
) -> Table:
    """Make an empty table from an Arrow schema, or names with SQL types."""
    schema = work.schema(name.schema)
    _check_name(name.table)
    _check_free(work, name)
    made = columns_from(columns)
    uuid = uuid7()
    path = folder_for(name.table, str(uuid))
    parent = schema.location or work.session.catalog.data_path + folder_for(schema.name, "")
    own_name = TableName(schema.name, name.table)
    table = Table(TableId(work.local_id()), uuid, own_name, parent + path, made)
    if partition_by:
        table = replace(table, partition=partition_spec(work, table, partition_by))
    work.stage(TableDraft(table, schema.id, base=None, path=(path, True)))
    return table


def columns_from(given: Columns) -> tuple[Column, ...]:
    """Columns with ids in preorder; names must differ, case aside."""
    ids = Counter()
    if isinstance(given, pa.Schema):
        made = tuple(column_from_arrow(field, ids) for field in given)
    elif isinstance(given, Mapping):
        made = tuple(column_from_sql(name, text, ids) for name, text in given.items())
    else:
        raise UsageError(
            f"columns cannot be made from {type(given).__name__}",
            hint='give a pyarrow schema, or names with SQL types: {"id": "bigint not null"}',
        )
    if not made:
        raise UsageError("a table needs at least one column")
    check_column_names(made)
    return made


def check_column_names(columns: tuple[Column, ...]) -> None:
    """Names among siblings must differ, case aside."""
    seen: set[str] = set()
    for column in columns:
        _check_name(column.name)
        if column.name.casefold() in seen:
            raise UsageError(f"column '{column.name}' occurs twice", column=column.name)
        seen.add(column.name.casefold())
        check_column_names(column.children())


def _check_name(name: str) -> None:
    if not name or "\x00" in name:
        raise UsageError("a name must have at least one character, and no NUL")


def _check_free(work: Workspace, name: TableName) -> None:
    if work.exists(name) or work.view(name) is not None:
        raise UsageError(f"'{name}' exists already", hint="drop it first, or choose another name")


def drop_table(work: Workspace, name: TableName) -> None:
    """Drop a table; its files stay for time travel until the snapshots expire."""
    draft = work.drafted(name)
    if draft.is_new:
        work.draft = work.draft.without_table(draft.table.id)
    else:
        work.stage(TableDraft(draft.table, draft.schema, draft.base, draft.path, dropped=True))


def rename_table(work: Workspace, name: TableName, new_name: str) -> None:
    """Give a table another name in its schema; its files stay where they are."""
    draft = work.drafted(name)
    renamed = TableName(draft.table.name.schema, new_name)
    _check_name(new_name)
    if renamed.table.casefold() != draft.table.name.table.casefold():
        _check_free(work, renamed)
    schema = work.schema(renamed.schema)
    path = draft.path or relative_path(draft.table.location, schema.location)
    work.stage(replace(draft, table=replace(draft.table, name=renamed), path=path))


def create_view(work: Workspace, name: TableName, sql: str, *, replace_it: bool = False) -> None:
    """Store a query under a name; unqualified names in it mean tables of its schema."""
    schema = work.schema(name.schema)
    _check_name(name.table)
    existing = work.view(name)
    if existing is not None and replace_it:
        drop_view(work, name)
    else:
        _check_free(work, name)
    _check_query(sql)
    view = View(TableName(schema.name, name.table), "duckdb", sql)
    work.draft = work.draft.with_view(ViewDraft(work.local_id(), schema.id, view))


def _check_query(sql: str) -> None:
    try:
        found = casting.session().extract_statements(sql)
    except duckdb.Error as error:
        raise UsageError(
            "the query of the view is not valid SQL: " + str(error).partition("\n")[0]
        ) from error
    if len(found) != 1 or found[0].type != duckdb.StatementType.SELECT:
        raise UsageError("a view is made from one query", hint="write SELECT, columns and FROM")


def drop_view(work: Workspace, name: TableName) -> None:
    """Drop a view."""
    found = _view(work, name)
    if found.base is None:
        kept = {k: v for k, v in work.draft.views.items() if k != found.id}
        work.draft = replace(work.draft, views=kept)
    else:
        work.draft = work.draft.with_view(replace(found, dropped=True))


def rename_view(work: Workspace, name: TableName, new_name: str) -> None:
    """Give a view another name in its schema."""
    found = _view(work, name)
    renamed = TableName(found.view.name.schema, new_name)
    _check_name(new_name)
    _check_free(work, renamed)
    work.draft = work.draft.with_view(replace(found, view=replace(found.view, name=renamed)))


def comment_on_view(work: Workspace, name: TableName, text: str | None) -> None:
    """Set or remove the comment of a view."""
    found = _view(work, name)
    work.draft = work.draft.with_view(replace(found, tags={**found.tags, "comment": text}))


def _view(work: Workspace, name: TableName) -> ViewDraft:
    found = work.view(name)
    if found is None:
        raise NotFound(f"no view '{name}'", kind="view", name=str(name))
    return found

"""Schemas, tables, columns, views and comments: what is made, changed and dropped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from uuid import uuid4

from quacklake.catalog.mutations import End, Insert, Mutation
from quacklake.format.naming import folder_for
from quacklake.format.partition import PartitionSpec, transform_name
from quacklake.format.sqltypes import quoted
from quacklake.format.table import SortKey
from quacklake.transaction.columns import change_between, rows_of
from quacklake.transaction.draft import Draft, TableDraft, ViewDraft, is_renamed
from quacklake.transaction.lowering.numbering import Numbering

ENDED_WITH_A_TABLE = (
    "table",
    "partition_info",
    "column",
    "column_tag",
    "data_file",
    "delete_file",
    "sort_info",
)


def give_ids(draft: Draft, numbers: Numbering) -> None:
    """Ids in the order DuckDB gives them: schemas, tables, partitions, views, sort orders."""
    tables = [table for table in draft.tables.values() if not table.dropped]
    numbers.give_catalog_ids(schema.id for schema in draft.new_schemas)
    numbers.give_catalog_ids(table.table.id for table in tables if table.is_new)
    specs = (table.table.partition for table in tables)
    numbers.give_catalog_ids(spec.id for spec in specs if spec is not None and spec.id < 0)
    numbers.give_catalog_ids(view.id for view in draft.views.values() if view.base is None)


def dropped(draft: Draft, numbers: Numbering) -> Iterator[Mutation]:
    """Rows that end because their object is dropped."""
    at = numbers.snapshot
    schemas = tuple(int(schema.id) for schema in draft.dropped_schemas)
    if schemas:
        yield End("schema", (("schema_id", schemas),), at)
    tables = tuple(int(t.table.id) for t in draft.tables.values() if t.dropped and not t.is_new)
    for name in ENDED_WITH_A_TABLE if tables else ():
        yield End(name, (("table_id", tables),), at)
    views = tuple(view.id for view in draft.views.values() if view.dropped)
    if views:
        yield End("view", (("view_id", views),), at)
    if tables or views:
        yield End("tag", (("object_id", (*tables, *views)),), at)


def new_schemas(draft: Draft, numbers: Numbering) -> Iterator[Mutation]:
    """A row for each schema made."""
    rows = []
    for schema in draft.new_schemas:
        uuid = str(uuid4())
        folder = folder_for(schema.name, uuid)
        own = numbers.catalog_id(schema.id)
        rows.append((own, uuid, int(numbers.snapshot), None, schema.name, folder, True))
    if rows:
        yield Insert("schema", tuple(rows))


def tables(draft: Draft, numbers: Numbering) -> Iterator[Mutation]:
    """Tables made and renamed, with the columns of the new ones."""
    begin = numbers.snapshot
    renamed = [table for table in draft.tables.values() if is_renamed(table)]
    made = [table for table in draft.tables.values() if table.is_new and not table.dropped]
    if renamed:
        yield End("table", (("table_id", tuple(int(t.table.id) for t in renamed)),), begin)
    rows = tuple(_table_row(table, numbers) for table in (*made, *renamed))
    if rows:
        yield Insert("table", rows)
    columns = tuple(
        row.cells(numbers.catalog_id(table.table.id), begin)  # type: ignore[arg-type]
        for table in made
        for row in rows_of(table.table.columns)
    )
    if columns:
        yield Insert("column", columns)


def _table_row(draft: TableDraft, numbers: Numbering) -> tuple[object, ...]:
    table = draft.table
    path, is_relative = draft.path or (None, True)
    return (
        numbers.catalog_id(table.id),
        str(table.uuid),
        int(numbers.snapshot),
        None,
        numbers.catalog_id(draft.schema),
        table.name.table,
        path,
        is_relative,
    )


def changed_columns(draft: Draft, numbers: Numbering) -> Iterator[Mutation]:
    """Column rows that end and begin in tables that were there before."""
    begin = numbers.snapshot
    for table in draft.tables.values():
        if table.base is None or table.dropped:
            continue
        change = change_between(table.base.columns, table.table.columns)
        if change.ended:
            ended = tuple(int(column) for column in change.ended)
            yield End("column", (("table_id", int(table.table.id)), ("column_id", ended)), begin)
        if change.begun:
            yield Insert("column", tuple(r.cells(table.table.id, begin) for r in change.begun))


def partitions(draft: Draft, numbers: Numbering) -> Iterator[Mutation]:
    """Partition specifications that end and begin."""
    begin = int(numbers.snapshot)
    for table in draft.tables.values():
        spec = table.table.partition
        if table.dropped or spec is None or spec.id >= 0:
            continue
        own, table_id = numbers.catalog_id(spec.id), numbers.catalog_id(table.table.id)
        if table.base is not None:
            yield End("partition_info", (("table_id", table_id),), numbers.snapshot)
        yield Insert("partition_info", ((own, table_id, begin, None),))
        keys = tuple(_partition_row(spec, own, table_id))
        if keys:
            yield Insert("partition_column", keys)


def _partition_row(spec: PartitionSpec, own: int, table: int) -> Iterator[tuple[object, ...]]:
    for key in spec.keys:
        yield own, table, key.index, int(key.column), transform_name(key.transform)


def sort_orders(draft: Draft, numbers: Numbering) -> Iterator[Mutation]:
    """Sort orders that end and begin."""
    for table in draft.tables.values():
        before: tuple[SortKey, ...] = table.base.sort if table.base else ()
        after = table.table.sort
        if table.dropped or before == after:
            continue
        table_id = numbers.catalog_id(table.table.id)
        if before:
            yield End("sort_info", (("table_id", table_id),), numbers.snapshot)
        if after:
            own = numbers.next_catalog_id
            numbers.next_catalog_id += 1
            yield Insert("sort_info", ((own, table_id, int(numbers.snapshot), None),))
            yield Insert("sort_expression", tuple(_sort_rows(after, own, table_id)))


def _sort_rows(keys: tuple[SortKey, ...], own: int, table: int) -> Iterator[tuple[object, ...]]:
    for index, key in enumerate(keys):
        direction = "DESC" if key.descending else "ASC"
        nulls = "NULLS_FIRST" if key.nulls_first else "NULLS_LAST"
        yield own, table, index, key.expression, key.dialect, direction, nulls


def views(draft: Draft, numbers: Numbering) -> Iterator[Mutation]:
    """Views made and renamed."""
    for view in draft.views.values():
        if view.dropped or view.view == view.base:
            continue
        own = numbers.catalog_id(view.id)
        if view.base is not None:
            yield End("view", (("view_id", own),), numbers.snapshot)
        yield Insert("view", (_view_row(view, own, numbers),))


def _view_row(draft: ViewDraft, own: int, numbers: Numbering) -> tuple[object, ...]:
    view = draft.view
    aliases = ", ".join(quoted(name) for name in view.column_aliases)
    schema = numbers.catalog_id(draft.schema)
    begin = int(numbers.snapshot)
    uuid = str(uuid4())
    return own, uuid, begin, None, schema, view.name.table, view.dialect, view.sql, aliases


def tags(draft: Draft, numbers: Numbering) -> Iterator[Mutation]:
    """Comments and tags that end and begin."""
    tagged: Iterable[tuple[int, Mapping[str, str | None]]] = [
        *((t.table.id, t.tags) for t in draft.tables.values() if not t.dropped),
        *((v.id, v.tags) for v in draft.views.values() if not v.dropped),
    ]
    begin = int(numbers.snapshot)
    for local, given in tagged:
        own = numbers.catalog_id(local)
        for key, value in given.items():
            yield End("tag", (("object_id", own), ("key", key)), numbers.snapshot)
            yield Insert("tag", ((own, begin, None, key, value),))
    for table in draft.tables.values():
        own = numbers.catalog_id(table.table.id)
        for column, text in ({} if table.dropped else table.column_comments).items():
            where = (("table_id", own), ("column_id", int(column)), ("key", "comment"))
            yield End("column_tag", where, numbers.snapshot)
            yield Insert("column_tag", ((own, int(column), begin, None, "comment", text),))

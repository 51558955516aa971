"""Columns and nested fields added, dropped, renamed and retyped.

A path such as `address.city` names a field of a struct; `items.element.price` one inside a
list, `prices.value.net` one inside a map.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import sqlglot
from sqlglot.errors import SqlglotError

from quacklake.client.defining.entries import check_column_names
from quacklake.client.defining.facts import has_null, has_rows, highest_column_id
from quacklake.client.defining.types import (
    Counter,
    column_from_sql,
    literal_text,
    type_from_sql,
    with_default,
)
from quacklake.client.workspace import Workspace
from quacklake.format.sqltypes import sql_type
from quacklake.format.table import SortKey, Table, TableName
from quacklake.format.types import Column, Decimal, Kind, LakeType, List, Map, Scalar, Struct
from quacklake.kernel.errors import NotFound, Unsupported, UsageError
from quacklake.transaction.draft import TableDraft

_SIGNED: Final = (Kind.INT8, Kind.INT16, Kind.INT32, Kind.INT64)
_UNSIGNED: Final = (Kind.UINT8, Kind.UINT16, Kind.UINT32, Kind.UINT64)


def add_column(
    work: Workspace, name: TableName, path: str, definition: str, default: str | None
) -> None:
    """Add a column or struct field; rows that are there already read its default."""
    draft = work.drafted(name)
    *above, label = split_path(path)
    ids = Counter(highest_column_id(work, draft))
    added = column_from_sql(label, definition, ids)
    if default is not None:
        added = _with_literal_default(added, default)
    if not added.nullable and added.initial_default is None and has_rows(work, draft):
        raise UsageError(
            f"column '{path}' is NOT NULL, and the rows of '{name}' would have NULL in it",
            hint="give it a default, or add it without NOT NULL",
        )
    if above:
        # Fields of structs are never NOT NULL to a reader; DuckDB writes them so.
        added = replace(added, nullable=False)
        table = _edited(draft.table, above, lambda parent: _with_field(parent, added))
    else:
        table = replace(draft.table, columns=(*draft.table.columns, added))
    check_column_names(table.columns)
    work.stage(replace(draft, table=table))


def _with_literal_default(column: Column, default: str) -> Column:
    try:
        value = sqlglot.parse_one(default, dialect="duckdb")
    except SqlglotError as error:
        raise UsageError(f"the default of column '{column.name}' is not valid SQL") from error
    if literal_text(value) is None:
        raise Unsupported(
            f"the default of a new column must be a literal, for column '{column.name}'",
            hint="add the column without default, then set_default and update",
        )
    return with_default(column, value)


def _with_field(parent: Column, added: Column) -> Column:
    if not isinstance(parent.type, Struct):
        raise UsageError(f"'{parent.name}' is not a struct, it has no fields")
    return replace(parent, type=Struct((*parent.type.fields, added)))


def drop_column(work: Workspace, name: TableName, path: str) -> None:
    """Drop a column or struct field; files keep its values for older snapshots."""
    draft = work.drafted(name)
    *above, label = split_path(path)
    if not above:
        found = draft.table.column(label)
        _check_droppable(draft, found)
        kept = tuple(c for c in draft.table.columns if c.id != found.id)
        work.stage(replace(draft, table=replace(draft.table, columns=kept)))
        return
    table = _edited(draft.table, above, lambda parent: _without_field(parent, label))
    work.stage(replace(draft, table=table))


def _check_droppable(draft: TableDraft, column: Column) -> None:
    keys = draft.table.partition.keys if draft.table.partition else ()
    if any(key.column == column.id for key in keys):
        raise UsageError(
            f"column '{column.name}' is a partition key", hint="change the partitioning first"
        )
    if any(column.name.casefold() in key.expression.casefold() for key in draft.table.sort):
        raise UsageError(f"column '{column.name}' is sorted by", hint="change the sort order first")
    if len(draft.table.columns) == 1:
        raise UsageError(f"column '{column.name}' is the only one", hint="drop the table instead")


def _without_field(parent: Column, label: str) -> Column:
    found = _child(parent, label)
    if not isinstance(parent.type, Struct):
        raise UsageError(f"'{parent.name}' is not a struct, its parts cannot be dropped")
    kept = tuple(field for field in parent.type.fields if field.id != found.id)
    if not kept:
        raise UsageError(f"field '{label}' is the only one of '{parent.name}'")
    return replace(parent, type=Struct(kept))


def rename_column(work: Workspace, name: TableName, path: str, new_name: str) -> None:
    """Give a column or struct field another name."""

    def renamed(column: Column) -> Column:
        return replace(column, name=new_name)

    draft = work.drafted(name)
    old = split_path(path)
    table = _edited(draft.table, old, renamed)
    check_column_names(table.columns)
    if len(old) == 1:
        table = replace(table, sort=tuple(_renamed_sort(k, old[0], new_name) for k in table.sort))
    work.stage(replace(draft, table=table))


def _renamed_sort(key: SortKey, old: str, new: str) -> SortKey:
    return replace(key, expression=new) if key.expression.casefold() == old.casefold() else key


def set_type(work: Workspace, name: TableName, path: str, new_type: str) -> None:
    """Widen a column's type; files keep what they hold and are converted when read."""
    wanted = type_from_sql(new_type, Counter())

    def retyped(column: Column) -> Column:
        if not is_promotion(column.type, wanted):
            raise UsageError(
                f"column '{column.name}' cannot change from {sql_type(column.type)} to {new_type}",
                hint="a type may become a wider one: integers, unsigned integers, float to double",
                column=column.name,
            )
        return replace(column, type=wanted)

    draft = work.drafted(name)
    work.stage(replace(draft, table=_edited(draft.table, split_path(path), retyped)))


def is_promotion(before: LakeType, after: LakeType) -> bool:
    """Whether every value of `before` is one of `after`, by the format's documented rules."""
    match before, after:
        case Scalar(old), Scalar(new):
            for ladder in (_SIGNED, _UNSIGNED, (Kind.FLOAT32, Kind.FLOAT64)):
                if old in ladder and new in ladder:
                    return ladder.index(old) < ladder.index(new)
            if old in _UNSIGNED and new in _SIGNED:
                return _UNSIGNED.index(old) < _SIGNED.index(new)
            return False
        case Decimal(precision, scale), Decimal(wider, new_scale):
            grows = wider - new_scale >= precision - scale and new_scale >= scale
            return grows and (precision, scale) != (wider, new_scale)
        case _:
            return False


def set_default(work: Workspace, name: TableName, path: str, default: str | None) -> None:
    """Change what inserts that leave the column out put there; None ends the default."""

    def changed(column: Column) -> Column:
        if default is None:
            return replace(column, default=None, default_is_expression=False)
        try:
            value = sqlglot.parse_one(default, dialect="duckdb")
        except SqlglotError as error:
            raise UsageError(f"the default of column '{column.name}' is not valid SQL") from error
        made = with_default(column, value)
        return replace(made, initial_default=column.initial_default)

    draft = work.drafted(name)
    work.stage(replace(draft, table=_edited(draft.table, split_path(path), changed)))


def set_nullable(work: Workspace, name: TableName, column: str, *, nullable: bool) -> None:
    """Allow NULL in a column, or forbid it if there is none."""
    draft = work.drafted(name)
    found = draft.table.column(column)
    if found.nullable == nullable:
        return
    if not nullable and has_null(work, draft, found):
        raise UsageError(f"column '{found.name}' has NULL values", column=found.name)
    table = _edited(draft.table, [column], lambda c: replace(c, nullable=nullable))
    work.stage(replace(draft, table=table))


def split_path(path: str) -> list[str]:
    """The names of a path; a name with a point in it is quoted."""
    try:
        tree = sqlglot.parse_one(path, dialect="duckdb")
    except SqlglotError as error:
        raise UsageError(f"'{path}' is not a column", hint="quote unusual names") from error
    names = [part.name for part in getattr(tree, "parts", [])]
    return names or [path]


def _edited(table: Table, path: list[str], edit: Callable[[Column], Column]) -> Table:
    found = table.column(path[0])
    made = _edited_below(found, path[1:], edit)
    return replace(table, columns=tuple(made if c.id == found.id else c for c in table.columns))


def _edited_below(column: Column, path: list[str], edit: Callable[[Column], Column]) -> Column:
    if not path:
        return edit(column)
    found = _child(column, path[0])
    made = _edited_below(found, path[1:], edit)
    match column.type:
        case Struct(fields):
            kept: LakeType = Struct(tuple(made if f.id == found.id else f for f in fields))
        case List():
            kept = List(made)
        case Map(key, value):
            kept = Map(made, value) if found.id == key.id else Map(key, made)
        case _:
            return column
    return replace(column, type=kept)


def _child(column: Column, name: str) -> Column:
    for child in column.children():
        if child.name.casefold() == name.casefold():
            return child
    raise NotFound(f"no field '{name}' in '{column.name}'", kind="column", name=name)

"""Tables at a snapshot with everything about them, in one statement.

The branches share one row shape: a fact, the table, numbers `n1…n5` and words `w1…w5`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from sqlalchemy import (
    CTE,
    Integer,
    Select,
    bindparam,
    cast,
    func,
    literal,
    null,
    or_,
    select,
    union_all,
)
from sqlalchemy.sql import ColumnElement, CompoundSelect

from quacklake.catalog.statements.scope import INLINED_DELETES, TABLE, Scope, built_once, visible
from quacklake.catalog.tables import NUMBER, WORD


class Fact(StrEnum):
    """What a row of a description is about."""

    TABLE = "table"
    COLUMN = "column"
    PARTITION = "partition"
    SORT = "sort"
    COMMENT = "comment"
    INLINED_ROWS = "inlined rows"
    INLINED_DELETES = "inlined deletes"


def spellings(kind: str, name: str) -> dict[str, str]:
    """The parameters for a `name` of a `kind`; databases fold only ASCII letters alike."""
    ascii_folded = "".join(char.lower() if char.isascii() else char for char in name)
    return {kind: name, f"{kind}_ascii": ascii_folded, f"{kind}_lower": name.lower()}


def _same_name(stored: ColumnElement[str], kind: str) -> ColumnElement[bool]:
    """Whether a stored name is the one asked for, without regard to case."""
    exact, folded, lower = (bindparam(key, type_=WORD) for key in spellings(kind, ""))
    return or_(stored == exact, func.lower(stored) == folded, func.lower(stored) == lower)


@built_once
def all_tables(scope: Scope) -> CompoundSelect[Any]:
    """All facts about all tables."""
    return _described(scope, _tables_at(scope))


@built_once
def tables_in(scope: Scope) -> CompoundSelect[Any]:
    """All facts about the tables of the schema `:schema`."""
    schemas = scope.rows("schema")
    return _described(scope, _tables_at(scope).where(_same_name(schemas.c.schema_name, "schema")))


@built_once
def table_named(scope: Scope) -> CompoundSelect[Any]:
    """All facts about the table `:name` of the schema `:schema`."""
    return _described(scope, _named(scope))


@built_once
def table_id_named(scope: Scope) -> Select[Any]:
    """Only the id of the table `:name` of the schema `:schema`."""
    return _named(scope).with_only_columns(scope.rows("table").c.table_id)


def _named(scope: Scope) -> Select[Any]:
    schemas, tables = scope.rows("schema"), scope.rows("table")
    return _tables_at(scope).where(
        _same_name(schemas.c.schema_name, "schema"), _same_name(tables.c.table_name, "name")
    )


@built_once
def timeless(scope: Scope) -> CompoundSelect[Any]:
    """The facts about a table that do not depend on the snapshot."""
    chosen = select(cast(TABLE, NUMBER).label("table_id")).cte("chosen")
    return union_all(*_timeless(scope, chosen))


@built_once
def columns_ever(scope: Scope) -> Select[Any]:
    """Every version of every column of a table, with its life after the usual row."""
    rows = scope.rows("column")
    return (
        _row(Fact.COLUMN, rows.c.table_id, *_column_facts(rows))
        .add_columns(rows.c.begin_snapshot, rows.c.end_snapshot)
        .where(rows.c.table_id == TABLE)
    )


def _timeless(scope: Scope, chosen: CTE) -> tuple[Select[Any], ...]:
    return (
        _partitions(scope, chosen),
        _inlined_rows(scope, chosen),
        _inlined_deletes(scope, chosen),
    )


def _described(scope: Scope, tables: Select[Any]) -> CompoundSelect[Any]:
    chosen = tables.cte("chosen")
    return union_all(
        _tables(chosen),
        _columns(scope, chosen),
        _sorts(scope, chosen),
        _comments(scope, chosen),
        *_timeless(scope, chosen),
    )


def _tables_at(scope: Scope) -> Select[Any]:
    tables, schemas = scope.rows("table"), scope.rows("schema")
    return (
        select(
            tables.c.table_id,
            tables.c.schema_id,
            tables.c.table_uuid,
            tables.c.table_name,
            tables.c.path,
            tables.c.path_is_relative,
            schemas.c.schema_name,
            schemas.c.path.label("schema_path"),
            schemas.c.path_is_relative.label("schema_path_is_relative"),
        )
        .join_from(tables, schemas, tables.c.schema_id == schemas.c.schema_id)
        .where(visible(tables), visible(schemas))
    )


def _row(
    fact: Fact,
    table: ColumnElement[int],
    numbers: tuple[ColumnElement[Any], ...] = (),
    words: tuple[ColumnElement[Any], ...] = (),
) -> Select[*tuple[Any, ...]]:
    filled_numbers = [*numbers, *[null()] * (5 - len(numbers))]
    filled_words = [*words, *[null()] * (5 - len(words))]
    return select(
        cast(literal(fact.value), WORD).label("fact"),
        table.label("table_id"),
        *(cast(value, NUMBER).label(f"n{i}") for i, value in enumerate(filled_numbers, 1)),
        *(cast(value, WORD).label(f"w{i}") for i, value in enumerate(filled_words, 1)),
    )


def _tables(chosen: CTE) -> Select[Any]:
    c = chosen.c
    return _row(
        Fact.TABLE,
        c.table_id,
        (c.schema_id, as_number(c.path_is_relative), as_number(c.schema_path_is_relative)),
        (c.schema_name, c.table_name, c.path, c.schema_path, c.table_uuid),
    )


def _columns(scope: Scope, chosen: CTE) -> Select[Any]:
    rows = scope.rows("column")
    return (
        _row(Fact.COLUMN, rows.c.table_id, *_column_facts(rows))
        .select_from(rows.join(chosen, chosen.c.table_id == rows.c.table_id))
        .where(visible(rows))
    )


def _column_facts(rows: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    c = rows.c
    return (
        (c.column_id, c.column_order, c.parent_column, as_number(c.nulls_allowed)),
        (c.column_name, c.column_type, c.initial_default, c.default_value, c.default_value_type),
    )


def as_number(flag: ColumnElement[Any]) -> ColumnElement[int]:
    """A flag as 0 or 1: PostgreSQL casts booleans to integer, but not to bigint."""
    return cast(flag, Integer())


def _partitions(scope: Scope, chosen: CTE) -> Select[Any]:
    info, keys = scope.rows("partition_info"), scope.rows("partition_column")
    here = info.join(chosen, chosen.c.table_id == info.c.table_id)
    return _row(
        Fact.PARTITION,
        info.c.table_id,
        (
            info.c.partition_id,
            keys.c.partition_key_index,
            keys.c.column_id,
            info.c.begin_snapshot,
            info.c.end_snapshot,
        ),
        (keys.c.transform,),
    ).select_from(here.outerjoin(keys, keys.c.partition_id == info.c.partition_id))


def _sorts(scope: Scope, chosen: CTE) -> Select[Any]:
    info, keys = scope.rows("sort_info"), scope.rows("sort_expression")
    here = info.join(chosen, chosen.c.table_id == info.c.table_id)
    return (
        _row(
            Fact.SORT,
            info.c.table_id,
            (info.c.sort_id, keys.c.sort_key_index),
            (keys.c.expression, keys.c.dialect, keys.c.sort_direction, keys.c.null_order),
        )
        .select_from(here.join(keys, keys.c.sort_id == info.c.sort_id))
        .where(visible(info))
    )


def _comments(scope: Scope, chosen: CTE) -> Select[Any]:
    rows = scope.rows("tag")
    return (
        _row(Fact.COMMENT, rows.c.object_id, (), (rows.c.value,))
        .select_from(rows.join(chosen, chosen.c.table_id == rows.c.object_id))
        .where(visible(rows), rows.c.key == "comment", rows.c.value.is_not(None))
    )


def _inlined_rows(scope: Scope, chosen: CTE) -> Select[Any]:
    """The inlined tables, each with the snapshot whose columns it has."""
    registry, versions = scope.rows("inlined_data_tables"), scope.rows("schema_versions")
    begun = (
        select(func.max(versions.c.begin_snapshot))
        .where(
            versions.c.table_id == registry.c.table_id,
            versions.c.schema_version <= registry.c.schema_version,
        )
        .scalar_subquery()
    )
    return _row(
        Fact.INLINED_ROWS,
        registry.c.table_id,
        (registry.c.schema_version, begun),
        (registry.c.table_name,),
    ).select_from(registry.join(chosen, chosen.c.table_id == registry.c.table_id))


def _inlined_deletes(scope: Scope, chosen: CTE) -> Select[Any]:
    installed = scope.installed()
    name = literal(INLINED_DELETES) + cast(chosen.c.table_id, WORD)
    return _row(Fact.INLINED_DELETES, chosen.c.table_id).select_from(
        chosen.join(installed, installed.c.name == name)
    )

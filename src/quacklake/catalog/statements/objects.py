"""Schemas, views, macros, options and name mappings."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, and_, bindparam, func, literal, select

from quacklake.catalog.statements.scope import Scope, built_once, visible


@built_once
def schemas(scope: Scope) -> Select[Any]:
    """The schemas at a snapshot."""
    rows = scope.rows("schema")
    return (
        select(rows.c.schema_id, rows.c.schema_name, rows.c.path, rows.c.path_is_relative)
        .where(visible(rows))
        .order_by(rows.c.schema_id)
    )


@built_once
def table_names(scope: Scope) -> Select[Any]:
    """Schema and name of every table at a snapshot."""
    tables, homes = scope.rows("table"), scope.rows("schema")
    return (
        select(homes.c.schema_name, tables.c.table_name)
        .join_from(tables, homes, tables.c.schema_id == homes.c.schema_id)
        .where(visible(tables), visible(homes))
    )


@built_once
def views(scope: Scope) -> Select[Any]:
    """The views at a snapshot."""
    rows, homes = scope.rows("view"), scope.rows("schema")
    return (
        select(
            homes.c.schema_name,
            rows.c.view_name,
            rows.c.dialect,
            rows.c.sql,
            rows.c.column_aliases,
            rows.c.view_id,
        )
        .join_from(rows, homes, rows.c.schema_id == homes.c.schema_id)
        .where(visible(rows), visible(homes))
        .order_by(rows.c.view_id)
    )


@built_once
def macros(scope: Scope) -> Select[Any]:
    """Every implementation of every macro, one row per parameter."""
    rows, homes = scope.rows("macro"), scope.rows("schema")
    bodies, inputs = scope.rows("macro_impl"), scope.rows("macro_parameters")
    belongs = and_(inputs.c.macro_id == bodies.c.macro_id, inputs.c.impl_id == bodies.c.impl_id)
    return (
        select(
            rows.c.macro_id,
            bodies.c.impl_id,
            homes.c.schema_name,
            rows.c.macro_name,
            bodies.c.dialect,
            bodies.c.sql,
            bodies.c.type,
            inputs.c.parameter_name,
            inputs.c.default_value,
            inputs.c.default_value_type,
        )
        .select_from(
            rows.join(homes, rows.c.schema_id == homes.c.schema_id)
            .join(bodies, bodies.c.macro_id == rows.c.macro_id)
            .outerjoin(inputs, belongs)
        )
        .where(visible(rows), visible(homes))
        .order_by(rows.c.macro_id, bodies.c.impl_id, inputs.c.column_id)
    )


@built_once
def options(scope: Scope) -> Select[Any]:
    """All options, with the names of the schema or table they are set for."""
    rows, homes = scope.rows("metadata"), scope.rows("schema")
    tables, outer = scope.rows("table"), scope.rows("schema").alias("table_schema")
    for_schema = and_(rows.c.scope == "schema", homes.c.schema_id == rows.c.scope_id)
    for_table = and_(
        rows.c.scope == "table",
        tables.c.table_id == rows.c.scope_id,
        tables.c.end_snapshot.is_(None),
    )
    return (
        select(
            rows.c.key,
            rows.c.value,
            rows.c.scope,
            rows.c.scope_id,
            homes.c.schema_name,
            outer.c.schema_name.label("table_schema_name"),
            tables.c.table_name,
        )
        .select_from(
            rows.outerjoin(homes, for_schema)
            .outerjoin(tables, for_table)
            .outerjoin(outer, outer.c.schema_id == tables.c.schema_id)
        )
        .order_by(rows.c.key, rows.c.scope, rows.c.scope_id)
    )


@built_once
def facts(scope: Scope) -> Select[Any]:
    """The global options, version and data path among them."""
    rows = scope.rows("metadata")
    return select(rows.c.key, rows.c.value).where(rows.c.scope.is_(None))


@built_once
def is_installed(scope: Scope) -> Select[Any]:
    """Whether the database has a DuckLake catalog, as a count."""
    installed = scope.installed()
    return (
        select(func.count())
        .select_from(installed)
        .where(installed.c.name == literal("ducklake_metadata"))
    )


@built_once
def mappings(scope: Scope) -> Select[Any]:
    """The fields of the name mappings `:ids`, parents before their children."""
    rows = scope.rows("name_mapping")
    return (
        select(
            rows.c.mapping_id,
            rows.c.column_id,
            rows.c.source_name,
            rows.c.target_field_id,
            rows.c.parent_column,
            rows.c.is_partition,
        )
        .where(rows.c.mapping_id.in_(bindparam("ids", expanding=True)))
        .order_by(rows.c.mapping_id, rows.c.column_id)
    )

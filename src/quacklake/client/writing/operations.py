"""Append, overwrite, delete, update and truncate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from quacklake.client.workspace import Workspace
from quacklake.client.writing.adding import add_rows, schema_with_ids
from quacklake.client.writing.affected import Affected
from quacklake.client.writing.clusters import bulk_of
from quacklake.client.writing.inputs import Input, Rows
from quacklake.client.writing.matching import matched
from quacklake.client.writing.removing import remove_rows
from quacklake.format import casting
from quacklake.format.arrow import arrow_type
from quacklake.format.snapshot import AtVersion
from quacklake.format.sqltypes import quoted, sql_type
from quacklake.format.table import Table, TableName
from quacklake.format.types import Column
from quacklake.kernel.errors import CorruptLake, UsageError
from quacklake.kernel.ids import ColumnId
from quacklake.scan.plan import PLACES, ROW_ID, Request, ScanPlan
from quacklake.scan.reading import read_batches

Condition: TypeAlias = str | pc.Expression | None


def append(work: Workspace, name: TableName, rows: Rows, *, row_ids: str | None = None) -> Affected:
    """Add rows; columns are matched by name.

    `row_ids` names a column that is none of the table's: the ids under which rows are stored,
    those of another table.
    """
    draft = work.drafted(name)
    if row_ids is not None:
        draft = replace(draft, borrows_ids=True)
    if not isinstance(rows, Input):
        draft, count = rows.add(work, draft, row_ids=row_ids)
        work.stage(draft)
        return Affected(inserted=count)
    batches = matched(rows.schema, draft.table, row_ids=row_ids).batches(rows.batches())
    draft, count = add_rows(work, draft, batches, with_ids=row_ids is not None)
    work.stage(draft)
    return Affected(inserted=count)


def overwrite(
    work: Workspace, name: TableName, rows: Rows, where: Condition, *, row_ids: str | None = None
) -> Affected:
    """Put rows in the place of all rows, or of those that satisfy `where`."""
    matched(rows.schema, work.drafted(name).table, row_ids=row_ids)
    removed = delete(work, name, where)
    added = append(work, name, rows, row_ids=row_ids)
    return Affected(inserted=added.inserted, deleted=removed.deleted)


def delete(work: Workspace, name: TableName, where: Condition) -> Affected:
    """Remove the rows that satisfy `where`; all of them without it."""
    bulk = bulk_of(work.session)
    if bulk is not None and where is not None:
        return bulk.delete(work, name, where)
    draft = work.drafted(name)
    plan = plan_places(work, draft.table, where, columns=())
    places = _read(work, plan)
    work.stage(remove_rows(draft, plan, places))
    return Affected(deleted=places.num_rows)


def update(
    work: Workspace, name: TableName, assignments: Mapping[str, str], where: Condition
) -> Affected:
    """Give columns new values, SQL expressions over the old row, where `where` holds."""
    bulk = bulk_of(work.session)
    if bulk is not None:
        return bulk.update(work, name, assignments, where)
    draft = work.drafted(name)
    assigned = assigned_columns(draft.table, assignments)
    plan = plan_places(work, draft.table, where, columns=(*draft.table.columns, ROW_ID))
    found = _read(work, plan)
    if not found.num_rows:
        return Affected()
    removed = remove_rows(draft, plan, found)
    changed = changed_rows(found, draft.table, assigned)
    staged, count = add_rows(work, removed, iter(changed.to_batches()), with_ids=True)
    work.stage(staged)
    return Affected(updated=count)


def assigned_columns(table: Table, assignments: Mapping[str, str]) -> dict[ColumnId, str]:
    """The new values of an update, by column."""
    if not assignments:
        raise UsageError("an update needs at least one column to set")
    return {table.column(column).id: text for column, text in assignments.items()}


def plan_places(
    work: Workspace, table: Table, where: Condition, *, columns: tuple[Column, ...]
) -> ScanPlan:
    """A scan of the rows that satisfy `where`: some columns, and where each row lies."""
    at = AtVersion(work.ground.snapshot.id)
    plan = work.plan(Request(table.name, at, None, where, places=True))
    return replace(plan, columns=(*columns, *PLACES))


def _read(work: Workspace, plan: ScanPlan) -> pa.Table:
    return pa.Table.from_batches(read_batches(plan, work.session.storage), plan.schema)


def changed_rows(found: pa.Table, table: Table, assigned: Mapping[ColumnId, str]) -> pa.Table:
    """The rows after the update, in the table's columns, with the row ids they keep."""
    new = [column for column in table.columns if column.id in assigned]
    result = evaluated(
        found, (*table.columns, ROW_ID), [_new_value(column, assigned[column.id]) for column in new]
    )
    values = dict(zip((column.id for column in new), result.columns, strict=True))
    schema = schema_with_ids(table)
    columns = [
        casting.in_type(values.get(column.id, found.column(column.name)), field.type)
        for column, field in zip((*table.columns, ROW_ID), schema, strict=True)
    ]
    made = pa.table(columns, schema=schema)
    check_not_null(made, table)
    return made


def _new_value(column: Column, expression: str) -> str:
    return casting.carried(f"CAST(({expression}\n) AS {sql_type(column.type)})", column.type)


def evaluated(rows: pa.Table, columns: tuple[Column, ...], expressions: list[str]) -> pa.Table:
    """SQL expressions over rows in the lake's own types, evaluated by DuckDB."""
    typed = ", ".join(
        f"{casting.restored(quoted(c.name), c.type)} AS {quoted(c.name)}" for c in columns
    )
    source = rows.select([column.name for column in columns])
    wanted = ", ".join(f"{text} AS c{place}" for place, text in enumerate(expressions))
    try:
        return casting.session().from_arrow(source).project(typed).project(wanted).to_arrow_table()
    except duckdb.Error as error:
        problem = str(error).partition("\n")[0].partition(": ")[2]
        raise UsageError(f"a new value cannot be computed: {problem}") from error


def check_not_null(rows: pa.Table, table: Table) -> None:
    """An update may not put NULL into a column that has none."""
    for place, column in enumerate(table.columns):
        if not column.nullable and rows.column(place).null_count:
            raise UsageError(
                f"column '{column.name}' is NOT NULL and would get a NULL",
                hint="change the expression, or drop the column's NOT NULL",
                column=column.name,
            )


def cast_for(table: Table, rows: Input) -> Input:
    """Rows of a query in the types of the columns they are for, as SQL casts on insert."""
    known = {column.name.casefold(): column for column in table.columns}
    found = pa.Table.from_batches(list(rows.batches()), rows.schema)
    columns = []
    for name in found.column_names:
        column = known.get(name.casefold())
        values = found.column(name)
        columns.append(values if column is None else _sql_cast(values, column))
    made = pa.table(columns, names=found.column_names)
    return Input(made.schema, made, repeatable=True)


def _sql_cast(values: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
    if values.type == arrow_type(column.type):
        return values
    try:
        return casting.cast(values, column.type)
    except CorruptLake as error:
        raise UsageError(
            f"a value for column '{column.name}' cannot be cast to {sql_type(column.type)}",
            column=column.name,
        ) from error

"""UPDATE and DELETE of rows that a query chooses, at the snapshot the transaction began from."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.client.workspace import Workspace
from quacklake.client.writing.adding import add_rows, schema_with_ids
from quacklake.client.writing.affected import Affected
from quacklake.client.writing.operations import (
    assigned_columns,
    check_not_null,
    delete,
    plan_places,
    update,
)
from quacklake.client.writing.removing import remove_rows
from quacklake.engine.local.result import QueryResult
from quacklake.format import casting
from quacklake.format.snapshot import AtVersion
from quacklake.format.sqltypes import quoted, sql_type
from quacklake.format.table import Table
from quacklake.kernel.errors import Unsupported, UsageError
from quacklake.scan.plan import ROW_ID
from quacklake.scan.reading import read_batches
from quacklake.sql.edits import DeleteChosen, DeleteRows, UpdateChosen, UpdateRows
from quacklake.sql.planning import plan_query
from quacklake.transaction.draft import TableDraft


def changed(work: Workspace, edit: DeleteChosen | UpdateChosen) -> Affected:
    """Do what a statement asks for whose rows a query chooses."""
    draft = work.drafted(edit.table)
    if _hides_row_ids(draft.table):
        return _plainly(work, edit)
    match edit:
        case DeleteChosen():
            wanted = _rows(work, edit.rows.query(f"DISTINCT {_row_id(edit)}")).column(0)
            work.stage(_without(work, draft, wanted))
            return Affected(deleted=len(wanted))
        case UpdateChosen():
            return _updated(work, draft, edit)


def _hides_row_ids(table: Table) -> bool:
    return any(column.name.casefold() == ROW_ID.name for column in table.columns)


def _plainly(work: Workspace, edit: DeleteChosen | UpdateChosen) -> Affected:
    match edit.plain:
        case DeleteRows(table, where):
            return delete(work, table, where)
        case UpdateRows(table, assignments, where):
            return update(work, table, dict(assignments), where)
        case None:
            raise Unsupported(
                f"table '{edit.table}' has a column 'rowid', which hides what tells its rows apart",
                hint="write the statement without subqueries, FROM and USING, or use MERGE",
            )


def _row_id(edit: DeleteChosen | UpdateChosen) -> str:
    return f"{edit.rows.name}.{ROW_ID.name}"


def _rows(work: Workspace, query: str) -> pa.Table:
    with work.session.reading() as reader:
        plan = plan_query(reader, query, AtVersion(work.ground.snapshot.id))
    return QueryResult(work.session, plan).to_arrow()


def _without(work: Workspace, draft: TableDraft, wanted: pa.ChunkedArray) -> TableDraft:
    """`draft` without the rows that have these row ids; each must be one row."""
    plan = plan_places(work, draft.table, None, columns=(ROW_ID,))
    found = [
        batch.filter(pc.is_in(batch.column(0), value_set=wanted.combine_chunks()))
        for batch in read_batches(plan, work.session.storage)
    ]
    places = pa.Table.from_batches(found, plan.schema)
    if places.num_rows != len(wanted):
        raise Unsupported(
            f"rows of table '{draft.table.name}' share a row id, so they cannot be told apart",
            hint="write the statement without subqueries, FROM and USING",
        )
    return remove_rows(draft, plan, places)


def _updated(work: Workspace, draft: TableDraft, edit: UpdateChosen) -> Affected:
    table = draft.table
    assigned = assigned_columns(table, dict(edit.assignments))
    values = [
        f"CAST(({assigned[column.id]}\n) AS {sql_type(column.type)})"
        if column.id in assigned
        else f"{edit.rows.name}.{quoted(column.name)}"
        for column in table.columns
    ]
    columns = [f"{text} AS c{place}" for place, text in enumerate((*values, _row_id(edit)))]
    found = _rows(work, edit.rows.query(", ".join(columns)))
    if not found.num_rows:
        return Affected()
    ids = found.column(found.num_columns - 1)
    if pc.count_distinct(ids).as_py() != len(ids):
        raise UsageError(
            f"a row of table '{table.name}' would be updated more than once",
            hint="make FROM yield one row for each row of the table",
        )
    check_not_null(found, table)
    schema = schema_with_ids(table)
    changed_rows = pa.table(
        [
            casting.in_type(column, field.type)
            for column, field in zip(found.columns, schema, strict=True)
        ],
        schema=schema,
    )
    removed = _without(work, draft, ids)
    staged, count = add_rows(work, removed, iter(changed_rows.to_batches()), with_ids=True)
    work.stage(staged)
    return Affected(updated=count)

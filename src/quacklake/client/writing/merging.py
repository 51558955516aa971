"""MERGE: rows brought in by key.

A row of the table may be matched by one row brought in at most; more is an error, because
the result would depend on their order.
"""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.client.workspace import Workspace
from quacklake.client.writing.adding import add_rows, schema_with_ids
from quacklake.client.writing.affected import Affected
from quacklake.client.writing.clauses import Clauses, Ignore, columns_read
from quacklake.client.writing.deciding import INSERTS, REMOVES, decided
from quacklake.client.writing.inputs import Input, Rows
from quacklake.client.writing.keyed import key_filter
from quacklake.client.writing.matching import fitted
from quacklake.client.writing.operations import check_not_null
from quacklake.client.writing.removing import remove_rows
from quacklake.format import casting
from quacklake.format.predicate import (
    ANYTHING,
    NOTHING,
    Compare,
    Comparison,
    Constant,
    OneOf,
    Predicate,
    all_of,
)
from quacklake.format.snapshot import AtVersion
from quacklake.format.table import Table, TableName
from quacklake.format.types import Column
from quacklake.kernel.errors import UsageError
from quacklake.scan.masks import PredicateFilter, fits_arrow
from quacklake.scan.plan import PLACES, ROW_ID, Request, ScanPlan
from quacklake.scan.reading import read_batches

_FEW_KEYS = 1_000


def merge(
    work: Workspace, *, name: TableName, rows: Rows, on: tuple[str, ...], clauses: Clauses
) -> Affected:
    """Carry out a merge."""
    if not isinstance(rows, Input):
        return rows.merge(work, name, on, clauses)
    draft = work.drafted(name)
    table = draft.table
    keys = tuple(table.column(key) for key in on)
    source = brought_rows(rows, table, keys)
    matching: Predicate = ANYTHING
    if not keeps_all(clauses):
        matching = all_of(*(key_range(source.column(key.name), key) for key in keys))
    plan = target_plan(work, table, keys, matching)
    if matching != ANYTHING and plan.filter is not None:
        plan = replace(plan, filter=key_filter(keys, source, matching) or plan.filter)
    needed = columns_read(clauses, table.columns, keys, source.column_names)
    plan = replace(plan, columns=(*needed, ROW_ID, *PLACES))
    target = pa.Table.from_batches(read_batches(plan, work.storage), plan.schema)
    done = decided(source, target, table, keys, clauses)
    removed = done.filter(pc.is_in(done.column("action"), pa.array(REMOVES)))
    added = done.filter(pc.is_in(done.column("action"), pa.array(INSERTS)))
    draft = remove_rows(draft, plan, target.take(removed.column("target_row")))
    draft, _ = add_rows(work, draft, iter(merged_rows(added, table).to_batches()), with_ids=True)
    work.stage(draft)
    counted = done.group_by("action").aggregate([([], "count_all")]).to_pylist()
    counts = {entry["action"]: entry["count_all"] for entry in counted}
    return Affected(counts.get("insert", 0), counts.get("update", 0), counts.get("delete", 0))


def brought_rows(rows: Input, table: Table, keys: tuple[Column, ...]) -> pa.Table:
    """The rows brought in; columns the table has too come under its names and in its types."""
    given = pa.Table.from_batches(list(rows.batches()), rows.schema)
    known = {column.name.casefold(): column for column in table.columns}
    made: dict[str, pa.Array | pa.ChunkedArray] = {}
    for name in given.column_names:
        column, values = known.get(name.casefold()), given.column(name)
        if column is not None:
            chunks = values.chunks or [pa.array([], values.type)]
            values = fitted(pa.concat_arrays(chunks), column, 0)
        made[column.name if column else name] = values
    for key in keys:
        if key.name not in made:
            raise UsageError(f"the rows have no column '{key.name}' to merge on", column=key.name)
    return pa.table(made)


def target_plan(
    work: Workspace, table: Table, keys: tuple[Column, ...], matching: Predicate
) -> ScanPlan:
    """A scan of the rows that can match: the keys brought in prune files and row groups."""
    wanted = None
    if matching != ANYTHING and fits_arrow(matching):
        wanted = PredicateFilter(keys, matching)
    at = AtVersion(work.ground.snapshot.id)
    plan = work.plan(Request(table.name, at, None, wanted, places=True))
    return replace(plan, columns=(*table.columns, ROW_ID, *PLACES))


def keeps_all(clauses: Clauses) -> bool:
    """Whether rows of the table that nothing matches are looked at, too."""
    return any(not isinstance(clause, Ignore) for clause in clauses.not_matched_by_source)


def key_range(values: pa.ChunkedArray, key: Column) -> Predicate:
    """What holds for the key of every row that can match."""
    distinct = pc.unique(values).drop_null()
    if len(distinct) == 0:
        return NOTHING
    if len(distinct) <= _FEW_KEYS:
        return OneOf(key, tuple(distinct.to_pylist()))
    try:
        bounds = pc.min_max(distinct).as_py()
    except pa.ArrowNotImplementedError:
        return ANYTHING
    return within(key, bounds["min"], bounds["max"])


def within(key: Column, low: Constant, high: Constant) -> Predicate:
    """A key that lies between two values, or is one of them."""
    return all_of(Compare(key, Comparison.GE, low), Compare(key, Comparison.LE, high))


def merged_rows(added: pa.Table, table: Table) -> pa.Table:
    """The rows to add, in the table's columns, with the row ids that updated ones keep."""
    schema = schema_with_ids(table)
    names = [f"v{place}" for place in range(len(table.columns))]
    values = added.select([*names, "rowid"])
    check_not_null(values, table)
    columns = [
        casting.in_type(column, field.type)
        for column, field in zip(values.columns, schema, strict=True)
    ]
    return pa.table(columns, schema=schema)

"""How a table's files are split and ordered, and what is said about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from quacklake.client.defining.facts import has_files
from quacklake.client.workspace import Workspace
from quacklake.client.writing.matching import plain_schema
from quacklake.format.partition import Bucket, Part, PartitionKey, PartitionSpec, Transform
from quacklake.format.table import SortKey, Table, TableName
from quacklake.format.types import TIMESTAMPS, Column, Kind, Scalar
from quacklake.kernel.errors import Unsupported, UsageError
from quacklake.kernel.ids import PartitionId
from quacklake.storage.writing.sorting import sorted_batches
from quacklake.transaction.draft import TableDraft

_CALL = re.compile(r"\s*(\w+)\s*\((.*)\)\s*", re.DOTALL)
_PARTS = {part.value: part for part in Part if part is not Part.IDENTITY}


def partition_spec(work: Workspace, table: Table, keys: Sequence[str]) -> PartitionSpec:
    """The specification that texts such as `region`, `day(ts)` and `bucket(8, id)` mean."""
    made = tuple(_partition_key(table, place, text) for place, text in enumerate(keys))
    if len({(key.column, key.transform) for key in made}) < len(made):
        raise UsageError("a table cannot be partitioned by one key twice", hint="name it once")
    return PartitionSpec(PartitionId(work.local_id()), made)


def _partition_key(table: Table, index: int, text: str) -> PartitionKey:
    call = _CALL.fullmatch(text)
    if call is None:
        return _checked(index, table, text, Part.IDENTITY)
    word, inside = call[1].lower(), call[2]
    if word == "bucket":
        count, _, name = inside.partition(",")
        return _checked(index, table, name, _bucket(count))
    if word not in _PARTS:
        raise UsageError(
            f"no partition transform is called '{word}'",
            hint="there are year, month, day, hour, bucket(n, column), and the bare column",
            transform=word,
        )
    return _checked(index, table, inside, _PARTS[word])


def _bucket(count: str) -> Bucket:
    if not count.strip().isdigit() or int(count) < 1:
        raise UsageError("a bucket count is a number above zero", hint="write bucket(8, column)")
    return Bucket(int(count))


def _checked(index: int, table: Table, text: str, transform: Transform) -> PartitionKey:
    column = table.column(_name(text))
    if column.children():
        raise Unsupported(
            f"column '{column.name}' cannot be a partition key: it is nested",
            hint="partition by a column of a plain type",
            column=column.name,
        )
    if transform is Part.IDENTITY:
        return PartitionKey(index, column.id, transform)
    temporal = isinstance(column.type, Scalar) and column.type.kind in TIMESTAMPS | {Kind.DATE}
    hour_of_date = transform is Part.HOUR and column.type == Scalar(Kind.DATE)
    if isinstance(transform, Part) and (not temporal or hour_of_date):
        raise UsageError(
            f"column '{column.name}' has no {transform.value} to partition by", column=column.name
        )
    return PartitionKey(index, column.id, transform)


def _name(text: str) -> str:
    name = text.strip()
    if name.startswith('"') and name.endswith('"') and len(name) > 1:
        return name[1:-1].replace('""', '"')
    return name


def set_partitioning(work: Workspace, name: TableName, keys: Sequence[str]) -> None:
    """Split files written from now on by `keys`; none ends partitioning."""
    draft = work.drafted(name)
    spec = partition_spec(work, draft.table, keys)
    before = draft.table.partition
    if (before.keys if before else ()) == spec.keys:
        return
    _check_buckets(work, draft, spec)
    work.stage(replace(draft, table=replace(draft.table, partition=spec)))


def _check_buckets(work: Workspace, draft: TableDraft, spec: PartitionSpec) -> None:
    """DuckDB looks for a bucketed value only among files of the current bucketing."""
    if not any(isinstance(key.transform, Bucket) for key in spec.keys):
        return
    if has_files(work, draft):
        raise UsageError(
            f"table '{draft.table.name}' has files, so it cannot be bucketed",
            hint="other DuckLake clients would not find their rows: bucket an empty table and "
            "copy the rows",
        )


def set_sort_order(work: Workspace, name: TableName, keys: Sequence[str]) -> None:
    """Write new files in the order of `keys`, SQL such as `ts desc nulls last`."""
    draft = work.drafted(name)
    made = tuple(_sort_key(draft.table, text) for text in keys)
    # What cannot be evaluated would refuse every row from now on.
    schema = plain_schema(draft.table.columns)
    nothing = pa.RecordBatch.from_arrays([pa.nulls(0, f.type) for f in schema], schema=schema)
    list(sorted_batches([nothing], draft.table.columns, made))
    work.stage(replace(draft, table=replace(draft.table, sort=made)))


def _sort_key(table: Table, text: str) -> SortKey:
    problem = UsageError(f"'{text}' is not a sort order", hint="write it like: ts desc")
    try:
        tree = sqlglot.parse_one(f"SELECT 1 ORDER BY {text}", dialect="duckdb")
    except SqlglotError as error:
        raise problem from error
    order = tree.args.get("order")
    more = {part for part, value in tree.args.items() if value} - {"expressions", "order"}
    if more or order is None or len(order.expressions) != 1:
        raise problem
    (ordered,) = order.expressions
    for node in ordered.find_all(exp.Column):
        table.column(node.parts[0].name)
    descending, nulls_first = (bool(ordered.args.get(word)) for word in ("desc", "nulls_first"))
    return SortKey(ordered.this.sql("duckdb"), "duckdb", descending, nulls_first)


def set_comment(work: Workspace, name: TableName, text: str | None) -> None:
    """Set or remove the comment of a table."""
    set_tag(work, name, "comment", text)


def set_tag(work: Workspace, name: TableName, key: str, value: str | None) -> None:
    """Set or remove a tag of a table."""
    draft = work.drafted(name)
    table = replace(draft.table, comment=value) if key == "comment" else draft.table
    work.stage(replace(draft, table=table, tags={**draft.tags, key: value}))


def set_column_comment(work: Workspace, name: TableName, column: str, text: str | None) -> None:
    """Set or remove the comment of a column."""
    draft = work.drafted(name)
    found: Column = draft.table.column(column)
    comments = {**draft.column_comments, found.id: text}
    work.stage(replace(draft, column_comments=comments))

"""Which files a predicate leaves, decided inside the catalog's own query.

Law: a file is left out only if its statistics, or the values of the partition it was written
under, prove that no row of it satisfies the predicate. What cannot be proved is NULL, and
NULL keeps the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import and_, exists, false, func, or_, select, true
from sqlalchemy.sql import FromClause

from quacklake.catalog.statements.evidence import (
    Hashed,
    Identity,
    Leaf,
    Proof,
    Statistics,
    calendar_disproof,
    evidence_against,
)
from quacklake.catalog.statements.scope import Scope
from quacklake.format.partition import Bucket, Part, PartitionKey, PartitionSpec
from quacklake.format.predicate import AllOf, AnyOf, Compare, IsNotNull, IsNull, OneOf, Predicate
from quacklake.format.table import Table
from quacklake.format.types import Column, type_name
from quacklake.kernel.ids import ColumnId


@dataclass(frozen=True, slots=True, eq=False)
class _Query:
    """What the proofs are about."""

    scope: Scope
    files: FromClause
    table: Table
    specs: tuple[PartitionSpec, ...]


def kept(
    scope: Scope,
    files: FromClause,
    table: Table,
    predicate: Predicate,
    specs: tuple[PartitionSpec, ...],
) -> Proof:
    """Whether a file may hold a row of `predicate`."""
    return _kept(_Query(scope, files, table, specs), predicate)


def _kept(query: _Query, predicate: Predicate) -> Proof:
    columns = {leaf.column.id: leaf.column for leaf in _leaves(predicate)}
    if len(columns) == 1:
        (column,) = columns.values()
        return _kept_by_column(query, column, predicate)
    match predicate:
        case AllOf((part,)) | AnyOf((part,)):
            return _kept(query, part)
        case AllOf(parts):
            return and_(true(), *(_kept(query, AllOf(group)) for group in _by_column(parts)))
        case AnyOf(parts):
            return or_(false(), *(_kept(query, AnyOf(group)) for group in _by_column(parts)))
        case Compare() | OneOf() | IsNull() | IsNotNull():
            raise AssertionError("a leaf speaks of one column")


def _leaves(predicate: Predicate) -> Iterator[Leaf]:
    match predicate:
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from _leaves(part)
        case _:
            yield predicate


def _by_column(parts: tuple[Predicate, ...]) -> Iterator[tuple[Predicate, ...]]:
    """Parts about one column together, so that one look at its statistics serves them all."""
    groups: dict[ColumnId, list[Predicate]] = {}
    for part in parts:
        columns = {leaf.column.id for leaf in _leaves(part)}
        if len(columns) == 1:
            groups.setdefault(columns.pop(), []).append(part)
        else:
            yield (part,)
    yield from (tuple(group) for group in groups.values())


def _kept_by_column(query: _Query, column: Column, predicate: Predicate) -> Proof:
    if column.id not in {known.id for known in query.table.columns} or column.children():
        return true()
    by_partition = (
        _kept_by_partition(query, spec, key, column, predicate)
        for spec in query.specs
        for key in spec.keys
        if key.column == column.id
    )
    return and_(_kept_by_statistics(query, column, predicate), *by_partition)


def _kept_by_statistics(query: _Query, column: Column, predicate: Predicate) -> Proof:
    stats = query.scope.rows("file_column_stats")
    evidence = Statistics(query.scope.backend, column, stats)
    disproof = evidence_against(predicate, evidence.against)
    if disproof is None:
        return true()
    disproved = select(stats.c.data_file_id).where(
        stats.c.table_id == query.table.id,
        stats.c.column_id == column.id,
        # One NULL in a list makes NOT IN true for nothing.
        stats.c.data_file_id.is_not(None),
        disproof,
    )
    return query.files.c.data_file_id.not_in(disproved)


def _kept_by_partition(
    query: _Query, spec: PartitionSpec, key: PartitionKey, column: Column, predicate: Predicate
) -> Proof:
    values = query.scope.rows("file_partition_value")
    value = values.c.partition_value
    disproof: Proof | None
    match key.transform:
        case Part.IDENTITY:
            evidence = Identity(query.scope.backend, column, value)
            disproof = evidence_against(predicate, evidence.against)
        case Bucket(count):
            disproof = evidence_against(predicate, Hashed(column, value, count).against)
            if disproof is not None:
                disproof = and_(disproof, _never_retyped(query, column))
        case part:
            disproof = calendar_disproof(value, part, column, predicate)
    if disproof is None:
        return true()
    disproved = select(values.c.data_file_id).where(
        values.c.table_id == query.table.id,
        values.c.partition_key_index == key.index,
        values.c.data_file_id.is_not(None),
        disproof,
    )
    files = query.files.c
    return or_(
        files.partition_id.is_(None),
        files.partition_id != spec.id,
        files.data_file_id.not_in(disproved),
    )


def _never_retyped(query: _Query, column: Column) -> Proof:
    """Whether the column always had its type: a hash says nothing about the value's later type."""
    versions = query.scope.rows("column")
    return ~exists().where(
        versions.c.table_id == query.table.id,
        versions.c.column_id == column.id,
        func.lower(versions.c.column_type) != type_name(column.type),
    )

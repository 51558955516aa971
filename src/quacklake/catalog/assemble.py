"""Rows of the catalog become values of the format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from quacklake.catalog.statements.entries import Fact
from quacklake.format.files import (
    DataFile,
    DeleteFile,
    DeleteFormat,
    MappedField,
    NameMapping,
)
from quacklake.format.partition import PartitionKey, PartitionSpec, parse_transform
from quacklake.format.paths import as_directory, resolved
from quacklake.format.snapshot import Commit, Snapshot
from quacklake.format.table import SortKey, Table, TableName
from quacklake.format.types import Column, LakeType, List, Map, Struct, parse_leaf_type
from quacklake.kernel.errors import CorruptLake
from quacklake.kernel.ids import ColumnId, MappingId, PartitionId, SnapshotId, TableId

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def snapshot_of(row: Sequence[Any]) -> Snapshot:
    """A snapshot from its id, microseconds and counters."""
    return Snapshot(
        SnapshotId(row[0]), _EPOCH + timedelta(microseconds=row[1] or 0), row[2], row[3], row[4]
    )


def commit_of(row: Sequence[Any]) -> Commit:
    """A commit from its snapshot and what it said of itself."""
    return Commit(snapshot_of(row), row[5] or "", row[6], row[7], row[8])


@dataclass(frozen=True, slots=True)
class SpecVersion:
    """A partition specification and the snapshots it was in force."""

    spec: PartitionSpec
    begin: int
    end: int | None


@dataclass(frozen=True, slots=True)
class InlinedTable:
    """A registered table of inlined rows; it has the lake table's columns as of `columns_at`."""

    name: str
    schema_version: int
    columns_at: int | None


@dataclass(frozen=True, slots=True)
class Timeless:
    """What the catalog says about a table without regard to the snapshot."""

    specs: tuple[SpecVersion, ...] = ()
    inlined: tuple[InlinedTable, ...] = ()
    has_inlined_deletes: bool = False


@dataclass(slots=True)
class _Collected:
    head: Sequence[Any] | None = None
    columns: list[Sequence[Any]] = field(default_factory=list)
    partitions: list[Sequence[Any]] = field(default_factory=list)
    sorts: list[Sequence[Any]] = field(default_factory=list)
    inlined: list[Sequence[Any]] = field(default_factory=list)
    comment: str | None = None
    has_inlined_deletes: bool = False


def tables_of(
    rows: Iterable[Sequence[Any]], data_path: str, at: int
) -> list[tuple[Table, Timeless]]:
    """The tables a description speaks of, in the order of their ids."""
    collected = _collect(rows)
    return [
        (_table(facts.head, facts, data_path, at), _timeless(facts))
        for _, facts in sorted(collected.items())
        if facts.head is not None
    ]


def timeless_of(rows: Iterable[Sequence[Any]]) -> Timeless:
    """The snapshot-free facts about one table."""
    for facts in _collect(rows).values():
        return _timeless(facts)
    return Timeless()


def _collect(rows: Iterable[Sequence[Any]]) -> dict[int, _Collected]:
    collected: dict[int, _Collected] = {}
    for row in rows:
        facts = collected.get(row[1])
        if facts is None:
            facts = collected[row[1]] = _Collected()
        match row[0]:
            case Fact.COLUMN:
                facts.columns.append(row)
            case Fact.TABLE:
                facts.head = row
            case Fact.PARTITION:
                facts.partitions.append(row)
            case Fact.SORT:
                facts.sorts.append(row)
            case Fact.COMMENT:
                facts.comment = row[7]
            case Fact.INLINED_ROWS:
                facts.inlined.append(row)
            case Fact.INLINED_DELETES:
                facts.has_inlined_deletes = True
    return collected


def _table(head: Sequence[Any], facts: _Collected, data_path: str, at: int) -> Table:
    _, table_id, _, relative, schema_relative, *_ = head
    schema_name, name, path, schema_path, uuid = head[7:12]
    home = resolved(data_path, schema_path, is_relative=bool(schema_relative))
    location = resolved(as_directory(home), path, is_relative=bool(relative))
    specs = _specs(facts.partitions)
    current = [v.spec for v in specs if v.begin <= at and (v.end is None or at < v.end)]
    return Table(
        id=TableId(table_id),
        uuid=UUID(str(uuid)),
        name=TableName(schema_name, name),
        location=as_directory(location),
        columns=columns_of(facts.columns),
        partition=current[-1] if current and current[-1].keys else None,
        sort=_sort_keys(facts.sorts),
        comment=facts.comment,
    )


def _timeless(facts: _Collected) -> Timeless:
    inlined = sorted(facts.inlined, key=lambda row: row[2])
    return Timeless(
        specs=_specs(facts.partitions),
        inlined=tuple(InlinedTable(row[7], row[2], row[3]) for row in inlined),
        has_inlined_deletes=facts.has_inlined_deletes,
    )


def _specs(rows: list[Sequence[Any]]) -> tuple[SpecVersion, ...]:
    keys: dict[int, list[PartitionKey]] = {}
    lives: dict[int, tuple[int, int | None]] = {}
    for row in sorted(rows, key=lambda row: (row[2], row[3] or 0)):
        spec_id, index, column, begin, end = row[2:7]
        lives[spec_id] = (begin, end)
        found = keys.setdefault(spec_id, [])
        if index is not None:
            found.append(PartitionKey(index, ColumnId(column), parse_transform(row[7])))
    return tuple(
        SpecVersion(PartitionSpec(PartitionId(spec_id), tuple(keys[spec_id])), *life)
        for spec_id, life in lives.items()
    )


def _sort_keys(rows: list[Sequence[Any]]) -> tuple[SortKey, ...]:
    return tuple(
        SortKey(
            expression=row[7],
            dialect=row[8],
            descending=(row[9] or "").upper() == "DESC",
            nulls_first=(row[10] or "").upper() == "NULLS_FIRST",
        )
        for row in sorted(rows, key=lambda row: row[3])
    )


def columns_of(rows: Iterable[Sequence[Any]]) -> tuple[Column, ...]:
    """The top-level columns, with nested fields inside their types."""
    children: dict[int | None, list[Sequence[Any]]] = {}
    for row in sorted(rows, key=lambda row: (row[3], row[2])):
        children.setdefault(row[4], []).append(row)
    return tuple(_column(row, children) for row in children.get(None, ()))


def _column(row: Sequence[Any], children: dict[int | None, list[Sequence[Any]]]) -> Column:
    name, spelled, initial, default, default_kind = row[7:12]
    # The text NULL stands for "no default".
    has_default = default is not None and default != "NULL"
    return Column(
        id=ColumnId(row[2]),
        name=name,
        type=_type(spelled, [_column(child, children) for child in children.get(row[2], ())]),
        nullable=row[5] is None or bool(row[5]),
        initial_default=initial,
        default=default if has_default else None,
        default_is_expression=has_default and default_kind == "expression",
    )


def _type(spelled: str, children: list[Column]) -> LakeType:
    match spelled.strip().lower(), len(children):
        case "list", 1:
            return List(children[0])
        case "map", 2:
            return Map(children[0], children[1])
        case "struct", count if count > 0:
            return Struct(tuple(children))
        case ("list" | "map" | "struct") as kind, count:
            raise CorruptLake(
                f"a column of type '{kind}' has {count} nested fields in the catalog",
                type=spelled,
            )
        case _:
            return parse_leaf_type(spelled)


def mappings_of(rows: Iterable[Sequence[Any]]) -> dict[MappingId, NameMapping]:
    """Name mappings from their fields, which point to their parents within a mapping."""
    grouped: dict[int, list[Sequence[Any]]] = {}
    for row in rows:
        grouped.setdefault(row[0], []).append(row)
    return {
        MappingId(mapping): NameMapping(MappingId(mapping), _mapped(fields, None))
        for mapping, fields in grouped.items()
    }


def _mapped(rows: list[Sequence[Any]], parent: int | None) -> tuple[MappedField, ...]:
    return tuple(
        MappedField(
            source_name=row[2],
            target=ColumnId(row[3]),
            is_partition=bool(row[5]),
            children=_mapped(rows, row[1]),
        )
        for row in rows
        if row[4] == parent
    )


MAPPING_PLACE: Final = 10
"""Where the row of a data file has the id of its name mapping."""
DELETES_PLACE: Final = 12
"""Where the row of a data file has its delete file, and then those beside it."""


def data_file_of(row: Sequence[Any], parent: str) -> DataFile:
    """A data file, with its delete file if the row has one; `parent` is the table's folder."""
    (
        file, path, relative, count, size, begin, partial_max, row_id_start, footer, partition,
        mapping, key, *deletes,
    ) = row  # fmt: skip
    return DataFile(
        file,
        parent + path if relative else path,
        count,
        size,
        begin,
        partial_max,
        row_id_start,
        footer,
        partition,
        mapping,
        None if deletes[0] is None else _delete_file(deletes, parent),
        key,
    )


def _delete_file(cells: Sequence[Any], parent: str) -> DeleteFile:
    own, path, relative, kind, count, size, begin, partial_max, key, *beside = cells
    return DeleteFile(
        own,
        parent + path if relative else path,
        DeleteFormat(kind),
        count,
        size,
        begin,
        partial_max,
        key,
        _delete_file(beside, parent) if beside else None,
    )

"""What a lake says about itself, as plain values with plain fields."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from quacklake.catalog.inspection import Option
from quacklake.format.changes import Change, ChangeKind, parse_changes
from quacklake.format.files import DataFile
from quacklake.format.partition import PartitionSpec, transform_name
from quacklake.format.snapshot import Commit
from quacklake.format.sqltypes import sql_type
from quacklake.format.table import Table, TableName
from quacklake.format.types import Column


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """A column with its type in DuckDB's SQL."""

    name: str
    type: str
    nullable: bool
    default: str | None


@dataclass(frozen=True, slots=True)
class TableInfo:
    """A table of the lake."""

    schema: str
    name: str
    columns: tuple[ColumnInfo, ...]
    partitioned_by: tuple[str, ...]
    comment: str | None


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """A snapshot, and what its commit did and said."""

    id: int
    time: datetime
    schema_version: int
    changes: str
    author: str | None
    message: str | None
    extra_info: str | None


@dataclass(frozen=True, slots=True)
class OptionInfo:
    """An option that is set; `scope` is global, schema or table."""

    name: str
    value: str
    scope: str
    scope_name: str | None


@dataclass(frozen=True, slots=True)
class FileInfo:
    """A data file of a table, and how many of its rows are deleted."""

    path: str
    rows: int
    deleted_rows: int
    size_bytes: int
    snapshot: int
    delete_file: str | None
    encrypted: bool


@dataclass(frozen=True, slots=True)
class ColumnStats:
    """What the files of a table say about a column; None where some file does not say."""

    column: str
    min: str | None
    max: str | None
    nulls: int | None
    size_bytes: int | None


@dataclass(frozen=True, slots=True)
class TableStats:
    """The size of a table at a snapshot."""

    rows: int
    files: int
    file_rows: int
    inlined_rows: int
    deleted_rows: int
    size_bytes: int
    columns: tuple[ColumnStats, ...]


def column_info(column: Column) -> ColumnInfo:
    """A column as shown to a user."""
    return ColumnInfo(column.name, sql_type(column.type), column.nullable, column.default)


def table_info(table: Table) -> TableInfo:
    """A table as shown to a user."""
    return TableInfo(
        table.name.schema,
        table.name.table,
        tuple(column_info(column) for column in table.columns),
        partition_texts(table, table.partition),
        table.comment,
    )


def partition_texts(table: Table, spec: PartitionSpec | None) -> tuple[str, ...]:
    """The keys of a specification as one writes them: `region`, `day(ts)`, `bucket(8, id)`."""
    names = {column.id: column.name for column in table.columns}
    texts = []
    for key in spec.keys if spec else ():
        transform, name = transform_name(key.transform), names.get(key.column, "?")
        if transform == "identity":
            texts.append(name)
        elif transform.startswith("bucket"):
            texts.append(f"{transform[:-1]}, {name})")
        else:
            texts.append(f"{transform}({name})")
    return tuple(texts)


def snapshot_info(commit: Commit) -> SnapshotInfo:
    """A commit as shown to a user."""
    made = commit.snapshot
    return SnapshotInfo(
        int(made.id),
        made.time,
        made.schema_version,
        commit.changes,
        commit.author,
        commit.message,
        commit.extra_info,
    )


def option_info(option: Option) -> OptionInfo:
    """An option as shown to a user."""
    return OptionInfo(option.key, option.value, option.scope, option.scope_name)


def file_info(file: DataFile, inlined_deletes: int) -> FileInfo:
    """A data file as shown to a user; `inlined_deletes` are those the catalog keeps."""
    listed = file.delete_file.delete_count if file.delete_file else 0
    return FileInfo(
        file.path,
        file.record_count,
        listed + inlined_deletes,
        file.file_size_bytes,
        int(file.begin_snapshot),
        file.delete_file.path if file.delete_file else None,
        file.encryption_key is not None,
    )


def commits_touching(commits: Iterable[Commit], table: Table) -> tuple[SnapshotInfo, ...]:
    """The commits that changed `table`, whatever its name was then."""
    return tuple(
        snapshot_info(commit)
        for commit in commits
        if any(_touches(change, table) for change in parse_changes(commit.changes))
    )


_ABOUT_TABLES = {
    ChangeKind.DROPPED_TABLE,
    ChangeKind.INSERTED_INTO_TABLE,
    ChangeKind.DELETED_FROM_TABLE,
    ChangeKind.ALTERED_TABLE,
    ChangeKind.INLINED_INSERT,
    ChangeKind.INLINED_DELETE,
    ChangeKind.INLINE_FLUSH,
    ChangeKind.MERGE_ADJACENT,
    ChangeKind.REWRITE_DELETE,
    ChangeKind.COMPACTED_TABLE,
}


def _touches(change: Change, table: Table) -> bool:
    if change.kind is ChangeKind.CREATED_TABLE:
        return _same_name(change.names, table.name)
    return change.kind in _ABOUT_TABLES and change.id == table.id


def _same_name(names: tuple[str, ...], name: TableName) -> bool:
    return [n.casefold() for n in names] == [name.schema.casefold(), name.table.casefold()]

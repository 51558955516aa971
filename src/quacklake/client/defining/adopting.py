"""Parquet files that are there already become part of a table, where they lie.

Their columns are found by name. From then on the lake owns them: compaction and clean-up
may delete them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from quacklake.client.workspace import Workspace
from quacklake.format.arrow import arrow_type
from quacklake.format.files import MappedField, NameMapping
from quacklake.format.partition import Part, PartitionSpec
from quacklake.format.statistics import ColumnStatistics
from quacklake.format.table import Table, TableName
from quacklake.format.types import Column
from quacklake.kernel.errors import UsageError
from quacklake.kernel.ids import DataFileId, MappingId
from quacklake.storage.parquet import ParquetField, open_parquet
from quacklake.storage.writing.manifest import WrittenFile
from quacklake.transaction.draft import StagedFile

_NULL_FOLDER = "__HIVE_DEFAULT_PARTITION__"


def add_data_files(
    work: Workspace,
    name: TableName,
    locations: Sequence[str],
    *,
    allow_missing: bool,
    ignore_extra_columns: bool,
    hive_partitioning: bool,
) -> int:
    """Register files; returns how many rows they have."""
    draft = work.drafted(name)
    staged = []
    for location in locations:
        folders = dict(_folders(location)) if hive_partitioning else {}
        source = open_parquet(work.storage, location)
        try:
            fields = source.schema.fields
            mapping = _mapping(
                draft.table,
                fields,
                folders,
                allow_missing=allow_missing,
                ignore_extra=ignore_extra_columns,
                location=location,
            )
            written = _described(work, draft.table, location, source.metadata, folders)
        finally:
            source.close()
        _check_types(draft.table, fields, location)
        spec = (
            draft.table.partition if draft.table.partition and draft.table.partition.keys else None
        )
        staged.append(
            StagedFile(
                DataFileId(work.local_id()), written, spec.id if spec else None, mapping=mapping
            )
        )
    work.stage(replace(draft, files=(*draft.files, *staged)))
    return sum(file.written.record_count for file in staged)


def _folders(location: str) -> Iterator[tuple[str, str | None]]:
    for folder in location.split("/")[:-1]:
        name, separator, value = folder.partition("=")
        if separator:
            text = unquote(value)
            yield unquote(name), None if text == _NULL_FOLDER else text


def _mapping(
    table: Table,
    fields: Sequence[ParquetField],
    folders: dict[str, str | None],
    *,
    allow_missing: bool,
    ignore_extra: bool,
    location: str,
) -> NameMapping:
    stored = {field.name.casefold(): field for field in fields}
    keys = {key.casefold(): key for key in folders}
    mapped: list[MappedField] = []
    for column in table.columns:
        folded = column.name.casefold()
        if folded in stored:
            mapped.append(_mapped(column, stored[folded]))
        elif folded in keys:
            mapped.append(MappedField(keys[folded], column.id, is_partition=True))
        elif not allow_missing:
            raise UsageError(
                f"file '{location}' has no column '{column.name}'",
                hint="allow_missing=True reads its default instead",
                column=column.name,
            )
    known = {column.name.casefold() for column in table.columns}
    extra = [field.name for field in fields if field.name.casefold() not in known]
    if extra and not ignore_extra:
        raise UsageError(
            f"file '{location}' has a column '{extra[0]}' that the table has not",
            hint="ignore_extra_columns=True leaves it out",
            column=extra[0],
        )
    return NameMapping(MappingId(-1), tuple(mapped))


def _mapped(column: Column, field: ParquetField) -> MappedField:
    children = column.children()
    if not children:
        return MappedField(field.name, column.id, is_partition=False)
    if len(children) == len(field.children) and not pa.types.is_struct(field.type):
        words = ("list",) if len(children) == 1 else ("key", "value")
        below = tuple(
            replace(_mapped(child, stored), source_name=word)
            for child, stored, word in zip(children, field.children, words, strict=True)
        )
    else:
        by_name = {child.name.casefold(): child for child in field.children}
        below = tuple(
            _mapped(child, by_name[child.name.casefold()])
            for child in children
            if child.name.casefold() in by_name
        )
    return MappedField(field.name, column.id, is_partition=False, children=below)


def _check_types(table: Table, fields: Sequence[ParquetField], location: str) -> None:
    stored = {field.name.casefold(): field for field in fields}
    for column in table.columns:
        field = stored.get(column.name.casefold())
        if field is None:
            continue
        nested = bool(column.children()) == bool(field.children)
        if not nested or not _readable(field.type, arrow_type(column.type)):
            raise UsageError(
                f"column '{column.name}' of file '{location}' has the type {field.type}, "
                "which the table's column cannot be read from",
                column=column.name,
            )


def _readable(stored: pa.DataType, wanted: pa.DataType) -> bool:
    types = pa.types
    if types.is_nested(stored) or types.is_nested(wanted):
        return True
    text = (types.is_string, types.is_large_string, types.is_binary, types.is_fixed_size_binary)
    if any(test(stored) for test in text) or any(test(wanted) for test in text):
        return any(test(stored) for test in text)
    return bool(types.is_temporal(stored) == types.is_temporal(wanted))


def _described(
    work: Workspace,
    table: Table,
    location: str,
    footer: pq.FileMetaData,
    folders: dict[str, str | None],
) -> WrittenFile:
    partition = table.partition if table.partition and table.partition.keys else None
    values = _partition_values(table, partition, folders, location) if partition else ()
    # Without statistics a file is never pruned, and the table's own become unknown: both safe.
    unknown = tuple(
        ColumnStatistics(leaf.id, None, None, None, None, None, None)
        for column in table.columns
        for leaf in column.leaves()
    )
    return WrittenFile(
        location,
        footer.num_rows,
        work.storage.size(location),
        footer.serialized_size,
        unknown,
        values,
    )


def _partition_values(
    table: Table, spec: PartitionSpec, folders: dict[str, str | None], location: str
) -> tuple[str | None, ...]:
    """A file of a partitioned table must say in its path which partition it is of."""
    names = {column.id: column.name for column in table.columns}
    found = {key.casefold(): value for key, value in folders.items()}
    values = []
    for key in spec.keys:
        name = names[key.column].casefold()
        if key.transform is not Part.IDENTITY or name not in found:
            raise UsageError(
                f"file '{location}' does not say its partition",
                hint="only identity keys in folders such as region=eu are understood: "
                "append the rows instead",
            )
        values.append(found[name])
    return tuple(values)

"""Parquet files that are there already become part of a table, where they lie.

Their columns are found by name. From then on the lake owns them: compaction and clean-up
may delete them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from urllib.parse import unquote

import pyarrow as pa

from quacklake.client.defining.adopted import adopted_statistics, child_pairs
from quacklake.client.workspace import Workspace
from quacklake.format.arrow import arrow_type
from quacklake.format.files import MappedField, NameMapping
from quacklake.format.partition import Part, PartitionSpec
from quacklake.format.table import Table, TableName
from quacklake.format.types import Column
from quacklake.kernel.errors import UsageError
from quacklake.kernel.ids import DataFileId, MappingId
from quacklake.storage.parquet import ParquetField, ParquetSource, open_parquet
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
    for location in dict.fromkeys(locations):
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
            _check_types(draft.table, fields, location)
            written = _described(work, draft.table, location, source, folders)
        finally:
            source.close()
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
    in_order = sorted(mapped, key=lambda field: field.is_partition)
    return NameMapping(MappingId(-1), tuple(in_order))


def _mapped(column: Column, field: ParquetField) -> MappedField:
    is_struct = pa.types.is_struct(field.type)
    words = ("list",) if len(column.children()) == 1 else ("key", "value")
    below = [_mapped(child, own) for child, own in child_pairs(column, field) if own is not None]
    if not is_struct:
        # In lists and maps it is the place that counts, whatever a file calls it.
        below = [replace(each, source_name=words[place]) for place, each in enumerate(below)]
    return MappedField(field.name, column.id, is_partition=False, children=tuple(below))


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
    source: ParquetSource,
    folders: dict[str, str | None],
) -> WrittenFile:
    footer = source.metadata
    partition = table.partition if table.partition and table.partition.keys else None
    values = _partition_values(table, partition, folders, location) if partition else ()
    return WrittenFile(
        location,
        footer.num_rows,
        work.storage.size(location),
        footer.serialized_size,
        adopted_statistics(table, source.schema.fields, folders, footer, location),
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

"""Numbers that mean different things have different types."""

from typing import NewType

SnapshotId = NewType("SnapshotId", int)
SchemaId = NewType("SchemaId", int)
TableId = NewType("TableId", int)
ColumnId = NewType("ColumnId", int)
DataFileId = NewType("DataFileId", int)
DeleteFileId = NewType("DeleteFileId", int)
PartitionId = NewType("PartitionId", int)
MappingId = NewType("MappingId", int)

"""Parquet files of a lake, written: rows become data files, positions become delete files."""

from quacklake.storage.writing.data import write_data_files
from quacklake.storage.writing.deletes import write_delete_file
from quacklake.storage.writing.manifest import WrittenDelete, WrittenFile
from quacklake.storage.writing.options import WriteOptions
from quacklake.storage.writing.physical import ROW_ID, SNAPSHOT_ID
from quacklake.storage.writing.sorting import sorted_batches

__all__ = [
    "ROW_ID",
    "SNAPSHOT_ID",
    "WriteOptions",
    "WrittenDelete",
    "WrittenFile",
    "sorted_batches",
    "write_data_files",
    "write_delete_file",
]

"""Rows become data files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pyarrow as pa

from quacklake.format.partition import PartitionSpec
from quacklake.format.types import Column
from quacklake.storage.filesystem import Storage
from quacklake.storage.writing.manifest import WrittenFile
from quacklake.storage.writing.options import WriteOptions
from quacklake.storage.writing.partitions import keys_of
from quacklake.storage.writing.routing import Router
from quacklake.storage.writing.stream import Destination, RowStream


def write_data_files(
    storage: Storage,
    directory: str,
    columns: tuple[Column, ...],
    batches: Iterable[pa.RecordBatch],
    *,
    options: WriteOptions | None = None,
    partition: PartitionSpec | None = None,
    encrypt: bool = False,
    internal: tuple[Column, ...] = (),
) -> tuple[WrittenFile, ...]:
    """Write rows of `columns`, in the Arrow types of results, to new files below `directory`.

    `internal` columns, `ROW_ID` and `SNAPSHOT_ID`, follow the table's own in every batch. No
    rows make no file. When this returns, the files are on disk; when it raises, they are gone.
    """
    destination = Destination(
        storage, directory, columns, internal, options or WriteOptions(), encrypt=encrypt
    )
    try:
        with _stream(destination, partition) as stream:
            for batch in batches:
                destination.layout.check(batch)
                stream.add(batch)
            stream.finish()
        return destination.finish()
    except BaseException:
        destination.discard()
        raise


@contextmanager
def _stream(
    destination: Destination, partition: PartitionSpec | None
) -> Iterator[RowStream | Router]:
    destination.storage.make_folder(destination.directory)
    if partition is None or not partition.keys:
        yield RowStream(destination)
        return
    router = Router(destination, keys_of(partition, destination.columns))
    try:
        yield router
    finally:
        router.close()

"""Delete files: positions of one data file that are gone, each with its snapshot if asked."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from quacklake.format.types import Column, Kind, Scalar
from quacklake.kernel.errors import UsageError
from quacklake.kernel.ids import ColumnId
from quacklake.storage.filesystem import Storage
from quacklake.storage.writing.encodings import Encodings
from quacklake.storage.writing.manifest import WrittenDelete
from quacklake.storage.writing.options import WriteOptions
from quacklake.storage.writing.output import ParquetOutput, directory_of, new_name
from quacklake.storage.writing.physical import SNAPSHOT_ID
from quacklake.storage.writing.sealed import SealedOutput

_COLUMNS: Final = (
    Column(ColumnId(2147483646), "file_path", Scalar(Kind.VARCHAR)),
    Column(ColumnId(2147483645), "pos", Scalar(Kind.INT64)),
    SNAPSHOT_ID,
)


def write_delete_file(
    storage: Storage,
    directory: str,
    data_file: str,
    positions: npt.NDArray[np.int64],
    tags: npt.NDArray[np.int64] | None = None,
    *,
    encrypt: bool = False,
    options: WriteOptions | None = None,
) -> WrittenDelete:
    """List `positions` of `data_file` as deleted, by the snapshots `tags` if they differ."""
    if positions.size == 0 or positions[0] < 0 or bool(np.any(np.diff(positions) <= 0)):
        raise UsageError("a delete file needs positions in increasing order", location=data_file)
    columns = _COLUMNS if tags is not None else _COLUMNS[:-1]
    table = _table(columns, data_file, positions, tags)
    storage.make_folder(directory)
    location = directory_of(directory, ()) + new_name("-delete")
    how = options or WriteOptions()
    output: ParquetOutput | SealedOutput
    if encrypt:
        output = SealedOutput(storage, location, columns, table.schema, how)
    else:
        # No position occurs twice.
        repeated = Encodings(tuple(name for name in table.column_names if name != "pos"))
        output = ParquetOutput(storage, location, table.schema, how, encodings=repeated)
    try:
        output.write(table)
        done = output.close()
        storage.make_durable([location], directory)
    except BaseException:
        output.abandon()
        storage.discard(location)
        raise
    return WrittenDelete(location, positions.size, done.size, done.footer_size, done.encryption_key)


def _table(
    columns: tuple[Column, ...],
    data_file: str,
    positions: npt.NDArray[np.int64],
    tags: npt.NDArray[np.int64] | None,
) -> pa.Table:
    # One path for all rows, without repeating it in memory.
    which = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(positions.size, np.int32)), pa.array([data_file])
    )
    numbers = [positions] if tags is None else [positions, tags]
    arrays = [which, *(pa.array(each, pa.int64()) for each in numbers)]
    fields = [
        pa.field(column.name, array.type, metadata={b"PARQUET:field_id": str(column.id).encode()})
        for column, array in zip(columns, arrays, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))

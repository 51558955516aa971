"""Delete files: positions of one data file that are gone, each with its snapshot if asked."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from quacklake.format.files import SNAPSHOT_ID_FIELD, SNAPSHOT_ID_NAME
from quacklake.kernel.errors import UsageError
from quacklake.storage.filesystem import Storage
from quacklake.storage.writing.manifest import WrittenDelete
from quacklake.storage.writing.options import WriteOptions
from quacklake.storage.writing.output import ParquetOutput, directory_of, new_name

_FILE_PATH_FIELD: Final = 2147483646
_POSITION_FIELD: Final = 2147483645


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
    table = _table(data_file, positions, tags)
    storage.make_folder(directory)
    location = directory_of(directory, ()) + new_name("-delete")
    output = ParquetOutput(
        storage, location, table.schema, options or WriteOptions(), encrypt=encrypt
    )
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
    data_file: str, positions: npt.NDArray[np.int64], tags: npt.NDArray[np.int64] | None
) -> pa.Table:
    path = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(positions.size, np.int32)), pa.array([data_file])
    )
    columns: list[pa.Array] = [path, pa.array(positions, pa.int64())]
    fields = [
        _field("file_path", path.type, _FILE_PATH_FIELD),
        _field("pos", pa.int64(), _POSITION_FIELD),
    ]
    if tags is not None:
        columns.append(pa.array(tags, pa.int64()))
        fields.append(_field(SNAPSHOT_ID_NAME, pa.int64(), SNAPSHOT_ID_FIELD))
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _field(name: str, kind: pa.DataType, field_id: int) -> pa.Field:
    return pa.field(name, kind, metadata={b"PARQUET:field_id": str(field_id).encode()})

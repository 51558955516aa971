"""One encrypted Parquet file being written, by DuckDB in process.

Parquet binds every encrypted part to its place in the file. DuckDB leaves that out when it
writes, and finds the places of nested, filtered and long columns wrongly when it reads what
Arrow wrote. So that both can read a lake's files, they are written as DuckDB writes them.
"""

from __future__ import annotations

import base64
import os
import queue
import secrets
import tempfile
import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from quacklake.format.sqltypes import literal
from quacklake.format.types import Column
from quacklake.kernel.errors import Unavailable
from quacklake.storage.encryption import footer_alone, footer_length
from quacklake.storage.failures import writing
from quacklake.storage.filesystem import Storage
from quacklake.storage.writing.options import WriteOptions
from quacklake.storage.writing.output import Finished

_KEY_BYTES: Final = 16
_CHUNK_BYTES: Final = 8 << 20
_WAIT_SECONDS: Final = 0.2
_CODECS: Final = {"none": "uncompressed", "lz4": "lz4_raw"}


class SealedOutput:
    """A file that takes row groups until it is closed; see `ParquetOutput`."""

    def __init__(
        self, storage: Storage, location: str, columns: Sequence[Column], schema: pa.Schema,
        options: WriteOptions,
    ) -> None:  # fmt: skip
        self.location = location
        self.row_count = 0
        self._storage = storage
        self._schema = schema
        self._key = secrets.token_bytes(_KEY_BYTES)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._path = self._local_path()
        self._statement = _statement(self._path, columns, options)
        self._tables: queue.Queue[pa.Table | None] = queue.Queue(1)
        self._problem: BaseException | None = None
        self._abandoned = False
        # DuckDB pulls rows, whoever writes them pushes: a thread stands between.
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def write(self, table: pa.Table) -> None:
        """Hand over rows; DuckDB makes row groups of them."""
        self._put(table)
        self.row_count += table.num_rows

    def size(self) -> int:
        """The bytes written so far."""
        return self._path.stat().st_size if self._path.exists() else 0

    def close(self) -> Finished:
        """Write the footer."""
        self._put(None)
        self._thread.join()
        self._check()
        with writing(self.location), pa.OSFile(str(self._path)) as handle:
            size = handle.size()
            plain = footer_alone(handle, self._key, self.location)
            footer_size = footer_length(handle, self.location)
            metadata = pq.ParquetFile(pa.BufferReader(plain)).metadata
        self._upload()
        key = base64.b64encode(self._key).decode()
        return Finished(self.location, size, footer_size, metadata, key)

    def abandon(self) -> None:
        """Let go of the file, whatever state it is in."""
        self._abandoned = True
        while self._thread.is_alive():
            self._thread.join(_WAIT_SECONDS)
        self._forget()

    def _local_path(self) -> Path:
        path = self._storage.local_path(self.location)
        with writing(self.location):
            if path is None:
                self._folder = tempfile.TemporaryDirectory(prefix="quacklake-")
                return Path(self._folder.name, "sealed.parquet")
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            return Path(path)

    def _put(self, table: pa.Table | None) -> None:
        while True:
            self._check()
            try:
                return self._tables.put(table, timeout=_WAIT_SECONDS)
            except queue.Full:
                continue

    def _check(self) -> None:
        if self._problem is not None:
            raise Unavailable(
                f"'{self.location}' could not be written",
                hint="make sure that there is room on the disk and it may be written to",
                location=self.location,
            ) from self._problem

    def _run(self) -> None:
        try:
            rows = pa.RecordBatchReader.from_batches(self._schema, self._batches())
            with _instance(os.getpid()).cursor() as connection:
                connection.register("incoming", rows)
                connection.execute(self._statement, {"key": self._key})
        except BaseException as problem:  # noqa: BLE001 - told by the thread that waits for it
            self._problem = problem

    def _batches(self) -> Iterator[pa.RecordBatch]:
        while not self._abandoned:
            try:
                table = self._tables.get(timeout=_WAIT_SECONDS)
            except queue.Empty:
                continue
            if table is None:
                return
            yield from table.to_batches()
        raise InterruptedError("nobody wants the file any more")

    def _upload(self) -> None:
        if self._folder is not None:
            with (
                writing(self.location),
                self._path.open("rb") as source,
                self._storage.open_output(self.location) as target,
            ):
                while chunk := source.read(_CHUNK_BYTES):
                    target.write(chunk)
        self._forget()

    def _forget(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()


def _statement(path: Path, columns: Sequence[Column], options: WriteOptions) -> str:
    codec = _CODECS.get(options.compression, options.compression)
    words = {
        "FORMAT": "parquet",
        "FIELD_IDS": f"{{{_field_ids(columns)}}}",
        # The key is bound, so that no message can quote it.
        "ENCRYPTION_CONFIG": "{footer_key_value: $key}",
        "ROW_GROUP_SIZE": str(options.row_group_size),
        "COMPRESSION": literal(codec),
        "PARQUET_VERSION": options.parquet_version,
        "GEOPARQUET_VERSION": "'V2'",
        "USE_TMP_FILE": "false",
    }
    if options.compression_level is not None and codec == "zstd":
        words["COMPRESSION_LEVEL"] = str(options.compression_level)
    given = ", ".join(f"{word} {value}" for word, value in words.items())
    return f"COPY (FROM incoming) TO {literal(str(path))} ({given})"


def _field_ids(columns: Sequence[Column]) -> str:
    return ", ".join(f"{literal(column.name)}: {_field_id(column)}" for column in columns)


def _field_id(column: Column) -> str:
    below = column.children()
    if not below:
        return str(column.id)
    return f"{{__duckdb_field_id: {column.id}, {_field_ids(below)}}}"


@lru_cache(maxsize=1)
def _instance(process: int) -> duckdb.DuckDBPyConnection:
    """One engine per process; a forked child must not use its parent's."""
    del process
    engine = duckdb.connect(
        ":memory:",
        config={
            # One thread for each file, so that rows keep their order.
            "threads": 1,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        },
    )
    # DuckDB doubts the random numbers of its own library. They are nonces here, never a key:
    # all they have to be is different within one file.
    engine.execute("SET force_mbedtls_unsafe = 'true'")
    return engine

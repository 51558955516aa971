"""`df.write.format("ducklake")`: tasks write files, one commit makes them rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from quacklake.client.autocommit import autocommit
from quacklake.client.workspace import Workspace
from quacklake.client.writing import operations
from quacklake.client.writing.adding import file_writing
from quacklake.client.writing.affected import Affected
from quacklake.client.writing.matching import matched
from quacklake.engine.spark.manifests import Manifest
from quacklake.engine.spark.options import SourceOptions
from quacklake.engine.spark.shapes import arrow_shape
from quacklake.engine.spark.writing import WriteRows, with_written
from quacklake.kernel.errors import CommitConflict


class _Told(WriterCommitMessage):
    """What one task wrote."""

    def __init__(self, manifest: list[tuple[str, bytes]]) -> None:
        self.manifest = manifest


class DuckLakeWriter(DataSourceArrowWriter):
    """Writes the rows of a DataFrame into a table that exists."""

    def __init__(self, options: SourceOptions, schema: StructType, *, overwrite: bool) -> None:
        self._options = options
        self._overwrite = overwrite
        with options.session() as session:
            work = Workspace(session)
            self._table = work.drafted(options.table).table
            self._storage = session.storage
            self._job = WriteRows(
                file_writing(work, self._table),
                matched(arrow_shape(schema), self._table),
                work.limit(self._table),
            )

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Write the rows of one task."""
        spoken = [
            (row["kind"], row["payload"])
            for batch in self._job(iterator)
            for row in batch.to_pylist()
        ]
        return _Told(spoken)

    def commit(self, messages: list[Any]) -> None:
        """Make what all tasks wrote one snapshot."""
        manifest = _heard(messages).checked(self._storage)

        def stage(work: Workspace) -> Affected:
            if work.drafted(self._options.table).table.columns != self._table.columns:
                raise CommitConflict(
                    f"table '{self._table.name}' was altered while rows were written for it",
                    hint="write them again",
                )
            if self._overwrite:
                operations.delete(work, self._options.table, None)
            draft, count = with_written(work, work.drafted(self._options.table), manifest)
            work.stage(draft)
            return Affected(inserted=count)

        with self._options.session() as session:
            # The files are written once: after a conflict they are gone, and nothing repeats.
            autocommit(session, stage, repeatable=False)

    def abort(self, messages: list[Any]) -> None:
        """Remove what the tasks that finished wrote."""
        heard = _heard(messages)
        for file in (*heard.files, *heard.files_with_ids):
            self._storage.discard(file.location)


def _heard(messages: list[Any]) -> Manifest:
    manifest = Manifest()
    for told in messages:
        for word, payload in told.manifest if told is not None else ():
            manifest.hear(word, payload)
    return manifest

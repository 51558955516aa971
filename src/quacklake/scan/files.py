"""One data file at a snapshot: deleted and later rows left out, the filter applied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from quacklake.format import casting
from quacklake.format.predicate import ANYTHING, Predicate
from quacklake.format.types import Column
from quacklake.kernel.errors import FileUnreadable
from quacklake.kernel.ids import ColumnId
from quacklake.scan.conform import converted, default_values
from quacklake.scan.masks import PredicateFilter, SqlFilter, kept_by
from quacklake.scan.pieces import Piece, pieces_of
from quacklake.scan.plan import FILE, PLACE, ROW_ID, SNAPSHOT_ID, FileTask, ScanPlan
from quacklake.scan.reads import Meter
from quacklake.scan.shape import Absent, FromPath, Located, Origin, origins
from quacklake.scan.sought import Seeker, seeker_of
from quacklake.storage.deletes import deleted_positions
from quacklake.storage.duckdb_reader import DuckDBReader
from quacklake.storage.filesystem import Storage
from quacklake.storage.parquet import RowGroup, open_parquet
from quacklake.storage.rowgroups import surviving_row_groups
from quacklake.storage.schema import FileSchema
from quacklake.storage.selection import Keep, selected

Arrays: TypeAlias = dict[ColumnId, pa.ChunkedArray | pa.Array]

_ROWS_READ_AT_ONCE = 20_000
_NOTHING_DELETED = np.empty(0, dtype=np.int64)
_NULL_FOLDER = "__HIVE_DEFAULT_PARTITION__"


class Shapes:
    """The plan, and the origins of its columns worked out once for all files that look alike.

    With a `meter` what is read of them is counted.
    """

    def __init__(self, plan: ScanPlan, meter: Meter | None = None) -> None:
        self.plan = plan
        self.meter = meter
        self.schema = plan.schema
        filtered = plan.filter.columns if plan.filter else ()
        by_id = {column.id: column for column in (*plan.columns, *filtered, ROW_ID, SNAPSHOT_ID)}
        self._columns = tuple(by_id.values())
        self._known: dict[tuple[int, int | None], tuple[FileSchema, dict[ColumnId, Origin]]] = {}

    def of(self, schema: FileSchema, task: FileTask) -> dict[ColumnId, Origin]:
        """Where each needed column comes from in a file of this schema."""
        key = id(schema), None if task.mapping is None else int(task.mapping.id)
        if key not in self._known:
            made = origins(schema, task.mapping, self._columns, task.file.path)
            # The schema is kept so that its id is not given to another.
            self._known[key] = schema, made
        return self._known[key][1]


class FileReader:
    """An open file; its pieces may be read by several threads."""

    def __init__(self, shapes: Shapes, task: FileTask, storage: Storage) -> None:
        self._plan = shapes.plan
        self._schema = shapes.schema
        self._meter = shapes.meter
        self._task = task
        self._storage = storage
        file = task.file
        self._source = open_parquet(
            storage,
            file.path,
            file_size=file.file_size_bytes,
            encryption_key=file.encryption_key,
        )
        self._check_row_count()
        self._origins = shapes.of(self._source.schema, task)
        self._deleted = self._deletions(storage)
        self._count(files=1)

    def _count(self, *, files: int = 0, rows: int = 0, size: int = 0) -> None:
        if self._meter is not None:
            self._meter.add(files=files, rows=rows, size=size)

    def _check_row_count(self) -> None:
        file = self._task.file
        found = self._source.metadata.num_rows
        if found != file.record_count:
            raise FileUnreadable(
                f"data file '{file.path}' has {found} rows where the catalog says "
                f"{file.record_count}",
                hint="it was replaced outside the lake: restore it from a backup",
                location=file.path,
            )

    def _deletions(self, storage: Storage) -> npt.NDArray[np.int64]:
        if self._task.file.delete_file is None and not self._task.deleted:
            return _NOTHING_DELETED
        inlined = np.array(self._task.deleted, dtype=np.int64)
        if self._task.file.delete_file is None:
            return np.sort(inlined)
        listed = deleted_positions(storage, self._task.file.delete_file, self._plan.snapshot.id)
        self._count(files=1, size=self._task.file.delete_file.file_size_bytes)
        return np.union1d(listed, inlined) if inlined.size else listed

    def pieces(self) -> list[Piece]:
        """What has to be read, after row groups without wanted rows are left out."""
        return pieces_of(
            self.surviving(self._plan.filter.predicate if self._plan.filter else ANYTHING)
        )

    @property
    def row_groups(self) -> tuple[RowGroup, ...]:
        """The row groups of the file, in order."""
        return self._source.row_groups

    def surviving(self, predicate: Predicate) -> Sequence[RowGroup]:
        """The row groups that may hold a row satisfying `predicate`."""
        groups = self._source.row_groups
        if predicate == ANYTHING:
            return groups
        fields = {
            column: origin.field
            for column, origin in self._origins.items()
            if isinstance(origin, Located)
        }
        kept = surviving_row_groups(self._source, predicate, fields)
        return [groups[index] for index in kept]

    def read(self, piece: Piece) -> pa.Table:
        """The wanted rows of one piece."""
        self._count(rows=piece.row_count)
        keep = self._visible(piece)
        read: Arrays = {}
        if self._plan.filter is not None:
            # A second read of a small piece takes longer than what it might spare.
            also = self._plan.columns if piece.row_count <= _ROWS_READ_AT_ONCE else ()
            self.load(piece, (*self._plan.filter.columns, *also), read)
            wanted = kept_by(self._plan.filter, read, piece.row_count)
            keep = wanted if keep is None else keep & wanted
        if keep is None or keep.all():
            return self._result(piece, read, None)
        return self._result(piece, read, keep) if keep.any() else self._schema.empty_table()

    def wants_few(self, piece: Piece, share: float) -> bool:
        """Whether the filter lets through at most this share of the rows of a piece."""
        chosen = self._plan.filter
        if chosen is None:
            return False
        read: Arrays = {}
        self.load(piece, chosen.columns, read)
        found = np.count_nonzero(kept_by(chosen, read, piece.row_count))
        return bool(found <= share * piece.row_count)

    def _result(self, piece: Piece, read: Arrays, keep: Keep | None) -> pa.Table:
        """The rows to keep, all columns; those in `read` need not be read again."""
        if keep is not None and read:
            names = [str(identity) for identity in read]
            kept = selected(pa.table(list(read.values()), names=names), keep)
            read = dict(zip(read, kept.columns, strict=True))
        self.load(piece, self._plan.columns, read, keep)
        return pa.table([read[c.id] for c in self._plan.columns], schema=self._schema)

    def _visible(self, piece: Piece) -> Keep | None:
        """Which rows exist at the snapshot; None when all do."""
        keep: Keep | None = None
        first, last = piece.first_row, piece.first_row + piece.row_count
        low, high = np.searchsorted(self._deleted, (first, last)) if self._deleted.size else (0, 0)
        if low < high:
            keep = np.ones(piece.row_count, dtype=np.bool_)
            keep[self._deleted[low:high] - first] = False
        at = self._plan.snapshot.id
        if self._task.file.partial_max is not None and self._task.file.partial_max > at:
            tags: Arrays = {}
            self.load(piece, (SNAPSHOT_ID,), tags)
            written = tags[SNAPSHOT_ID.id].to_numpy() <= at
            keep = written if keep is None else keep & written
        return keep

    def load(
        self, piece: Piece, columns: Sequence[Column], into: Arrays, keep: Keep | None = None
    ) -> None:
        """Read those of `columns` that are not there yet; of all rows, or of those to keep."""
        missing = {c.id: self._origins[c.id] for c in columns if c.id not in into}
        stored = sorted(
            (origin for origin in missing.values() if isinstance(origin, Located)),
            key=lambda origin: origin.field.leaves.start,
        )
        if stored:
            fields = [origin.field for origin in stored]
            table = self._source.read(piece.groups, fields, keep, alone=piece.alone)
            if self._meter is not None:
                self._count(size=self.stored_bytes(piece, [origin.column for origin in stored]))
            for place, origin in enumerate(stored):
                into[origin.column.id] = converted(table.column(place), origin.convert)
        if len(stored) < len(missing):
            places = np.arange(piece.first_row, piece.first_row + piece.row_count, dtype=np.int64)
            self._make(missing, places if keep is None else places[keep], into)

    def _make(
        self, wanted: Mapping[ColumnId, Origin], places: npt.NDArray[np.int64], into: Arrays
    ) -> None:
        """Columns that no file stores, for the rows at `places`."""
        for identity, origin in wanted.items():
            if not isinstance(origin, Located):
                into[identity] = self._without_file(origin, places)

    @property
    def wants_places_only(self) -> bool:
        """Whether no column of the result is stored in the file, however many rows are wanted."""
        columns = self._plan.columns
        return not any(isinstance(self._origins[column.id], Located) for column in columns)

    def seeker(self) -> Seeker | None:
        """How to seek the rows that the filter wants, where that is possible."""
        chosen, file = self._plan.filter, self._task.file
        written_later = file.partial_max is not None and file.partial_max > self._plan.snapshot.id
        if written_later or file.encryption_key:
            return None
        if not isinstance(chosen, PredicateFilter | SqlFilter):
            return None
        if not self._storage.is_local(file.path):
            return None
        reader = DuckDBReader(self._storage, file.path, width=len(self._source.schema.fields))
        columns = self._plan.columns
        return seeker_of(reader, self._source.schema, self._origins, columns, chosen)

    def spans(self, pieces: Sequence[Piece], rows: int) -> list[Piece]:
        """Pieces put together to at least so many rows, where they adjoin."""
        groups = [self._source.row_groups[index] for piece in pieces for index in piece.groups]
        return pieces_of(groups, rows)

    def seek(self, seeker: Seeker, piece: Piece) -> pa.Table:
        """The wanted rows of one piece, sought."""
        groups = [self._source.row_groups[index] for index in piece.groups]
        columns = [place for place, _ in seeker.columns]
        if self._meter is not None:
            sought = (*(origin.column for _, origin in seeker.columns), *self._filtered())
            self._count(rows=piece.row_count, size=self.stored_bytes(piece, sought))
        try:
            found = seeker.reader.seek(columns, groups, seeker.condition, seeker.spoken)
        except FileUnreadable:
            if seeker.spoken is None:
                raise
            # The words of a user may not suit every value; the plain way can tell it from damage.
            return self.read(piece)
        places: npt.NDArray[np.int64] = found.column(0).to_numpy()
        gone = np.isin(places, self._deleted, assume_unique=True)
        if gone.any():
            found, places = selected(found, ~gone), places[~gone]
        read: Arrays = {
            origin.column.id: converted(column, origin.convert)
            for (_, origin), column in zip(seeker.columns, found.columns[1:], strict=True)
        }
        self._make({c.id: self._origins[c.id] for c in self._plan.columns}, places, read)
        return pa.table([read[c.id] for c in self._plan.columns], schema=self._schema)

    def _filtered(self) -> tuple[Column, ...]:
        return () if self._plan.filter is None else self._plan.filter.columns

    def stored_bytes(self, piece: Piece, columns: Sequence[Column]) -> int:
        """How many bytes of the file a load of `columns` reads."""
        found = (self._origins[column.id] for column in columns)
        leaves = {leaf for each in found if isinstance(each, Located) for leaf in each.field.leaves}
        groups = [self._source.metadata.row_group(index) for index in piece.groups]
        return sum(group.column(leaf).total_compressed_size for group in groups for leaf in leaves)

    def _without_file(self, origin: FromPath | Absent, places: npt.NDArray[np.int64]) -> pa.Array:
        file, count = self._task.file, len(places)
        if isinstance(origin, FromPath):
            text = folder_value(file.path, origin.key)
            value = casting.constant(text, origin.column.type)
            return pa.repeat(value, count) if value.is_valid else pa.nulls(count, value.type)
        if origin.column == ROW_ID:
            if file.row_id_start is None:
                return pa.nulls(count, pa.int64())
            return pa.array(places + file.row_id_start)
        if origin.column == FILE:
            return pa.repeat(pa.scalar(int(file.id), pa.int64()), count)
        if origin.column == PLACE:
            return pa.array(places)
        if origin.column == SNAPSHOT_ID:
            return pa.repeat(pa.scalar(int(file.begin_snapshot), pa.int64()), count)
        return default_values(origin.column, count)


def folder_value(path: str, key: str) -> str | None:
    """The text of `key=value` among the folders of `path`; NULL has a name of its own."""
    wanted = key.casefold()
    for folder in path.split("/")[:-1]:
        name, separator, value = folder.partition("=")
        if separator and unquote(name).casefold() == wanted:
            text = unquote(value)
            return None if text == _NULL_FOLDER else text
    raise FileUnreadable(f"data file '{path}' lies in no folder '{key}=…'", location=path)

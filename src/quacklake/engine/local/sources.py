"""Lake tables as DuckDB scans them: its columns and filters go into our scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import pyarrow as pa

from quacklake.client.session import Session
from quacklake.engine.local.counting import blank_batches
from quacklake.format import casting
from quacklake.format.arrow import arrow_schema
from quacklake.format.snapshot import AtVersion, Snapshot
from quacklake.format.sqltypes import quoted
from quacklake.format.table import Table
from quacklake.scan.dataset import LakeDataset
from quacklake.scan.masks import RowFilter
from quacklake.scan.plan import Request, ScanPlan
from quacklake.scan.reading import read_batches

_BLANK_TYPE: Final = pa.int8()
_VIRTUAL_TYPE: Final = pa.decimal128(38, 0)
"""A type that DuckDB keeps its filters on to itself: our scan has none on virtual columns."""


@dataclass(frozen=True, slots=True)
class Source:
    """A table at a snapshot. What goes wrong while DuckDB scans it is kept in `problems`.

    Its first column is blank: DuckDB asks for that one when it needs no column at all, as for
    `count(*)`, and most rows of it are known without opening a file.
    """

    session: Session
    table: Table
    at: Snapshot
    problems: list[BaseException]
    virtual: tuple[str, ...] = ()

    @property
    def blank(self) -> str:
        """A name that no column of the table has."""
        taken = {column.name.casefold() for column in self.table.columns}
        name = "blank"
        while name in taken:
            name += "_"
        return name

    def dataset(self) -> LakeDataset:
        """What DuckDB registers; nothing is read before it is scanned."""
        columns = tuple(replace(column, nullable=True) for column in self.table.columns)
        virtual = [pa.field(name, _VIRTUAL_TYPE) for name in self.virtual]
        blank = pa.field(self.blank, _BLANK_TYPE)
        schema = pa.schema([blank, *arrow_schema(columns), *virtual])
        return LakeDataset(self.table, schema, self._opened)

    def typed_columns(self) -> str:
        """SQL that selects the table's columns in the lake's own types."""
        own = [
            f"{casting.restored(quoted(column.name), column.type)} AS {quoted(column.name)}"
            for column in self.table.columns
        ]
        virtual = [f"CAST({quoted(name)} AS BIGINT) AS {quoted(name)}" for name in self.virtual]
        return ", ".join([*own, *virtual])

    def _opened(
        self, columns: Sequence[str] | None, chosen: RowFilter | None
    ) -> pa.RecordBatchReader:
        try:
            asked = tuple(columns or ())
            schema, batches = self._stream(asked, chosen)
        except Exception as problem:
            self.problems.append(problem)
            raise
        return pa.RecordBatchReader.from_batches(schema, self._watched(batches))

    def _stream(
        self, asked: tuple[str, ...], chosen: RowFilter | None
    ) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        real = tuple(name for name in asked if name != self.blank)
        if real or chosen:
            # A filter without columns still needs one to count what it lets through.
            read = real or (self.table.columns[0].name,)
            plan = self._plan(read, chosen)
            schema = self._declared(plan.schema)
            batches = read_batches(plan, self.session.storage)
            return schema, (_in_schema(batch, schema) for batch in batches)
        schema = pa.schema([pa.field(self.blank, _BLANK_TYPE)])
        return schema, blank_batches(self._plan(None, None), self.session.storage, schema)

    def _declared(self, schema: pa.Schema) -> pa.Schema:
        return pa.schema(
            [f.with_type(_VIRTUAL_TYPE) if f.name in self.virtual else f for f in schema]
        )

    def _plan(self, columns: tuple[str, ...] | None, chosen: RowFilter | None) -> ScanPlan:
        return self.session.plan(Request(self.table.name, AtVersion(self.at.id), columns, chosen))

    def _watched(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The batches; DuckDB would turn an error among them into words only."""
        try:
            yield from batches
        except Exception as problem:
            self.problems.append(problem)
            raise


def _in_schema(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    return batch if batch.schema == schema else batch.cast(schema)

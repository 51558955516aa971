"""A table as a pyarrow dataset, so that DuckDB pushes columns and filters into our scan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from quacklake.format.table import Table
from quacklake.scan.filters import pushed_down
from quacklake.scan.masks import RowFilter

Open = Callable[[Sequence[str] | None, RowFilter | None], pa.RecordBatchReader]


class LakeDataset(ds.Dataset):  # type: ignore[misc]
    """A scan that has not been planned yet; each use plans it with what it is asked for."""

    def __init__(self, table: Table, schema: pa.Schema, opened: Open) -> None:
        self._table = table
        self._schema = schema
        self._opened = opened

    @property
    def schema(self) -> pa.Schema:
        """The columns a consumer may ask for."""
        return self._schema

    def scanner(
        self,
        columns: Sequence[str] | None = None,
        filter: pc.Expression | None = None,  # noqa: A002 - the name pyarrow calls it by
        **_: Any,
    ) -> ds.Scanner:
        """The rows of `columns` that satisfy `filter`, as a stream."""
        chosen = None if filter is None else pushed_down(filter, self._table)
        reader = self._opened(columns, chosen)
        return ds.Scanner.from_batches(reader)

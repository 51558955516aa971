"""The columns of a change feed beside the table's own.

They keep their names. A table's column of the same name gets a number behind its own, as
DuckDB does it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import pyarrow as pa

from quacklake.format.arrow import arrow_schema
from quacklake.format.types import Column, Kind, Scalar
from quacklake.kernel.ids import ColumnId
from quacklake.scan.plan import ROW_ID, SNAPSHOT_ID

CHANGE_TYPE: Final = Column(ColumnId(-11), "change_type", Scalar(Kind.VARCHAR))
"""What happened to a row, in the words below."""
WEIGHT: Final = Column(ColumnId(-12), "weight", Scalar(Kind.INT64))
"""How many more of a row there are; fewer if negative."""

INSERT: Final = "insert"
DELETE: Final = "delete"
UPDATE_PREIMAGE: Final = "update_preimage"
UPDATE_POSTIMAGE: Final = "update_postimage"


def change_columns(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Snapshot, row and kind of change, then the table's columns."""
    return _distinct((SNAPSHOT_ID, ROW_ID, CHANGE_TYPE, *columns))


def weighted_columns(columns: Sequence[Column], *, row_ids: bool = False) -> tuple[Column, ...]:
    """The table's columns, then the row id if it is wanted, then the weight."""
    numbers = (WEIGHT, ROW_ID) if row_ids else (WEIGHT,)
    found = _distinct((*numbers, *columns))
    return (*found[len(numbers) :], *reversed(found[: len(numbers)]))


def schema_of(columns: Iterable[Column]) -> pa.Schema:
    """The Arrow schema of a result with `columns`, any of which may hold NULL."""
    return arrow_schema(tuple(replace(column, nullable=True) for column in columns))


def _distinct(columns: Iterable[Column]) -> tuple[Column, ...]:
    taken: set[str] = set()
    renamed = []
    for column in columns:
        name, number = column.name, 0
        while name.casefold() in taken:
            number += 1
            name = f"{column.name}_{number}"
        taken.add(name.casefold())
        renamed.append(replace(column, name=name))
    return tuple(renamed)

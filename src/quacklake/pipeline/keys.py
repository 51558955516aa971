"""Keys of a change as a filter of a scan: statistics skip files, values skip rows.

Law: a row is left out only if its key is certain not to occur. NULL occurs if it is a key.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.client.writing.keyed import is_compared_alike
from quacklake.client.writing.merging import within
from quacklake.format.arrow import arrow_type
from quacklake.format.predicate import (
    ANYTHING,
    NOTHING,
    IsNull,
    OneOf,
    Predicate,
    all_of,
    any_of,
)
from quacklake.format.types import Column
from quacklake.scan.masks import fits_arrow

_FEW_KEYS: Final = 1_000


@dataclass(frozen=True, slots=True)
class KeySetFilter:
    """Lets every row through whose keys may occur, column by column."""

    columns: tuple[Column, ...]
    predicate: Predicate
    values: tuple[pa.Array, ...]

    def mask(self, rows: pa.Table) -> pa.ChunkedArray:
        """True for wanted rows."""
        found = (
            pc.is_in(rows.column(column.name), value_set=values)
            for column, values in zip(self.columns, self.values, strict=True)
        )
        return reduce(pc.and_, found)


def key_filter(columns: tuple[Column, ...], keys: pa.Table) -> KeySetFilter | None:
    """The filter for rows whose `columns` occur in the columns of `keys`, in this order.

    None if Arrow cannot tell: of other types than the table's, or compared in other ways.
    """
    chosen: dict[Column, pa.Array] = {}
    for column, values in zip(columns, keys.columns, strict=True):
        fitted = _fitted(column, values)
        if fitted is not None:
            known = chosen.get(column, fitted)
            chosen[column] = known.filter(pc.is_in(known, value_set=fitted))
    if not chosen:
        return None
    predicates = (_predicate(column, values) for column, values in chosen.items())
    return KeySetFilter(tuple(chosen), all_of(*predicates), tuple(chosen.values()))


def _fitted(column: Column, values: pa.ChunkedArray) -> pa.Array | None:
    """The different keys in the column's own type; those that it cannot have are left out."""
    wanted = arrow_type(column.type)
    if not is_compared_alike(column.type):
        return None
    distinct = pc.unique(values)
    if distinct.type == wanted:
        return distinct
    if not (pa.types.is_integer(distinct.type) and pa.types.is_integer(wanted)):
        return None
    try:
        return distinct.cast(wanted)
    except pa.ArrowInvalid:
        return None


def _predicate(column: Column, values: pa.Array) -> Predicate:
    present = values.drop_null()
    null = IsNull(column) if values.null_count else NOTHING
    if not len(present):
        return null
    if len(present) <= _FEW_KEYS:
        known: Predicate = OneOf(column, tuple(present.to_pylist()))
    else:
        try:
            bounds = pc.min_max(present).as_py()
        except pa.ArrowNotImplementedError:
            return ANYTHING
        known = within(column, bounds["min"], bounds["max"])
    return any_of(known, null) if fits_arrow(known) else ANYTHING

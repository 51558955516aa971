"""The rows of a table that a merge may match: those with a key that is brought in.

What is brought in are few rows as a rule. Only the keys of the others are read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.format.predicate import Predicate
from quacklake.format.types import INTEGERS, TIMESTAMPS, Column, Decimal, Kind, LakeType, Scalar

_ALIKE: Final = (
    INTEGERS - {Kind.UINT128, Kind.INT128}
    | TIMESTAMPS
    | {Kind.BOOLEAN, Kind.DATE, Kind.TIME, Kind.VARCHAR, Kind.BLOB, Kind.UUID}
)
"""Kinds whose values are equal to DuckDB if and only if they are to Arrow."""


@dataclass(frozen=True, slots=True)
class KeyFilter:
    """Lets every row through that can match, and with one key column no other.

    `values` are the keys brought in, by key column; `predicate` is what holds for all of them.
    """

    columns: tuple[Column, ...]
    predicate: Predicate
    values: tuple[pa.Array, ...]

    def mask(self, rows: pa.Table) -> pa.ChunkedArray:
        """True for wanted rows."""
        found = (
            pc.is_in(rows.column(key.name), value_set=values, skip_nulls=True)
            for key, values in zip(self.columns, self.values, strict=True)
        )
        return reduce(pc.and_, found)


def key_filter(
    keys: tuple[Column, ...], brought: pa.Table, predicate: Predicate
) -> KeyFilter | None:
    """The filter for rows that are `brought`; None if Arrow cannot tell which keys are equal."""
    chosen = tuple(key for key in keys if is_compared_alike(key.type))
    if not chosen:
        return None
    values = (pc.unique(brought.column(key.name)).drop_null() for key in chosen)
    return KeyFilter(chosen, predicate, tuple(values))


def is_compared_alike(lake_type: LakeType) -> bool:
    """Whether Arrow and DuckDB agree about which values are equal."""
    return isinstance(lake_type, Decimal) or (
        isinstance(lake_type, Scalar) and lake_type.kind in _ALIKE
    )

"""Two bags of rows, and what one has more of than the other."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.changefeed.weighted import consolidated
from quacklake.format.types import Column
from quacklake.ivm import WEIGHT_COLUMN


def difference(wanted: pa.Table, found: pa.Table, columns: tuple[Column, ...]) -> pa.Table:
    """What turns `found` into `wanted`: each different row once, with a weight that is not zero."""
    more, less = _weighted(wanted, 1), _weighted(found, -1)
    signed = [*more.cast(less.schema).to_batches(), *less.to_batches()]
    return consolidated(signed, columns, less.schema)


def _weighted(rows: pa.Table, weight: int) -> pa.Table:
    weights = pc.multiply(pa.scalar(weight, pa.int64()), pa.repeat(1, rows.num_rows))
    return rows.append_column(WEIGHT_COLUMN, weights)

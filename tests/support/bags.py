"""Whether two Arrow tables hold the same rows, each equally often.

As in `oracle`, rows are the same iff values are not distinct and have the same text.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa

from tests.support.oracle import judge

_SHOWN: Final = 5


def surplus(left: pa.Table, right: pa.Table) -> list[str]:
    """Rows that `left` holds more often than `right`, as text; a few of them."""
    sides = [_numbered(left), _numbered(right)]
    pairs = ", ".join(
        f"{name} AS v{name}, CAST({name} AS VARCHAR) AS t{name}" for name in sides[0].column_names
    )
    with judge() as con:
        con.register("left_rows", sides[0])
        con.register("right_rows", sides[1])
        query = (
            f"SELECT {pairs} FROM left_rows EXCEPT ALL SELECT {pairs} FROM right_rows"
            f" LIMIT {_SHOWN}"
        )
        return [str(row[1::2]) for row in con.execute(query).fetchall()]


def differences(left: pa.Table, right: pa.Table) -> list[str]:
    """What only one of the tables holds; empty if they are the same bag."""
    only_left = [f"only left {row}" for row in surplus(left, right)]
    return only_left + [f"only right {row}" for row in surplus(right, left)]


def repeated(weighted: pa.Table, *, sign: int) -> pa.Table:
    """The rows whose weight, the last column, has this sign, as often as it says."""
    weights = weighted.column(weighted.num_columns - 1).to_numpy()
    counts = np.maximum(weights * sign, 0)
    rows = weighted.select(range(weighted.num_columns - 1))
    return rows.take(pa.array(np.repeat(np.arange(len(counts)), counts)))


def _numbered(table: pa.Table) -> pa.Table:
    return table.rename_columns([f"c{place}" for place in range(table.num_columns)])

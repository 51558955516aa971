"""Some rows of a table: whichever way copies least, they are the rows that were asked for."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from quacklake.storage.selection import selected


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 9_000)), max_size=6))
def test_runs_of_any_length_are_kept_or_left_out(runs: list[tuple[bool, int]]) -> None:
    keep = np.concatenate([np.full(n, kept) for kept, n in runs] or [np.zeros(0, dtype=np.bool_)])
    table = pa.table({"n": np.arange(keep.size), "m": np.arange(keep.size) % 7})

    found = selected(table, keep)

    assert found.schema == table.schema
    assert found.column("n").to_pylist() == np.flatnonzero(keep).tolist()


def test_no_row_at_all_is_kept() -> None:
    table = pa.table({"n": [1, 2, 3]})
    assert selected(table, np.zeros(3, dtype=np.bool_)) == table.slice(0, 0)

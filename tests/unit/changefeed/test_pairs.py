"""Which rows that came and went are two sides of an update."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quacklake.changefeed.pairs import NO_UPDATES, Keys, joined, updates

PAIRS = st.lists(st.tuples(st.integers(1, 4), st.integers(-1, 4)), max_size=12)


def keys(*pairs: tuple[int, int]) -> Keys:
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Keys(table[:, 0], table[:, 1])


def test_an_update_needs_the_same_row_in_the_same_snapshot():
    found = updates(keys((5, 1), (5, 2), (6, 3)), keys((5, 1), (6, 2), (7, 3)))

    assert found.among(keys((5, 1), (5, 2), (6, 2), (6, 3), (7, 3))).tolist() == [True] + 4 * [
        False
    ]


def test_rows_without_an_id_are_never_updated():
    found = updates(keys((5, -1)), keys((5, -1)))

    assert found.among(keys((5, -1))).tolist() == [False]


def test_without_updates_nothing_belongs_to_one():
    assert NO_UPDATES.among(keys((1, 1), (2, 2))).tolist() == [False, False]
    assert NO_UPDATES.among(joined(())).tolist() == []


@given(PAIRS, PAIRS)
def test_a_key_belongs_to_an_update_iff_both_sides_have_it(came, went):
    found = updates(keys(*came), keys(*went))

    expected = [pair in came and pair in went and pair[1] >= 0 for pair in [*came, *went]]
    assert found.among(keys(*came, *went)).tolist() == expected

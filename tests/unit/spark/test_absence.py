"""The bitmap that several files share: which rows of which file are gone."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quacklake.engine.spark.absence import Gone, shared_bitmap, telling_apart

PLACES = st.sets(st.integers(0, 500), min_size=1, max_size=40)


@given(st.dictionaries(st.integers(1, 2**40), PLACES, min_size=1, max_size=20))
def test_every_file_finds_its_own_rows(files: dict[int, set[int]]) -> None:
    gone = [Gone(str(n), n, 400, np.array(sorted(places))) for n, places in files.items()]
    sizes = list(files)
    mask = telling_apart(sizes)
    if mask is None:
        return
    bitmap = shared_bitmap(sizes, mask, [file.words() for file in gone])
    for size, places in files.items():
        start = int(bitmap[size & mask])
        words = [int(bitmap[start + place // 64]) for place in range(501) if place // 64 < 7]
        found = {place for place, word in enumerate(words) if word >> (place % 64) & 1}
        assert found == {place for place in places if place // 64 < 7}


def test_sizes_that_only_high_bits_tell_apart_get_no_large_table() -> None:
    assert telling_apart([2**30, 2**31]) is None
    assert telling_apart([5, 5]) is None
    assert telling_apart([5]) == 0

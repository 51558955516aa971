"""Timestamps as SQLite catalogs keep them."""

from __future__ import annotations

import pytest

from quacklake.catalog.backends.sqlite import micros_of

SAME = 1_794_767_565_452_660


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-15 18:32:45.45266+00",
        "2026-11-15 18:32:45.452660+00:00",
        "2026-11-15T18:32:45.45266Z",
        "2026-11-15 18:32:45.452660",
        "2026-11-15 18:32:45.452660000+00",
        "2026-11-15 20:32:45.45266+02",
        "2026-11-15 13:02:45.45266-05:30",
    ],
)
def test_every_spelling_of_an_instant_is_the_same_instant(text):
    assert micros_of(text) == SAME


@pytest.mark.parametrize("text", [None, "", "yesterday", 5, "2026-13-01 00:00:00"])
def test_what_is_no_instant_is_null(text):
    assert micros_of(text) is None


def test_before_1970_counts_down():
    assert micros_of("1969-12-31 23:59:59.5+00") == -500_000

"""A box around geometries is never too small, whatever it is rounded to or joined with."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from quacklake.format.extent import extent_of, joined_extents

COORDINATES = st.floats(-1e9, 1e9, allow_nan=False)


def text_of(low: float, high: float) -> str:
    extent = extent_of([{"xmin": low, "xmax": high, "ymin": 0.0, "ymax": 0.0}], [1])
    assert extent is not None
    return extent.text()


def test_an_extent_is_spelled_as_the_extension_does() -> None:
    assert text_of(1.5, 2) == (
        '{"bbox": {"xmin": 1.500000, "xmax": 2.000000, "ymin": 0.000000, "ymax": 0.000000, '
        '"zmin": null, "zmax": null, "mmin": null, "mmax": null}, "types": ["point"]}'
    )


def test_kinds_are_named_with_their_dimensions() -> None:
    extent = extent_of([], [7, 1, 1002, 2004, 3006])

    assert extent is not None
    assert json.loads(extent.text())["types"] == [
        "geometrycollection",
        "linestring_z",
        "multipoint_m",
        "multipolygon_zm",
        "point",
    ]


@given(COORDINATES, COORDINATES)
def test_rounding_goes_outwards(one: float, other: float) -> None:
    low, high = sorted((one, other))

    box = json.loads(text_of(low, high))["bbox"]

    assert box["xmin"] <= low
    assert box["xmax"] >= high


@given(COORDINATES, COORDINATES)
def test_joined_extents_hold_both(one: float, other: float) -> None:
    joined = joined_extents(text_of(one, one), text_of(other, other))

    assert joined is not None
    box = json.loads(joined)["bbox"]
    assert box["xmin"] <= min(one, other)
    assert box["xmax"] >= max(one, other)
    assert box["zmin"] is None


def test_an_unknown_extent_makes_the_joined_one_unknown() -> None:
    assert joined_extents(None, text_of(1, 2)) is None
    assert joined_extents("not json", text_of(1, 2)) is None


def test_a_box_without_end_is_unknown() -> None:
    assert extent_of([{"xmin": float("-inf"), "xmax": 0.0}], [1]) is None

"""The names of a feed's columns."""

from __future__ import annotations

from quacklake.changefeed.columns import change_columns, schema_of, weighted_columns
from quacklake.format.types import Column, Kind, Scalar


def columns(*names: str) -> list[Column]:
    return [Column(place, name, Scalar(Kind.INT32)) for place, name in enumerate(names, 1)]


def test_the_feed_says_when_which_and_what_before_the_row():
    assert schema_of(change_columns(columns("a", "b"))).names == [
        "snapshot_id", "rowid", "change_type", "a", "b",
    ]  # fmt: skip


def test_weights_stand_behind_the_row():
    assert schema_of(weighted_columns(columns("a", "b"))).names == ["a", "b", "weight"]


def test_columns_of_the_table_yield_their_names():
    names = columns("rowid", "ROWID_1", "Change_Type", "weight")

    assert [column.name for column in change_columns(names)][3:] == [
        "rowid_1", "ROWID_1_1", "Change_Type_1", "weight",
    ]  # fmt: skip
    assert [column.name for column in weighted_columns(names)][-2:] == ["weight_1", "weight"]

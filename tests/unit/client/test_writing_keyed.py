"""The filter of a merge lets every row through that can match."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

from quacklake.client.writing.keyed import key_filter
from quacklake.format.predicate import ANYTHING
from quacklake.format.types import Column, Kind, List, Scalar
from quacklake.kernel.ids import ColumnId

ID = Column(ColumnId(1), "id", Scalar(Kind.INT64))
NAME = Column(ColumnId(2), "name", Scalar(Kind.VARCHAR))
SIZE = Column(ColumnId(3), "size", Scalar(Kind.FLOAT64))
TAGS = Column(ColumnId(4), "tags", List(NAME))
BROUGHT = pa.table({"id": [1, 2, 2, None], "name": ["a", "b", "b", "c"], "size": [0.0] * 4})
ROWS = pa.table({"id": [1, 2, 3, None], "name": ["a", "a", "b", "c"], "size": [-0.0] * 4})


def test_one_key_lets_its_rows_through_and_no_others():
    made = key_filter((ID,), BROUGHT, ANYTHING)

    assert made is not None
    assert made.mask(ROWS).to_pylist() == [True, True, False, False]


def test_of_several_keys_each_must_be_among_those_brought_in():
    made = key_filter((ID, NAME), BROUGHT, ANYTHING)

    assert made is not None
    assert made.mask(ROWS).to_pylist() == [True, True, False, False]
    assert made.mask(ROWS.slice(0, 0)).to_pylist() == []


def test_a_key_that_arrow_compares_in_another_way_is_left_to_duckdb():
    made = key_filter((ID, SIZE), BROUGHT, ANYTHING)

    assert made is not None
    assert made.columns == (ID,)


@pytest.mark.parametrize("key", [SIZE, TAGS])
def test_without_a_key_that_arrow_can_compare_there_is_no_filter(key):
    assert key_filter((key,), BROUGHT, ANYTHING) is None


def test_the_filter_travels_to_other_processes():
    made = key_filter((ID,), BROUGHT, ANYTHING)

    again = pickle.loads(pickle.dumps(made))

    assert again.mask(ROWS).to_pylist() == [True, True, False, False]

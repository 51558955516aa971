"""What Spark's reader is told of long lists of keys lets every wanted row through."""

from __future__ import annotations

import pyarrow as pa
import pytest

from quacklake.engine.spark.predicates import roughly
from quacklake.format.predicate import ANYTHING, IsNull, OneOf, all_of, any_of
from quacklake.format.types import Column, Kind, Scalar
from quacklake.kernel.ids import ColumnId
from quacklake.scan.masks import PredicateFilter

X = Column(ColumnId(1), "x", Scalar(Kind.INT64))
NAME = Column(ColumnId(2), "name", Scalar(Kind.VARCHAR))
RATIO = Column(ColumnId(3), "ratio", Scalar(Kind.FLOAT64))

MANY = tuple(range(0, 1_000, 7))
NAMES = tuple(f"n{number}" for number in MANY)


@pytest.mark.parametrize(
    "predicate",
    [
        OneOf(X, MANY),
        any_of(OneOf(X, MANY), IsNull(X)),
        all_of(OneOf(X, MANY), OneOf(NAME, NAMES)),
    ],
)
def test_a_long_list_becomes_its_bounds_and_loses_no_row(predicate):
    rows = pa.table(
        {"x": [None, *range(-5, 1_005)], "name": ["a", *(f"n{n}" for n in range(-5, 1_005))]}
    )

    exact = PredicateFilter((X, NAME), predicate).mask(rows).to_pylist()
    rough = PredicateFilter((X, NAME), roughly(predicate)).mask(rows).to_pylist()

    assert sum(exact) > 100
    assert all(wide or not narrow for narrow, wide in zip(exact, rough, strict=True))
    assert not all(rough)


def test_short_lists_stay_and_floats_have_no_bounds():
    assert roughly(OneOf(X, (1, 2, 3))) == OneOf(X, (1, 2, 3))
    assert roughly(OneOf(RATIO, tuple(map(float, MANY)))) == ANYTHING

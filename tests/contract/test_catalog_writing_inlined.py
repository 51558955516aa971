"""Rows and deletes that we leave in the catalog, read by us and by DuckDB."""

from __future__ import annotations

import pyarrow as pa
import pytest

from quacklake.catalog import Backend, inlinable, inlinable_rows, open_catalog
from quacklake.catalog.mutations import (
    DropInlined,
    DropInlinedDeletes,
    EndInlined,
    Insert,
    InsertInlinedDeletes,
    RemoveInlined,
    RemoveInlinedDeletes,
    Update,
)
from quacklake.format.snapshot import AtVersion, Latest
from quacklake.format.table import TableName
from quacklake.format.types import Column, Kind, List, Map, Scalar, Struct
from quacklake.kernel.errors import Unsupported
from quacklake.kernel.ids import SnapshotId, TableId
from tests.support.commits import commit, head_of, inlined, inlined_table, rows_in
from tests.support.inlined_values import (
    DECIMALS,
    SCALARS,
    column,
    field,
    numbered,
    rows_of,
    shown,
    texts_of,
)

INT = Scalar(Kind.INT32)
TEXT = Scalar(Kind.VARCHAR)
T = TableName("main", "t")


def opened(place):
    return open_catalog(place.location, data_path=place.data_path)


def scalars(backend):
    kinds = [Scalar(kind) for kind in SCALARS]
    types = [each for each in (*kinds, *DECIMALS) if inlinable([column("c", each)], backend)]
    return numbered([field(f"c{i}", each) for i, each in enumerate(types)])


def nested(backend):
    leaves = [each.type for each in scalars(backend) if each.type != Scalar(Kind.JSON)]
    lists = [List(field("element", each)) for each in leaves]
    structs = [
        Struct((field("a", leaves[i]), field("two words", leaves[i - 1])))
        for i in range(0, len(leaves), 2)
    ]
    maps = [Map(field("key", TEXT), field("value", each)) for each in leaves]
    return numbered([field(f"n{i}", each) for i, each in enumerate((*lists, *structs, *maps))])


@pytest.mark.parametrize("shape", [scalars, nested])
def test_values_of_every_type_are_read_back_by_us_and_by_duckdb(lakes, shape):
    columns, place = shape(lakes.backend), lakes.place()
    rows = rows_of(columns)
    assert inlinable(columns, lakes.backend)
    assert inlinable_rows(rows, columns, lakes.backend)

    with opened(place) as catalog:
        inlined_table(catalog, columns, rows)
        with catalog.read() as reader:
            head = reader.snapshot(Latest())
            (found,) = reader.inlined_rows(reader.table(T, head), head)
    with place.referee() as referee:
        theirs = referee.rows(f"SELECT {shown(columns)} FROM t ORDER BY rowid")

    expected = texts_of(rows, columns)
    ours = texts_of(found.rows.select(range(2, 2 + len(columns))), columns)
    assert found.rows["row_id"].to_pylist() == list(range(rows.num_rows))
    for i, each in enumerate(columns):
        assert [row[i] for row in ours] == [row[i] for row in expected], each
        assert [row[i] for row in theirs] == [row[i] for row in expected], each

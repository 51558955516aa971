"""Values in the cells of a catalog are read back as they were, or refused."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from quacklake.catalog import Backend, inlinable_rows
from quacklake.catalog.encode import cells
from quacklake.catalog.textual import decoded
from quacklake.format import casting
from quacklake.format.arrow import arrow_type
from quacklake.format.sqltypes import sql_type
from quacklake.format.types import (
    Column,
    Kind,
    LakeType,
    List,
    Map,
    Scalar,
    Struct,
    parse_leaf_type,
)
from tests.support.inlined_values import field, numbered, texts_of
from tests.support.shapes import Leaf, ListOf, MapOf, Shape, StructOf, literals, shapes

KINDS: Final = {sql_type(Scalar(kind)): Scalar(kind) for kind in Kind} | {
    "TIMETZ": Scalar(Kind.TIMETZ),
    "TIMESTAMPTZ": Scalar(Kind.TIMESTAMPTZ),
}
NOT_KEPT: Final = (Leaf("VARIANT"), Leaf("GEOMETRY"))
NAMES: Final = st.sampled_from(["a", "B", "two words", "it's", "k:v", "]", "{", "größe", "\\"])


def lake_type(shape: Shape) -> LakeType:
    match shape:
        case Leaf(sql):
            return KINDS.get(sql) or parse_leaf_type(sql)
        case ListOf(element):
            return List(field("element", lake_type(element)))
        case StructOf(fields):
            return Struct(tuple(field(name, lake_type(inner)) for name, inner in fields))
        case MapOf(key, value):
            return Map(field("key", lake_type(key)), field("value", lake_type(value)))


@st.composite
def tables(draw: st.DrawFn) -> tuple[tuple[Column, ...], pa.Table]:
    shape = draw(shapes(NAMES, text_inlined=False).filter(lambda each: each not in NOT_KEPT))
    columns = numbered([field("c", lake_type(shape))])
    values = draw(st.lists(literals(shape), min_size=1, max_size=3))
    spelled = ", ".join(f"(CAST({value} AS {sql_type(columns[0].type)}))" for value in values)
    carried = casting.carried("c", columns[0].type)
    sql = f"SELECT {carried} AS c FROM (VALUES {spelled}) AS v(c)"
    array = casting.session().sql(sql).to_arrow_table().column("c")
    return columns, pa.table([casting.in_type(array, arrow_type(columns[0].type))], names=["c"])


@settings(max_examples=60, deadline=None)
@given(tables())
def test_what_is_not_refused_is_read_back(drawn):
    columns, rows = drawn
    if not inlinable_rows(rows, columns, Backend.SQLITE):
        return

    stored = cells(rows.columns, columns, Backend.SQLITE)

    found = decoded([(i, 1, cell) for i, cell in enumerate(stored[0])], columns)
    assert texts_of(found.select([2]), columns) == texts_of(rows, columns)
    again = casting.cast(_as_duckdb_reads(stored[0], columns[0].type), columns[0].type)
    assert texts_of(pa.table([again], names=["c"]), columns) == texts_of(rows, columns)


def _as_duckdb_reads(values, kind):
    if kind == Scalar(Kind.BLOB):
        return pa.array(values, pa.binary())
    return pa.array([None if value is None else str(value) for value in values], pa.string())

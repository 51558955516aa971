"""The ways a user gets rows out of a lake, each compared with the extension's answer.

Frames are turned back into Arrow by the mapping that `client.frames` documents. pandas holds
NULL as NaN in floating-point columns, so there the two count as one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import quacklake as ql
from quacklake.format.sqltypes import quoted
from tests.support.oracle import Answer, arrow_schema_of, relation_disagreements
from tests.support.teller import Reading
from tests.support.workshop import MadeLake

Check: TypeAlias = Callable[[ql.Lake, MadeLake, Reading], tuple[str, ...]]


def name_of(reading: Reading) -> str:
    """The table of a reading, as users write it."""
    return f"{quoted(reading.schema)}.{quoted(reading.table)}"


def _answer(reading: Reading) -> Answer:
    assert reading.answer is not None, reading.complaint
    return reading.answer


def _scan(lake: ql.Lake, reading: Reading) -> ql.Scan:
    at = reading.snapshot
    return lake.table(name_of(reading), snapshot=at).scan(snapshot=at)


def _to_arrow(lake: ql.Lake, made: MadeLake, reading: Reading) -> tuple[str, ...]:
    return made.disagreements(_answer(reading), _scan(lake, reading).to_arrow())


def _to_batches(lake: ql.Lake, made: MadeLake, reading: Reading) -> tuple[str, ...]:
    schema = arrow_schema_of(made.referee, _answer(reading))
    batches = list(_scan(lake, reading).to_batches())
    table = pa.Table.from_batches(batches, None if batches else schema)
    return made.disagreements(_answer(reading), table)


def _to_pandas(lake: ql.Lake, made: MadeLake, reading: Reading) -> tuple[str, ...]:
    frame = _scan(lake, reading).to_pandas()
    schema = arrow_schema_of(made.referee, _answer(reading))
    columns = [_from_pandas(frame[field.name], field.type) for field in schema]
    ours = pa.table(columns, names=list(frame.columns))
    return made.disagreements(_answer(reading), ours, nan_is_null=True)


def _from_pandas(series: pd.Series[Any], wanted: pa.DataType) -> pa.Array:
    if pa.types.is_date(wanted) or pa.types.is_timestamp(wanted):
        return pa.Array.from_pandas(series).cast(wanted)
    if pa.types.is_nested(wanted):
        return pa.array([_python(value, wanted) for value in series], wanted)
    return pa.Array.from_pandas(series, type=wanted)


def _python(value: Any, wanted: pa.DataType) -> Any:
    """A nested pandas value as plain objects, its dates without the hours pandas gives them."""
    if value is None:
        return None
    if pa.types.is_struct(wanted):
        return {field.name: _python(value[field.name], field.type) for field in wanted}
    if pa.types.is_map(wanted):
        return [(key, _python(item, wanted.item_type)) for key, item in value]
    if pa.types.is_list(wanted):
        return [_python(item, wanted.value_type) for item in value]
    return np.datetime64(value, "D").item() if pa.types.is_date(wanted) else value


def _to_polars(lake: ql.Lake, made: MadeLake, reading: Reading) -> tuple[str, ...]:
    frame = _scan(lake, reading).to_polars()
    # Polars exports its 128-bit integers in a way that only Polars knows.
    table = frame.with_columns(pl.col(pl.Int128).cast(pl.String)).to_arrow()
    schema = arrow_schema_of(made.referee, _answer(reading))
    columns = [
        _from_polars(table.column(field.name).combine_chunks(), field.type) for field in schema
    ]
    return made.disagreements(_answer(reading), pa.table(columns, names=table.column_names))


def _from_polars(array: pa.Array, wanted: pa.DataType) -> pa.Array:
    """`array` in the type it had before Polars, which has no maps and no intervals."""
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.chunks else pa.array([], array.type)
    if pa.types.is_interval(wanted):
        parts = [None if p is None else tuple(p.values()) for p in array.to_pylist()]
        return pa.array(parts, wanted)
    mask = array.is_null()
    if pa.types.is_struct(wanted):
        children = [_from_polars(array.field(i), f.type) for i, f in enumerate(wanted)]
        return pa.StructArray.from_arrays(children, fields=list(wanted), mask=mask)
    if pa.types.is_map(wanted):
        keys = _from_polars(array.keys, wanted.key_type)
        items = _from_polars(array.items, wanted.item_type)
        offsets = array.offsets.cast(pa.int32())
        return pa.MapArray.from_arrays(offsets, keys, items, type=wanted, mask=mask)
    if pa.types.is_list(wanted):
        values = _from_polars(array.values, wanted.value_type)
        offsets = array.offsets.cast(pa.int32())
        return pa.ListArray.from_arrays(offsets, values, type=wanted, mask=mask)
    return array.cast(wanted)


def _to_duckdb(lake: ql.Lake, made: MadeLake, reading: Reading) -> tuple[str, ...]:
    with duckdb.connect() as con:
        con.execute("SET TimeZone = 'UTC'")
        relation = _scan(lake, reading).to_duckdb(con)
        return relation_disagreements(made.referee, _answer(reading), relation)


def _sql(lake: ql.Lake, made: MadeLake, reading: Reading) -> tuple[str, ...]:
    query = f"SELECT * FROM {name_of(reading)} AT (VERSION => {reading.snapshot})"
    return made.disagreements(_answer(reading), lake.sql(query).to_arrow())


READ_PATHS: Final[dict[str, Check]] = {
    "to_arrow": _to_arrow,
    "to_batches": _to_batches,
    "to_pandas": _to_pandas,
    "to_polars": _to_polars,
    "to_duckdb": _to_duckdb,
    "sql": _sql,
}
"""Every way to read, with how it is checked."""

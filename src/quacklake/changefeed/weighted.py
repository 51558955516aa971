"""Changes summed up: each different row once, with how many more of it there are.

Law: the rows at the end are the rows at the start plus these weights. Two rows are the same
only if every value is: NULL is NULL, NaN is NaN, but minus zero is not zero, thirty days are
not a month, and a map in another order is another map.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from quacklake.changefeed.columns import schema_of, weighted_columns
from quacklake.changefeed.plan import ChangePlan
from quacklake.changefeed.reading import read_signed
from quacklake.changefeed.reads import Meter
from quacklake.format import casting
from quacklake.format.types import FLOATS, Column, Kind, LakeType, List, Map, Scalar, Struct
from quacklake.storage.filesystem import Storage


def read_weighted(
    plan: ChangePlan, storage: Storage, *, meter: Meter | None = None, threads: int | None = None
) -> pa.Table:
    """The changes of `plan` as rows with weights, none of them zero."""
    schema = schema_of(weighted_columns(plan.columns))
    signed = read_signed(plan, storage, meter=meter, threads=threads)
    first = next(signed, None)
    if first is None:
        return schema.empty_table()
    return consolidated(_chained(first, signed), plan.columns, schema)


def _chained(first: pa.RecordBatch, rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from rest


def consolidated(
    signed: Iterable[pa.RecordBatch], columns: Sequence[Column], schema: pa.Schema
) -> pa.Table:
    """Rows with weights, the last column, summed over equal rows; zeroes are left out."""
    names = [f"c{place}" for place in range(len(columns))]
    numbered = pa.schema([*map(pa.field, names, schema.types), pa.field("w", pa.int64())])
    source = pa.RecordBatchReader.from_batches(
        numbered, (pa.RecordBatch.from_arrays(batch.columns, schema=numbered) for batch in signed)
    )
    keys = [*names, *(_detail(n, c.type) for n, c in zip(names, columns, strict=True))]
    total = "CAST(sum(w) AS BIGINT)"
    summed = (
        casting.session()
        .from_arrow(source)
        .aggregate(f"{', '.join(names)}, {total} AS w", ", ".join(key for key in keys if key))
    )
    table = summed.filter("w <> 0").to_arrow_table()
    found = zip(table.columns, schema, strict=True)
    return pa.table([casting.in_type(each, field.type) for each, field in found], schema=schema)


def _detail(name: str, lake_type: LakeType) -> str:
    """What tells two values apart that DuckDB takes for equal; empty if there are none."""
    if isinstance(lake_type, Scalar) and lake_type.kind in FLOATS:
        return f"signbit({name}) AND NOT isnan({name})"
    return f"CAST({name} AS VARCHAR)" if _has_lookalikes(lake_type) else ""


def _has_lookalikes(lake_type: LakeType) -> bool:
    match lake_type:
        case Scalar(kind):
            return kind in FLOATS or kind is Kind.INTERVAL
        case List(element):
            return _has_lookalikes(element.type)
        case Struct(fields):
            return any(_has_lookalikes(field.type) for field in fields)
        case Map():
            return True
        case _:
            return False

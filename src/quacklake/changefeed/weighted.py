"""Changes summed up: each different row once, with how many more of it there are.

Law: the rows at the end are the rows at the start plus these weights. Two rows are the same
only if every value is: NULL is NULL, NaN is NaN, but minus zero is not zero, thirty days are
not a month, and a map in another order is another map.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import duckdb
import pyarrow as pa

from quacklake.changefeed.columns import schema_of, weighted_columns
from quacklake.changefeed.plan import ChangePlan
from quacklake.changefeed.reading import read_signed
from quacklake.format import casting
from quacklake.format.types import FLOATS, Column, Kind, LakeType, List, Map, Scalar, Struct
from quacklake.kernel.errors import QuacklakeError
from quacklake.scan.reads import Meter
from quacklake.storage.filesystem import Storage


def read_weighted(
    plan: ChangePlan,
    storage: Storage,
    *,
    row_ids: bool = False,
    meter: Meter | None = None,
    threads: int | None = None,
) -> pa.Table:
    """The changes of `plan` as rows with weights, none of them zero.

    With `row_ids` rows are told apart by their ids too, which stand before the weights.
    """
    columns = weighted_columns(plan.columns, row_ids=row_ids)
    schema = schema_of(columns)
    signed = read_signed(plan, storage, row_ids=row_ids, meter=meter, threads=threads)
    first = next(signed, None)
    if first is None:
        return schema.empty_table()
    return consolidated(chain((first,), signed), columns[:-1], schema)


def consolidated(
    signed: Iterable[pa.RecordBatch], columns: Sequence[Column], schema: pa.Schema
) -> pa.Table:
    """Rows with weights, the last column, summed over equal rows; zeroes are left out."""
    names = [f"c{place}" for place in range(len(columns))]
    details = (_detail(name, column.type) for name, column in zip(names, columns, strict=True))
    source = _Source(signed, pa.schema([*map(pa.field, names, schema.types), ("w", pa.int64())]))
    try:
        summed = (
            casting.session()
            .from_arrow(source.reader())
            .aggregate(
                f"{', '.join(names)}, CAST(sum(w) AS BIGINT) AS w",
                ", ".join([*names, *filter(None, details)]),
            )
            .filter("w <> 0")
            .to_arrow_table()
        )
    except duckdb.Error:
        if source.trouble is None:
            raise
        raise source.trouble from source.trouble.__cause__
    found = zip(summed.columns, schema, strict=True)
    return pa.table([casting.in_type(each, field.type) for each, field in found], schema=schema)


class _Source:
    """Batches on their way into DuckDB, which keeps of an error only its text."""

    def __init__(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> None:
        self._batches = batches
        self._schema = schema
        self.trouble: QuacklakeError | None = None

    def reader(self) -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_batches(self._schema, self._renamed())

    def _renamed(self) -> Iterator[pa.RecordBatch]:
        try:
            for batch in self._batches:
                yield pa.RecordBatch.from_arrays(batch.columns, schema=self._schema)
        except QuacklakeError as error:
            self.trouble = error
            raise


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

"""Arrow results as the frames of other libraries, and what each cannot represent.

pandas: dates and timestamps become `datetime64`, which holds years a Python date cannot;
integers among NULLs become pandas' nullable integers, because NaN would cost them digits.
Polars: an int128 becomes `Int128`, an interval a struct of months, days and nanoseconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from quacklake.kernel.errors import Unsupported

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


_NULLABLE: Final = {
    pa.int8(): "Int8",
    pa.int16(): "Int16",
    pa.int32(): "Int32",
    pa.int64(): "Int64",
    pa.uint8(): "UInt8",
    pa.uint16(): "UInt16",
    pa.uint32(): "UInt32",
    pa.uint64(): "UInt64",
}


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """The rows as a pandas DataFrame."""
    try:
        import pandas as pd
    except ImportError as error:
        raise Unsupported(
            "pandas is not installed", hint="install it with: pip install 'quacklake[pandas]'"
        ) from error
    exact = {
        name: column.to_pandas(
            types_mapper=lambda found: pd.api.types.pandas_dtype(_NULLABLE[found])
        )
        for name, column in zip(table.column_names, table.columns, strict=True)
        if column.null_count and column.type in _NULLABLE
    }
    frame: pd.DataFrame = table.drop_columns(list(exact)).to_pandas(
        date_as_object=False, integer_object_nulls=True, ignore_metadata=True
    )
    for name, column in exact.items():
        frame.insert(table.column_names.index(name), name, column)
    return frame


def to_polars(table: pa.Table, *, int128: Iterable[str] = ()) -> pl.DataFrame:
    """The rows as a Polars DataFrame; columns named by `int128` become Int128."""
    try:
        import polars as pl
    except ImportError as error:
        raise Unsupported(
            "polars is not installed", hint="install it with: pip install 'quacklake[polars]'"
        ) from error
    columns = [without_intervals(column) for column in table.columns]
    frame = pl.DataFrame(pa.table(columns, names=table.column_names))
    return frame.with_columns(pl.col(name).to_physical() for name in int128)


def without_intervals(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """`column` with every interval, nested ones too, as a struct of its three parts."""
    wanted = _type_without_intervals(column.type)
    if wanted == column.type:
        return column
    chunks = [_array_without_intervals(chunk) for chunk in column.chunks]
    return pa.chunked_array(chunks, type=wanted)


_PARTS = pa.struct([("months", pa.int32()), ("days", pa.int32()), ("nanoseconds", pa.int64())])
_BYTES = np.dtype([("months", "<i4"), ("days", "<i4"), ("nanoseconds", "<i8")])


def _type_without_intervals(found: pa.DataType) -> pa.DataType:
    if pa.types.is_interval(found):
        return _PARTS
    if pa.types.is_list(found):
        return pa.list_(_field_without_intervals(found.value_field))
    if pa.types.is_map(found):
        return pa.map_(found.key_type, _type_without_intervals(found.item_type))
    if pa.types.is_struct(found):
        return pa.struct([_field_without_intervals(field) for field in found.fields])
    return found


def _field_without_intervals(field: pa.Field) -> pa.Field:
    return field.with_type(_type_without_intervals(field.type))


def _array_without_intervals(array: pa.Array) -> pa.Array:
    wanted = _type_without_intervals(array.type)
    if wanted == array.type:
        return array
    mask = array.is_null() if array.null_count else None
    if pa.types.is_interval(array.type):
        raw = np.frombuffer(array.buffers()[1], _BYTES)[array.offset : array.offset + len(array)]
        parts = [pa.array(np.ascontiguousarray(raw[name])) for name in _BYTES.names or ()]
        return pa.StructArray.from_arrays(parts, fields=list(wanted), mask=mask)
    if pa.types.is_struct(array.type):
        children = [_array_without_intervals(array.field(i)) for i in range(array.type.num_fields)]
        return pa.StructArray.from_arrays(children, fields=list(wanted), mask=mask)
    whole = array if array.offset == 0 else pa.concat_arrays([array, array[:0]])
    if pa.types.is_map(array.type):
        items = _array_without_intervals(whole.items)
        return pa.MapArray.from_arrays(whole.offsets, whole.keys, items, type=wanted, mask=mask)
    values = _array_without_intervals(whole.values)
    return pa.ListArray.from_arrays(whole.offsets, values, type=wanted, mask=mask)

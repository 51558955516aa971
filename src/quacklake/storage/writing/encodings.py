"""How the values of each leaf are encoded, decided by a look at a file's first row group.

A dictionary of values that hardly repeat takes time and room, and Arrow would find out too
late: with the right ones left out, files are written in a third of the time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quacklake.format.types import FLOATS, INTEGERS, TIMESTAMPS, Column, Decimal, Kind, Scalar
from quacklake.storage.writing.visible import visible_leaves

_SAMPLE: Final = 8192
_REPETITIVE: Final = 0.5
"""Below this share of distinct values in a sample, a dictionary pays."""
_LONGEST_INTEGER: Final = 18


@dataclass(frozen=True, slots=True)
class Encodings:
    """The leaves with a dictionary, and the special encodings of others, both by path."""

    dictionaries: tuple[str, ...]
    special: tuple[tuple[str, str], ...] = ()


def encodings_of(
    columns: Sequence[Column],
    paths: Sequence[str],
    batches: Sequence[pa.RecordBatch],
    *,
    modern: bool,
) -> Encodings:
    """What suits rows like `batches`; `modern` readers know how to undo differences too."""
    leaves = [leaf for column in columns for leaf in column.leaves()]
    repetitive = [
        _is_repetitive(leaf, values)
        for leaf, values in zip(leaves, _samples(columns, batches), strict=True)
    ]
    dictionaries = [path for path, yes in zip(paths, repetitive, strict=True) if yes]
    special = [
        (path, encoding)
        for leaf, path, yes in zip(leaves, paths, repetitive, strict=True)
        if modern and not yes and (encoding := _special(leaf)) is not None
    ]
    return Encodings(tuple(dictionaries), tuple(special))


def _samples(columns: Sequence[Column], batches: Sequence[pa.RecordBatch]) -> Iterator[pa.Array]:
    """Some values of every leaf, from all over the rows."""
    count = sum(batch.num_rows for batch in batches)
    rows = None
    if count > _SAMPLE:
        # Not every n-th row: values may come round at the same pace.
        rows = np.sort(np.random.default_rng(count).integers(0, count, _SAMPLE))
    for i, column in enumerate(columns):
        chunks = pa.chunked_array([batch.column(i) for batch in batches])
        sample = chunks if rows is None else chunks.take(pa.array(rows))
        yield from visible_leaves(column.type, sample.combine_chunks())


def _is_repetitive(leaf: Column, values: pa.Array) -> bool:
    if leaf.type == Scalar(Kind.BOOLEAN) or pa.types.is_interval(values.type):
        return False
    valid = len(values) - values.null_count
    return valid > 0 and bool(pc.count_distinct(values).as_py() < valid * _REPETITIVE)


def _special(leaf: Column) -> str | None:
    match leaf.type:
        case Decimal(precision, _):
            return "DELTA_BINARY_PACKED" if precision <= _LONGEST_INTEGER else None
        case Scalar(kind) if kind in FLOATS:
            return "BYTE_STREAM_SPLIT"
        case Scalar(Kind.INT128 | Kind.UUID | Kind.BOOLEAN):
            return None
        case Scalar(Kind.UINT128 | Kind.TIMETZ | Kind.TIME_NS | Kind.INTERVAL):
            return "DELTA_LENGTH_BYTE_ARRAY"
        case Scalar(kind) if kind in INTEGERS | TIMESTAMPS | {Kind.DATE, Kind.TIME}:
            return "DELTA_BINARY_PACKED"
        case _:
            return "DELTA_LENGTH_BYTE_ARRAY"

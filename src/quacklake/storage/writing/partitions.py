"""Which partition every row belongs to, and the folders partitions are kept in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from urllib.parse import quote

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from quacklake.format import casting
from quacklake.format.partition import Bucket, Part, PartitionSpec, Transform
from quacklake.format.types import TIMESTAMPS, Column, Kind, List, Map, Scalar, Struct
from quacklake.kernel.errors import CorruptLake, Unsupported
from quacklake.storage.writing.hashing import buckets, integers
from quacklake.storage.writing.keytext import texts_of

Values: TypeAlias = tuple[str | None, ...]
Codes: TypeAlias = npt.NDArray[np.int64]

_NULL_FOLDER: Final = "__HIVE_DEFAULT_PARTITION__"
_LONGEST_NAME: Final = 255
_DAY: Final = 86_400
_PER_SECOND: Final = {
    Kind.TIMESTAMP_S: 1,
    Kind.TIMESTAMP_MS: 1_000,
    Kind.TIMESTAMP: 1_000_000,
    Kind.TIMESTAMPTZ: 1_000_000,
    Kind.TIMESTAMP_NS: 1_000_000_000,
    Kind.TIME: 1_000_000,
    Kind.TIME_NS: 1_000_000_000,
}
_ENDLESS: Final = {Kind.DATE: 2**31 - 1}


@dataclass(frozen=True, slots=True)
class Key:
    """A partition key with the column it looks at and where that is in a batch."""

    position: int
    column: Column
    transform: Transform


def keys_of(spec: PartitionSpec, columns: Sequence[Column]) -> tuple[Key, ...]:
    """The keys of a specification, in the order of their values."""
    found = {column.id: i for i, column in enumerate(columns)}
    keys = []
    for key in sorted(spec.keys, key=lambda each: each.index):
        if key.column not in found:
            raise CorruptLake(
                f"partition key {key.index} names column {key.column}, which is not in the table"
            )
        position = found[key.column]
        keys.append(Key(position, columns[position], key.transform))
    return tuple(keys)


def split(batch: pa.RecordBatch, keys: Sequence[Key]) -> Iterator[tuple[Values, pa.RecordBatch]]:
    """The rows of every partition in `batch`, in their order."""
    groups: Codes = np.zeros(batch.num_rows, np.int64)
    coded = [_coded(batch.column(key.position), key) for key in keys]
    for codes, texts in coded:
        # Renumbered after each key, so that the product of many keys cannot overflow.
        groups = np.unique(groups * len(texts) + codes, return_inverse=True)[1]
    _, first, counts = np.unique(groups, return_index=True, return_counts=True)
    values = [tuple(texts[codes[row]] for codes, texts in coded) for row in first]
    if len(values) == 1:
        yield values[0], batch
        return
    clustered = batch.take(pa.array(np.argsort(groups, kind="stable")))
    start = 0
    for each, count in zip(values, counts.tolist(), strict=True):
        yield each, clustered.slice(start, count)
        start += count


def _coded(array: pa.Array, key: Key) -> tuple[Codes, list[str | None]]:
    """A number for every row, and the partition value each number stands for."""
    if key.transform is Part.IDENTITY:
        return _identity(array, key.column)
    if isinstance(key.transform, Bucket):
        numbers = buckets(array, key.column.type, key.transform.count)
        valid = _validity(array)
    else:
        numbers, valid = _calendar(array, key.column, key.transform)
    distinct, codes = np.unique(numbers, return_inverse=True)
    texts: list[str | None] = [str(number) for number in distinct.tolist()]
    return np.where(valid, codes, len(texts)), [*texts, None]


def _validity(array: pa.Array) -> npt.NDArray[np.bool_]:
    valid: npt.NDArray[np.bool_] = array.is_valid().to_numpy(zero_copy_only=False)
    return valid


def _identity(array: pa.Array, column: Column) -> tuple[Codes, list[str | None]]:
    if isinstance(column.type, List | Struct | Map):
        raise Unsupported(
            f"column '{column.name}' cannot be a partition key: it is nested",
            hint="partition by a column of a plain type",
            column=column.name,
        )
    if pa.types.is_interval(array.type):
        # Arrow has no dictionaries of them; as text they are as good.
        array = pa.concat_arrays(casting.cast(array, Scalar(Kind.VARCHAR)).chunks)
    encoded = array.dictionary_encode()
    texts = texts_of(encoded.dictionary, column.type)
    codes = encoded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False)
    return codes.astype(np.int64), [*texts, None]


def _calendar(array: pa.Array, column: Column, part: Part) -> tuple[Codes, npt.NDArray[np.bool_]]:
    """A part of dates or times, in UTC, and where there is one: infinity has none."""
    kind = column.type.kind if isinstance(column.type, Scalar) else None
    is_time = kind in (Kind.TIME, Kind.TIME_NS)
    if kind is None or not (kind in TIMESTAMPS or kind is Kind.DATE or is_time):
        raise _no_calendar(column, part)
    raw = integers(array)
    valid = _validity(array)
    if not is_time:
        valid &= np.abs(raw) != _ENDLESS.get(kind, 2**63 - 1)
    seconds = raw * _DAY if kind is Kind.DATE else raw // _PER_SECOND[kind]
    if part is Part.HOUR:
        return seconds // 3600 if is_time else seconds % _DAY // 3600, valid
    if is_time:
        raise _no_calendar(column, part)
    return _date_part(seconds // _DAY, part), valid


def _date_part(days: Codes, part: Part) -> Codes:
    months = days.astype("M8[D]").astype("M8[M]")
    since_1970 = months.astype(np.int64)
    match part:
        case Part.YEAR:
            return since_1970 // 12 + 1970
        case Part.MONTH:
            return since_1970 % 12 + 1
        case _:
            return days - months.astype("M8[D]").astype(np.int64) + 1


def _no_calendar(column: Column, part: Part) -> Unsupported:
    return Unsupported(
        f"column '{column.name}' has no {part.value}",
        hint="partition by the calendar parts of dates and timestamps only",
        column=column.name,
    )


def folder_names(keys: Sequence[Key]) -> tuple[str, ...]:
    """What the folders of each key are called: by column or transform, made unique."""
    names: list[str] = []
    for key in keys:
        word = _word(key)
        names.append(word if word not in names else f"{word}_{key.column.name}")
    return tuple(names)


def _word(key: Key) -> str:
    if key.transform is Part.IDENTITY:
        return key.column.name
    return "bucket" if isinstance(key.transform, Bucket) else key.transform.value


def folders(names: Sequence[str], values: Values) -> tuple[str, ...]:
    """The folders of a partition, outermost first; none if one would be too long a name."""
    found = tuple(
        f"{quote(name, safe='')}={_NULL_FOLDER if value is None else quote(value, safe='')}"
        for name, value in zip(names, values, strict=True)
    )
    return found if all(len(folder) <= _LONGEST_NAME for folder in found) else ()

"""Partition specifications and their transforms.

Year, month, day and hour are calendar parts in UTC, not counts since an epoch. A bucket is
Murmur3 of DuckDB's own value encoding, which is not Iceberg's for decimals, uuids and
unsigned numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from quacklake.kernel.errors import CorruptLake
from quacklake.kernel.ids import ColumnId, PartitionId


class Part(StrEnum):
    """A transform without parameters, by its name in the catalog."""

    IDENTITY = "identity"
    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    HOUR = "hour"


@dataclass(frozen=True, slots=True)
class Bucket:
    """A hash of the value, modulo `count`."""

    count: int


Transform: TypeAlias = Part | Bucket


@dataclass(frozen=True, slots=True)
class PartitionKey:
    """One key of a specification, at its `index` among the values of a file."""

    index: int
    column: ColumnId
    transform: Transform


@dataclass(frozen=True, slots=True)
class PartitionSpec:
    """How files written while it was in force are split; without keys they are not."""

    id: PartitionId
    keys: tuple[PartitionKey, ...]


_BUCKET = re.compile(r"bucket\(\s*(\d+)\s*\)")


def parse_transform(text: str) -> Transform:
    """The transform a catalog names by `text`."""
    name = text.strip().lower()
    if match := _BUCKET.fullmatch(name):
        return Bucket(int(match[1]))
    try:
        return Part(name)
    except ValueError:
        raise CorruptLake(f"unknown partition transform '{text}' in the catalog") from None


def transform_name(transform: Transform) -> str:
    """The name the catalog stores for a transform."""
    if isinstance(transform, Bucket):
        return f"bucket({transform.count})"
    return transform.value

"""Partition values as text, as DuckDB writes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pyarrow as pa

from quacklake.format import casting
from quacklake.format.types import FLOATS, INTEGERS, TIMESTAMPS, Decimal, Kind, LakeType, Scalar
from quacklake.format.valuetext import date_text, float_text, moment_text
from quacklake.storage.writing.hashing import integers

_ENDLESS: Final = 2**63 - 1


def texts_of(array: pa.Array, lake_type: LakeType) -> list[str]:
    """The text of every value; there are no NULLs."""
    match lake_type:
        case Decimal():
            return [f"{value:f}" for value in array.to_pylist()]
        case Scalar(Kind.BOOLEAN):
            return ["true" if value else "false" for value in array.to_pylist()]
        case Scalar(kind) if kind in INTEGERS:
            return [str(value) for value in array.to_pylist()]
        case Scalar(kind) if kind in FLOATS:
            return [float_text(value, kind) for value in array.to_pylist()]
        case Scalar(Kind.DATE):
            return _each(array, date_text)
        case Scalar(Kind.TIMESTAMP_S):
            return _each(array, lambda value: moment_text(_micros(value), Kind.TIMESTAMP_S))
        case Scalar(kind) if kind in TIMESTAMPS or kind in (Kind.TIME, Kind.TIME_NS):
            return _each(array, lambda value: moment_text(value, kind))
        case _ if pa.types.is_string(array.type):
            return list(array.to_pylist())
        case _:
            return list(casting.cast(array, Scalar(Kind.VARCHAR)).to_pylist())


def _each(array: pa.Array, text: Callable[[int], str]) -> list[str]:
    return [text(value) for value in integers(array).tolist()]


def _micros(seconds: int) -> int:
    return seconds if abs(seconds) == _ENDLESS else seconds * 1_000_000

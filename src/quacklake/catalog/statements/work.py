"""What a mutation asks of the database: values that a writer carries out in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, TypeVar

import pyarrow as pa
from sqlalchemy.schema import CreateTable, DropTable
from sqlalchemy.sql import Executable, Select

STAGED: Final = "quacklake_staged"
"""The name under which a `Load` reads its rows."""
BATCH: Final = 1000
"""How many values a condition names at most: every database takes this many parameters."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, run once, or once for each set of parameters."""

    sql: Executable
    parameters: Sequence[dict[str, Any]] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Direct:
    """A statement in the words of DuckDB, with a mark for each parameter."""

    sql: str
    parameters: tuple[Any, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Load:
    """An Arrow table that a statement of DuckDB reads as `STAGED`."""

    sql: str
    rows: pa.Table = field(repr=False)


@dataclass(frozen=True, slots=True)
class Define:
    """A new table.

    Where tables are not made in transactions, a commit that failed may have left one of that
    name behind; it is replaced unless `in_use` finds a row.
    """

    create: CreateTable
    leftover: DropTable | None = None
    in_use: Select[Any] | None = None


@dataclass(frozen=True, slots=True)
class Ensure:
    """A question that must find a row, or the commit meets another one."""

    sql: Select[Any]


@dataclass(frozen=True, slots=True)
class Drop:
    """A table that nothing refers to any more."""

    drop: DropTable


Work: TypeAlias = Statement | Direct | Load | Define | Drop | Ensure


def batches(values: Sequence[_T], size: int = BATCH) -> Iterator[Sequence[_T]]:
    """`values` in pieces of at most `size`."""
    for start in range(0, len(values), size):
        yield values[start : start + size]

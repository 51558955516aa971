"""What the pipeline asks of an engine: rows of a view, and of its change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeAlias

import pyarrow as pa

from quacklake.client.ports import Planner
from quacklake.format.table import TableName
from quacklake.format.types import Column
from quacklake.ivm import Program
from quacklake.pipeline.settling import Applied
from quacklake.pipeline.sources import KeptQuery
from quacklake.pipeline.supply import Supply
from quacklake.scan.plan import ScanPlan


def _nothing_held() -> None:
    """Rows in this process go when nobody has them any more."""


class Held:
    """Rows that an engine may keep for us somewhere, until the end of a `with`."""

    __slots__ = ()
    release: Callable[[], None]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


@dataclass(frozen=True, slots=True)
class Part:
    """Rows that can be appended to a table, and the columns of a table for them.

    Row ids, which are no column of the table, are the last column of the rows.
    """

    rows: object
    columns: Mapping[str, str] | pa.Schema


@dataclass(frozen=True, slots=True)
class Filled(Held):
    """The whole rows of a view and of its states."""

    rows: Part
    states: Mapping[str, Part]
    release: Callable[[], None] = _nothing_held


class LargeChange(Protocol):
    """A change of more rows than this process should hold: who computed it applies it.

    It is applied once, and is the same rows however often it is asked, until what it came with
    is released. What fails stages nothing.
    """

    @property
    def count(self) -> int:
        """How many rows it has."""

    def collected(self) -> pa.Table:
        """The rows, in this process after all."""

    def apply(
        self,
        supply: Supply,
        name: TableName,
        *,
        key: Sequence[str] | None = None,
        row_ids: bool = False,
    ) -> Applied:
        """Stage the change of a stored table, as `apply_change` does."""


@dataclass(frozen=True, slots=True)
class Changed(Held):
    """The change of a view and of its states: their columns, and `__weight` last.

    Rows that have ids have them before it, in `__row_id`.
    """

    rows: pa.Table | LargeChange
    states: Mapping[str, pa.Table | LargeChange]
    release: Callable[[], None] = _nothing_held


@dataclass(slots=True)
class Staged:
    """A change that an open transaction has made, for views that read what it changed."""

    count: int
    _change: pa.Table | LargeChange

    def rows(self) -> pa.Table:
        """The rows; a large change comes here when somebody asks."""
        if not isinstance(self._change, pa.Table):
            self._change = self._change.collected()
        return self._change


@dataclass(frozen=True, slots=True)
class Kept:
    """The columns in which the result and the states are stored."""

    rows: tuple[Column, ...]
    states: Mapping[str, tuple[Column, ...]]


class ProgramEngine(Protocol):
    """Where the programs of views run.

    It reads nothing but what the supply gives it, and changes nothing. A call may be repeated
    with a newer supply when another writer was faster.
    """

    @property
    def name(self) -> str:
        """The word users choose it by."""

    def filled(self, view: KeptQuery, supply: Supply, *, row_ids: bool = False) -> Filled:
        """All rows of the view and of its states, in the columns that they will have.

        With `row_ids` the rows of the view have those of its source besides, in `__row_id`.
        """

    def changed(self, program: Program, supply: Supply, kept: Kept) -> Changed:
        """What a program computes, in the types of what is stored."""

    def collected(self, program: Program, supply: Supply, kept: Kept) -> pa.Table:
        """The rows of `changed`, here however many they are."""

    def differing(self, part: Part, planner: Planner, stored: ScanPlan) -> tuple[int, pa.Table]:
        """How many rows are stored, and what turns them into those that `filled` gave.

        Each differing row is there once, with a weight; of more than `LISTED` some are told, and
        one more than that.
        """

    def few(self, part: Part, columns: tuple[Column, ...], limit: int) -> pa.Table | None:
        """Rows that `filled` gave, in the types of `columns`; None if more than `limit`."""

    @property
    def dialect(self) -> str:
        """The SQL it speaks."""


ProgramEngines: TypeAlias = Callable[[str], ProgramEngine]
"""The engine of a name."""

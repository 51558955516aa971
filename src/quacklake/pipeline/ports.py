"""What the pipeline asks of an engine: rows of a view, and of its change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import pyarrow as pa

from quacklake.client.ports import Planner
from quacklake.format.types import Column
from quacklake.ivm import Program
from quacklake.pipeline.sources import KeptQuery
from quacklake.pipeline.supply import Supply
from quacklake.scan.plan import ScanPlan


@dataclass(frozen=True, slots=True)
class Part:
    """Rows that can be appended to a table, and the columns of a table for them.

    Row ids, which are no column of the table, are the last column of the rows.
    """

    rows: object
    columns: Mapping[str, str] | pa.Schema


@dataclass(frozen=True, slots=True)
class Filled:
    """The whole rows of a view and of its states."""

    rows: Part
    states: Mapping[str, Part]


@dataclass(frozen=True, slots=True)
class Changed:
    """The change of a view and of its states: their columns, and `__weight` last.

    Rows that have ids have them before it, in `__row_id`.
    """

    rows: pa.Table
    states: Mapping[str, pa.Table]


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

    def differing(self, part: Part, planner: Planner, stored: ScanPlan) -> tuple[int, pa.Table]:
        """How many rows are stored, and what turns them into those that `filled` gave.

        Each differing row is there once, with a weight; of very many only some are told.
        """

    def few(self, part: Part, columns: tuple[Column, ...], limit: int) -> pa.Table | None:
        """Rows that `filled` gave, in the types of `columns`; None if more than `limit`."""

    @property
    def dialect(self) -> str:
        """The SQL it speaks."""


ProgramEngines: TypeAlias = Callable[[str], ProgramEngine]
"""The engine of a name."""

"""The logical plan: what a view computes, as a closed set of plain values.

Every column of a plan has an id that no other column of the whole plan has, so that inputs of a
join never collide and an expression names a column by its id alone. Two plans are the same plan
only if they are the same object: work done for one is done once, wherever it is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from quacklake.ivm.expressions import Expr


class Origin(Enum):
    """What a scan reads: a source, state of the view's own, or the view's stored result."""

    SOURCE = "source"
    STATE = "state"
    RESULT = "result"


class State(Enum):
    """Which rows of a source a scan sees."""

    OLD = "old"
    NEW = "new"
    CHANGE = "change"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a plan; `type` is Spark's name of its type where it is known."""

    id: str
    type: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """A computed column."""

    column: Column
    expression: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """The rows of a source; `fields` are its own names of the columns read.

    With `row_ids` the last of them is no column of the source but the row's id.
    """

    source: str
    fields: tuple[str, ...]
    columns: tuple[Column, ...]
    required: frozenset[str] = frozenset()
    state: State = State.NEW
    origin: Origin = Origin.SOURCE
    row_ids: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Constant rows."""

    rows: tuple[tuple[Expr, ...], ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Filter:
    """The rows for which a predicate is true."""

    input: Plan
    predicate: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Project:
    """One row out for each row in."""

    input: Plan
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """Every combination of rows of the inputs for which all of `on` is true."""

    inputs: tuple[Plan, ...]
    on: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LeftJoin:
    """The join, and each left row without a partner once, with NULLs."""

    left: Plan
    right: Plan
    on: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SemiJoin:
    """The left rows that have a partner; `anti`: that have none."""

    left: Plan
    right: Plan
    on: tuple[Expr, ...]
    anti: bool


@dataclass(frozen=True, slots=True, eq=False)
class MarkJoin:
    """Each left row once; `mark` says, as TRUE or FALSE, whether it has a partner."""

    left: Plan
    right: Plan
    on: tuple[Expr, ...]
    mark: Column


@dataclass(frozen=True, slots=True, eq=False)
class Aggregate:
    """One row for each group; without keys always exactly one."""

    input: Plan
    keys: tuple[Item, ...]
    aggregates: tuple[Item, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """Each distinct row once."""

    input: Plan


@dataclass(frozen=True, slots=True, eq=False)
class UnionAll:
    """All rows of all inputs, columns matched by position."""

    inputs: tuple[Plan, ...]
    columns: tuple[Column, ...]


class SetKind(Enum):
    """What a set operation keeps."""

    INTERSECT = "intersect"
    EXCEPT = "except"


@dataclass(frozen=True, slots=True, eq=False)
class SetOperation:
    """INTERSECT or EXCEPT, of sets or with `all` of bags, columns matched by position."""

    kind: SetKind
    all: bool
    left: Plan
    right: Plan
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Each row with columns computed over its partition; each item is a window expression."""

    input: Plan
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TopN:
    """The first rows of each partition in an order, `offset` of them left out."""

    input: Plan
    partition: tuple[Expr, ...]
    order: tuple[Expr, ...]
    limit: int | None
    offset: int


@dataclass(frozen=True, slots=True, eq=False)
class Unnest:
    """Each row once for each element of an array; `outer`: once with NULL where there is none.

    `columns` are the element, or key and value of a map; `position` counts from 0.
    """

    input: Plan
    array: Expr
    columns: tuple[Column, ...]
    position: Column | None
    outer: bool


@dataclass(frozen=True, slots=True, eq=False)
class Restrict:
    """The rows whose `on` values occur in `keys`, NULL equal to NULL."""

    input: Plan
    on: tuple[Expr, ...]
    keys: Plan


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """An operator whose rows are kept in a table of their own, with columns `fields`.

    Of first rows more are kept than are `needed`.
    """

    name: str
    input: Aggregate | TopN
    fields: tuple[str, ...]
    needed: int = 0

    @property
    def keys(self) -> tuple[Item, ...]:
        """What tells the rows apart; without any there is one row, or nothing does."""
        return self.input.keys if isinstance(self.input, Aggregate) else ()


class ApplyKind(Enum):
    """How the rows a subquery gives for one outer row are used."""

    SEMI = "exists"
    ANTI = "not exists"
    MARK = "mark"
    SCALAR = "scalar subquery"
    INNER = "lateral"
    LEFT = "left lateral"


@dataclass(frozen=True, slots=True, eq=False)
class Apply:
    """A subquery evaluated for each left row; it may read the left row's columns.

    Exists only until decorrelation. `output` is the mark or the scalar value.
    """

    kind: ApplyKind
    left: Plan
    right: Plan
    on: tuple[Expr, ...]
    output: Column | None = None


Plan: TypeAlias = (
    Scan
    | Values
    | Filter
    | Project
    | Join
    | LeftJoin
    | SemiJoin
    | MarkJoin
    | Aggregate
    | Distinct
    | UnionAll
    | SetOperation
    | Window
    | TopN
    | Unnest
    | Restrict
    | Stored
    | Apply
)

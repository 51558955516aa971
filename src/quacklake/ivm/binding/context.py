"""What binding carries along: visible names, fresh column ids, and the way back to queries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

from sqlglot import exp
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.schema import MappingSchema

from quacklake.ivm.binding.names import DIALECT, Source
from quacklake.ivm.expressions import Expr, reference, references
from quacklake.ivm.plan import Column, Item, Plan, Project
from quacklake.kernel.errors import UsageError


@dataclass(frozen=True, slots=True)
class Bound:
    """A relation with the names its columns have outside."""

    plan: Plan
    outputs: tuple[tuple[str, Column], ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """The tables and common table expressions an expression may name."""

    tables: Mapping[str, Mapping[str, Column]] = field(default_factory=dict)
    ctes: Mapping[str, Bound] = field(default_factory=dict)
    outer: Scope | None = None

    def find(self, table: str, name: str) -> Column:
        """The column a qualified name means, here or further out."""
        place: Scope | None = self
        while place is not None:
            if table in place.tables and name in place.tables[table]:
                return place.tables[table][name]
            place = place.outer
        raise UsageError(f"column '{table}.{name}' cannot be used here", hint="is it grouped?")


@dataclass(frozen=True, slots=True)
class Context:
    """One compilation: its sources, its counter of ids, and how to bind a whole query."""

    sources: Mapping[str, Source]
    bind_query: Callable[[Context, exp.Query, Scope], Bound]
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    types: dict[str, str] = field(default_factory=dict)

    def fresh(self, name: str, column_type: str = "") -> Column:
        """A column that no other column of this compilation equals."""
        stem = re.sub(r"\W+", "_", name.lower()).strip("_") or "column"
        column = Column(f"{stem}_{next(self.numbers)}", column_type)
        self.types[column.id] = column_type
        return column

    def type_of(self, node: Expr, bound: Expr) -> str:
        """Spark's name of the type of a bound expression; "" where it is not known."""
        if isinstance(bound, exp.Column):
            return self.types.get(bound.name, "")
        # What is inferred from a column of unknown type is a guess.
        types = {each: self.types.get(each, "") for each in references(bound)}
        if not all(types.values()):
            return ""
        return type_of(node) or _inferred(bound, types)

    def query(self, node: Expr, scope: Scope) -> Bound:
        """Bind a subquery that may read the columns of `scope`."""
        inner = node.unnest() if isinstance(node, exp.Subquery) else node
        if isinstance(node, exp.Subquery) and node.args.get("limit"):
            inner = node
        if not isinstance(inner, exp.Query):
            raise UsageError("a query was expected", hint="check the parentheses")
        return self.bind_query(self, inner, Scope(ctes=scope.ctes, outer=scope))

    def renamed(self, bound: Bound) -> Bound:
        """The same relation under fresh ids, so that it can stand beside itself."""
        fresh = [(name, column, self.fresh(name, column.type)) for name, column in bound.outputs]
        items = tuple(Item(new, reference(old.id)) for _, old, new in fresh)
        return Bound(Project(bound.plan, items), tuple((name, new) for name, _, new in fresh))


def _inferred(bound: Expr, types: Mapping[str, str]) -> str:
    """The type of an expression over columns whose types only binding knows, as of LATERAL."""
    copied = bound.copy()
    for each in copied.find_all(exp.Column):
        each.set("table", exp.to_identifier("bound"))
    schema = MappingSchema({"bound": dict(types)}, dialect=DIALECT, normalize=False)
    typed = annotate_types(exp.select(copied).from_("bound"), schema=schema, dialect=DIALECT)
    return type_of(typed.selects[0])


def type_of(node: Expr) -> str:
    """Spark's name of an expression's type; "" where it is not known."""
    known = node.type
    if known is None or known.this in {exp.DataType.Type.UNKNOWN, exp.DataType.Type.NULL}:
        return ""
    return known.sql("spark")

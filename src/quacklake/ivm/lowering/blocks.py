"""A SELECT in the making: operators are merged into one as long as SQL's clause order allows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from quacklake.ivm.expressions import Expr, conjunction, substitute
from quacklake.ivm.plan import Column


@dataclass(frozen=True, slots=True)
class Block:
    """FROM, joins and WHERE, and what computes each column of the plan from them."""

    outputs: tuple[tuple[Column, Expr], ...]
    source: Expr
    joins: tuple[exp.Join, ...] = ()
    where: tuple[Expr, ...] = ()

    def by_id(self) -> dict[str, Expr]:
        """What computes each column."""
        return {column.id: expression for column, expression in self.outputs}

    def read(self, expression: Expr) -> Expr:
        """An expression over the plan's columns, said of what FROM has."""
        return substitute(expression, self.by_id())

    def filtered(self, predicates: Iterable[Expr]) -> Block:
        """The rows for which more predicates are true."""
        return replace(self, where=self.where + tuple(self.read(each) for each in predicates))

    def joined(
        self, relation: Expr, on: Sequence[Expr], columns: dict[str, Expr], *, kind: str
    ) -> Block:
        """The block with one more relation; `columns` is what it offers to `on`."""
        known = {**self.by_id(), **columns}
        condition = conjunction(substitute(each, known) for each in on)
        if kind == "" and not on:
            join = exp.Join(this=relation, kind="CROSS")
        elif kind in {"SEMI", "ANTI"}:
            join = exp.Join(this=relation, kind=kind, on=condition)
        else:
            join = exp.Join(this=relation, side=kind or None, on=condition)
        return replace(self, joins=(*self.joins, join))

    def is_cheap(self) -> bool:
        """Whether every column may be computed wherever it is read."""
        return all(_is_cheap(expression) for _, expression in self.outputs)

    def is_bare(self) -> bool:
        """Whether the block is one relation with plain columns, and nothing more."""
        plain = all(isinstance(expression, exp.Column) for _, expression in self.outputs)
        return plain and not self.joins and not self.where

    def select(self) -> exp.Select:
        """The finished query."""
        return self.selecting([named(expression, column) for column, expression in self.outputs])

    def selecting(self, expressions: Sequence[Expr]) -> exp.Select:
        """A query of other expressions over the same rows."""
        query = exp.Select(expressions=list(expressions) or [nothing()])
        query.set("from_", exp.From(this=self.source))
        if self.joins:
            query.set("joins", list(self.joins))
        if self.where:
            query.set("where", exp.Where(this=conjunction(self.where)))
        return query


def _is_cheap(expression: Expr) -> bool:
    if isinstance(expression, exp.Cast | exp.Neg):
        return isinstance(expression.this, exp.Literal | exp.Null | exp.Neg)
    return isinstance(expression, exp.Column | exp.Literal | exp.Boolean | exp.Null)


def nothing() -> Expr:
    """Something to select where no column is asked for."""
    return exp.alias_(exp.true(), "__row", quoted=True)


def named(expression: Expr, column: Column) -> Expr:
    """An expression as an output column."""
    if isinstance(expression, exp.Column) and expression.name == column.id:
        # An alias makes it another column for Spark, whose optimizer can fail over the two.
        return expression.copy()
    return exp.Alias(this=expression.copy(), alias=exp.to_identifier(column.id, quoted=True))


def over(relation: Expr, alias: str, columns: Iterable[Column]) -> Block:
    """A relation whose columns are named by their ids."""
    outputs = tuple((column, qualified(alias, column.id)) for column in columns)
    return Block(outputs, relation)


def qualified(alias: str, name: str) -> exp.Column:
    """A column of one relation of a FROM clause."""
    return exp.Column(this=exp.to_identifier(name, quoted=True), table=exp.to_identifier(alias))

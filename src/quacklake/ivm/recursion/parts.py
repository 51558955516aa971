"""A recursive query taken apart: how the recursion starts, its step, and the rest of the query.

    WITH RECURSIVE r AS (start UNION [ALL] step) rest

In `step` and `rest` the recursion is a table like any other, called `ROWS`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeVar, cast

from sqlglot import exp

from quacklake.ivm.binding.names import parsed
from quacklake.ivm.refusals import refusal
from quacklake.kernel.errors import Unsupported

T = TypeVar("T", bound=exp.Query)

ROWS: Final = "_quacklake.recursion"
"""What the rows of a recursion are called as a source; no table of a lake is called so."""

_ORDERED: Final = ("order", "limit", "offset")


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a recursive query; `columns` are the names that it declares, if it does."""

    name: str
    columns: tuple[str, ...]
    distinct: bool
    shared: tuple[exp.CTE, ...]
    body: exp.Union
    rest: exp.Query

    def start(self, columns: Iterable[str] = ()) -> exp.Query:
        """The query of the first rows; `columns` are the names that they get."""
        return self._alone(cast("exp.Query", self.body.this), columns)

    def step(self, columns: Iterable[str] = ()) -> exp.Query:
        """The query of one more round, over the rows found so far."""
        return _over_rows(self._alone(cast("exp.Query", self.body.expression), columns), self.name)

    def rounds(self, columns: Iterable[str]) -> exp.Query:
        """Start and step together."""
        names = tuple(columns)
        start, step = self.start(names), self.step(names)
        clause = start.args.get("with_")
        for each in (start, step):
            each.set("with_", None)
        whole = exp.Union(this=start, expression=step, distinct=False)
        whole.set("with_", clause)
        return whole

    def whole(self, columns: Iterable[str]) -> exp.Select:
        """All rows of the recursion, as an engine that knows recursion computes them."""
        names = [exp.to_identifier(each, quoted=True) for each in columns]
        alias = exp.TableAlias(this=exp.to_identifier(self.name, quoted=True), columns=names)
        made = exp.CTE(this=self.body.copy(), alias=alias)
        query = exp.select(*(exp.column(each.copy()) for each in names))
        query = query.from_(exp.Table(this=exp.to_identifier(self.name, quoted=True)))
        ctes = [*(each.copy() for each in self.shared), made]
        query.set("with_", exp.With(expressions=ctes, recursive=True))
        return query

    def _alone(self, part: exp.Query, columns: Iterable[str]) -> exp.Select:
        """A part with the common table expressions that it may name."""
        names = [exp.to_identifier(each, quoted=True) for each in columns]
        alias = exp.TableAlias(this=exp.to_identifier("part"), columns=names)
        query = exp.select("*").from_(exp.Subquery(this=part.copy(), alias=alias))
        if self.shared:
            ctes = [each.copy() for each in self.shared]
            query.set("with_", exp.With(expressions=ctes))
        return query


def without(name: str) -> Unsupported:
    """The error that says what stands against following a recursion."""
    return refusal(name, "it is computed anew")


def taken_apart(sql: str) -> Parts:
    """The parts of a query with one recursion; raises, naming what is in the way."""
    tree = parsed(sql)
    found = [each for each in tree.find_all(exp.CTE) if _uses(each.this, each.alias)]
    clause = tree.args.get("with_")
    if len(found) != 1:
        raise without(f"{len(found)} recursions")
    made = found[0]
    name = made.alias
    if clause is None or not any(each is made for each in clause.expressions):
        raise without("a recursion inside a subquery")
    place = next(place for place, each in enumerate(clause.expressions) if each is made)
    shared = tuple(each.copy() for each in clause.expressions[:place])
    _check_names(tree, name, shared)
    body = _checked(made.this, name)
    columns = tuple(each.name.lower() for each in made.args["alias"].columns)
    if not columns and not all(_is_named(each) for each in body.selects):
        raise without(f"columns of '{name}' without a name")
    body = body.copy()
    distinct = bool(body.args.get("distinct"))
    return Parts(name, columns, distinct, shared, body, _rest(tree, made, name))


def _check_names(tree: exp.Query, name: str, shared: Iterable[exp.CTE]) -> None:
    same = [each for each in tree.find_all(exp.CTE) if _is_same(each.alias, name)]
    if len(same) > 1:
        raise without(f"{len(same)} common table expressions called '{name}'")
    if any(_uses(each, name) for each in shared):
        raise without(f"a use of '{name}' before its definition")


def _checked(body: exp.Query, name: str) -> exp.Union:
    if not isinstance(body, exp.Union) or body.args.get("by_name"):
        raise without(f"no UNION of a start and a step in '{name}'")
    if any(body.args.get(each) for each in _ORDERED):
        raise without(f"an order or a limit of '{name}'")
    if body.args.get("with_"):
        raise without(f"a WITH inside of '{name}'")
    if _uses(body.this, name):
        raise without(f"'{name}' in the start of its own definition")
    count = len(_uses(body.expression, name))
    if count != 1:
        raise without(f"{count} uses of '{name}' in its own definition")
    return body


def _is_named(output: exp.Expr) -> bool:
    return bool(output.alias_or_name)


def _is_same(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def _uses(node: exp.Expr, name: str) -> list[exp.Table]:
    """The places that name the recursion."""
    return [
        each
        for each in node.find_all(exp.Table)
        if not each.args.get("db") and _is_same(each.name, name)
    ]


def _rest(tree: exp.Query, made: exp.CTE, name: str) -> exp.Query:
    place = tree.args["with_"].expressions.index(made)
    rest = tree.copy()
    clause = rest.args["with_"]
    ctes = [each for other, each in enumerate(clause.expressions) if other != place]
    rest.set("with_", exp.With(expressions=ctes) if ctes else None)
    return _over_rows(rest, name)


def _over_rows(query: T, name: str) -> T:
    """The query with the recursion as a table like any other."""
    schema, _, table = ROWS.partition(".")
    for each in _uses(query, name):
        if not each.alias:
            each.set("alias", exp.TableAlias(this=exp.to_identifier(each.name)))
        each.set("this", exp.to_identifier(table, quoted=True))
        each.set("db", exp.to_identifier(schema, quoted=True))
    return query

"""Scalar expressions: sqlglot trees in which a column is named by its id, and by nothing else.

Trees are treated as values: what is taken from one plan into another is copied first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias, cast

from sqlglot import exp

Expr: TypeAlias = exp.Expr


def reference(column_id: str) -> exp.Column:
    """The expression that reads one column."""
    return exp.Column(this=exp.to_identifier(column_id, quoted=True))


def references(expression: Expr) -> frozenset[str]:
    """The ids of all columns an expression reads."""
    return frozenset(
        node.name for node in expression.find_all(exp.Column) if not is_lambda_variable(node)
    )


def references_of(expressions: Iterable[Expr]) -> frozenset[str]:
    """The ids of all columns several expressions read."""
    return frozenset().union(*(references(each) for each in expressions))


def is_lambda_variable(node: exp.Column) -> bool:
    """Whether a name is bound by a lambda around it, not by the input."""
    place = node.find_ancestor(exp.Lambda)
    while place is not None:
        if any(node.name == variable.name for variable in place.expressions):
            return True
        place = place.find_ancestor(exp.Lambda)
    return False


def rewrite(expression: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """A copy in which the topmost nodes that `change` answers for are replaced."""
    copied = expression.copy()
    replacement = change(copied)
    if replacement is not None:
        return replacement
    rewrite_below(copied, change)
    return copied


def rewrite_below(node: Expr, change: Callable[[Expr], Expr | None]) -> None:
    """Replace, in place, the topmost nodes strictly below one that `change` answers for."""
    for child in list(node.iter_expressions()):
        replacement = change(child)
        if replacement is None:
            rewrite_below(child, change)
        else:
            child.replace(replacement)


def substitute(expression: Expr, by_id: Mapping[str, Expr]) -> Expr:
    """The expression with columns replaced by what computes them."""

    def change(node: Expr) -> Expr | None:
        if isinstance(node, exp.Column) and not is_lambda_variable(node):
            found = by_id.get(node.name)
            return None if found is None else _guarded(found.copy())
        return None

    return rewrite(expression, change)


def _guarded(expression: Expr) -> Expr:
    """The expression in parentheses where its place could tear it apart."""
    if isinstance(expression, exp.Binary | exp.Unary | exp.Between | exp.In | exp.Connector):
        return exp.Paren(this=expression)
    return expression


def conjuncts(predicate: Expr) -> tuple[Expr, ...]:
    """The predicates that must all be true."""
    node = predicate.unnest()
    if isinstance(node, exp.And):
        return conjuncts(node.left) + conjuncts(node.right)
    return (node,)


def conjunction(predicates: Iterable[Expr]) -> Expr:
    """One predicate that is true when all are."""
    parts = [_guarded(each.copy()) for each in predicates]
    if not parts:
        return exp.true()
    whole = parts[0]
    for part in parts[1:]:
        whole = exp.And(this=whole, expression=part)
    return whole


def null_safe_equal(left: Expr, right: Expr) -> Expr:
    """Equality under which NULL equals NULL."""
    return exp.NullSafeEQ(this=_guarded(left.copy()), expression=_guarded(right.copy()))


def is_null(expression: Expr) -> Expr:
    """Whether a value is NULL."""
    return exp.Is(this=_guarded(expression.copy()), expression=exp.null())


def is_not_false(predicate: Expr) -> Expr:
    """Whether a predicate is true or unknown."""
    return exp.Coalesce(this=predicate.copy(), expressions=[exp.true()])


def number(value: int) -> Expr:
    """An integer literal."""
    literal = exp.Literal.number(abs(value))
    return exp.Neg(this=literal) if value < 0 else cast("Expr", literal)

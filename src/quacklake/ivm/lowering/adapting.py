"""Functions that engines name or define differently."""

from __future__ import annotations

from typing import Final, cast

from sqlglot import exp

from quacklake.ivm.expressions import Expr
from quacklake.ivm.passes.scalars import RAISE
from quacklake.ivm.passes.store_aggregates import DECIMAL_AVERAGE

_CONCERNED: Final = (exp.Anonymous, exp.Quantile)


def adapted(query: exp.Query, dialect: str) -> exp.Query:
    """The query with functions as the engine knows them."""
    change = _on_duckdb if dialect == "duckdb" else _on_spark
    if not any(change(node) is not None for node in query.find_all(*_CONCERNED)):
        return query
    return cast("exp.Query", query.transform(lambda node: change(node) or node))


def _on_duckdb(node: Expr) -> Expr | None:
    if isinstance(node, exp.Quantile):
        # Spark's percentile interpolates; DuckDB's quantile does not.
        arguments = [node.this.copy(), node.args["quantile"].copy()]
        return exp.Anonymous(this="quantile_cont", expressions=arguments)
    if _is_call(node, RAISE):
        return exp.Anonymous(this="error", expressions=node.expressions)
    if _is_call(node, DECIMAL_AVERAGE):
        total, seen, *_ = node.expressions
        return exp.Div(this=exp.cast(total, "DOUBLE"), expression=exp.cast(seen, "DOUBLE"))
    return None


def _on_spark(node: Expr) -> Expr | None:
    """Spark's average of DECIMAL(p, s) is a DECIMAL(p + 4, s + 4)."""
    if not _is_call(node, DECIMAL_AVERAGE):
        return None
    total, seen, precision, scale = node.expressions
    shape = f"DECIMAL({min(38, int(precision.name) + 4)}, {min(38, int(scale.name) + 4)})"
    return exp.cast(exp.Div(this=total.copy(), expression=seen.copy()), shape, dialect="spark")


def _is_call(node: Expr, name: str) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.lower() == name

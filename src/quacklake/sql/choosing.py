"""UPDATE and DELETE that look at more than the row itself, read into a query for their rows.

What may stand in them may stand in a query over the same tables, so DuckDB decides what they
mean: `UPDATE t … FROM s WHERE c` chooses what `SELECT … FROM t, s WHERE c` reads.
"""

from __future__ import annotations

from sqlglot import exp

from quacklake.format.sqltypes import quoted
from quacklake.sql.edits import Chosen
from quacklake.sql.virtual import NAMES


def is_plain(tree: exp.Update | exp.Delete) -> bool:
    """Whether a statement looks at nothing but the columns of the row itself."""
    asks = any(tree.find_all(exp.Query))
    return not (_others(tree) or asks or tree.this.alias or tree.args.get("with_"))


def names_virtual(tree: exp.Update | exp.Delete) -> bool:
    """Whether a column is named that may be a virtual one."""
    return any(column.name.casefold() in NAMES for column in tree.find_all(exp.Column))


def chosen(tree: exp.Update | exp.Delete) -> Chosen:
    """The query for the rows of a statement."""
    target = tree.this
    others = _others(tree)
    tables = ", ".join(each.sql("duckdb") for each in (target, *others))
    where = tree.args.get("where")
    head = tree.args.get("with_")
    return Chosen(
        quoted(target.alias or target.name),
        f"{head.sql('duckdb')} " if head else "",
        f"FROM {tables}" + (f" {where.sql('duckdb')}" if where else ""),
    )


def _others(tree: exp.Update | exp.Delete) -> list[exp.Expr]:
    """The tables besides the target, as a FROM clause lists them."""
    clause = tree.args.get("from_") or tree.args.get("from")
    if clause is not None:
        return [clause.this]
    return list(tree.args.get("using") or ())

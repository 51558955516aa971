"""MERGE INTO, read into clauses. Its condition must say that columns of one name are equal."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from quacklake.client.writing.clauses import (
    Clauses,
    Delete,
    Ignore,
    Insert,
    Matched,
    NotMatched,
    Update,
)
from quacklake.format.table import TableName
from quacklake.kernel.errors import Unsupported, UsageError
from quacklake.sql.edits import MergeRows


def merge_of(tree: exp.Merge, table: TableName, dialect: str) -> MergeRows:
    """The merge that a statement asks for."""
    source = tree.args["using"]
    names = {
        (tree.this.alias or tree.this.name).casefold(): "target",
        source.alias_or_name.casefold(): "source",
    }
    if isinstance(source, exp.Subquery):
        query = source.this.sql(dialect)
    else:
        plain = source.copy()
        plain.set("alias", None)
        query = f"SELECT * FROM {plain.sql(dialect)}"
    keys = tuple(key.name for key in tree.args.get("using_cond") or ()) or tuple(
        _keys(tree.args.get("on"), names)
    )
    whens = tree.args["whens"].expressions
    matched = tuple(_matched(when, names) for when in whens if when.args["matched"])
    others = [when for when in whens if not when.args["matched"]]
    by_source = tuple(_matched(when, names) for when in others if when.args.get("source"))
    missing = tuple(_not_matched(when, names) for when in others if not when.args.get("source"))
    clauses = Clauses(matched or (Ignore(),), missing or (Ignore(),), by_source or (Ignore(),))
    return MergeRows(table, query, keys, clauses)


def _keys(condition: exp.Expr | None, names: dict[str, str]) -> Iterator[str]:
    match condition:
        case exp.And():
            yield from _keys(condition.left, names)
            yield from _keys(condition.right, names)
        case exp.Paren():
            yield from _keys(condition.this, names)
        case exp.EQ(this=exp.Column() as left, expression=exp.Column() as right):
            sides = {names.get(column.table.casefold()) for column in (left, right)}
            if sides != {"target", "source"} or left.name.casefold() != right.name.casefold():
                raise _unsupported()
            yield left.name
        case _:
            raise _unsupported()


def _unsupported() -> Unsupported:
    return Unsupported(
        "MERGE joins on equal columns of one name only",
        hint="write ON t.id = s.id, and give the source's columns the table's names",
    )


def _condition(when: exp.When, names: dict[str, str]) -> str | None:
    condition = when.args.get("condition")
    return None if condition is None else _renamed(condition, names)


def _renamed(node: exp.Expr, names: dict[str, str]) -> str:
    """The text with the table called `target` and the rows brought in `source`."""

    def rename(part: exp.Expr) -> exp.Expr:
        if isinstance(part, exp.Column) and part.table.casefold() in names:
            part.set("table", exp.to_identifier(names[part.table.casefold()]))
        return part

    return node.copy().transform(rename).sql("duckdb")


def _matched(when: exp.When, names: dict[str, str]) -> Matched:
    then, condition = when.args["then"], _condition(when, names)
    match then:
        case exp.Update():
            values = {e.this.name: _renamed(e.expression, names) for e in then.expressions or ()}
            return Update(values or None, condition)
        case exp.Var() if then.name.upper() == "DELETE":
            return Delete(condition)
        case exp.Var() if then.name.upper() in ("DO NOTHING", "NOTHING"):
            return Ignore(condition)
        case _:
            raise UsageError(f"WHEN MATCHED takes UPDATE or DELETE, not {then.sql('duckdb')}")


def _not_matched(when: exp.When, names: dict[str, str]) -> NotMatched:
    then, condition = when.args["then"], _condition(when, names)
    if not isinstance(then, exp.Insert):
        raise UsageError(f"WHEN NOT MATCHED takes INSERT, not {then.sql('duckdb')}")
    columns, values = then.args.get("this"), then.args.get("expression")
    if columns is None or values is None:
        return Insert(None, condition)
    given = zip(columns.expressions, values.expressions, strict=True)
    return Insert({c.name: _renamed(v, names) for c, v in given}, condition)

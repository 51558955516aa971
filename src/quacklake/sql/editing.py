"""SQL that changes a lake, read into values. A query is not ours: it gives None."""

from __future__ import annotations

import logging
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from quacklake.client.references import DEFAULT_SCHEMA
from quacklake.format.table import TableName
from quacklake.kernel.errors import Unsupported, UsageError
from quacklake.sql.defining import definition
from quacklake.sql.edits import CreateFromRows, DeleteRows, Edit, InsertRows, UpdateRows
from quacklake.sql.merging import merge_of

_WORDS: Final = frozenset(
    {"insert", "delete", "update", "truncate", "merge", "create", "drop", "alter", "comment"}
)


def edit_of(text: str) -> Edit | None:
    """The change that one statement asks for; None if it is a query."""
    first = text.lstrip("( \n\t;").split(None, 1)[:1]
    if not first or first[0].lower() not in _WORDS:
        return None
    # A statement that sqlglot only half knows is read by us; its warning would confuse users.
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    try:
        trees = [tree for tree in sqlglot.parse(text, dialect="duckdb") if tree is not None]
    except SqlglotError as error:
        raise UsageError(f"the statement is not valid SQL: {_problem(error)}") from error
    if len(trees) != 1:
        raise UsageError("there are several statements", hint="run one at a time")
    return _edit(trees[0], text)


def _problem(error: SqlglotError) -> str:
    details = getattr(error, "errors", None)
    if not details:
        return "syntax error"
    first = details[0]
    return f"{first.get('description', 'syntax error')} (line {first.get('line', 1)})"


def _edit(tree: exp.Expr, text: str) -> Edit:
    match tree:
        case exp.Insert():
            return _insert(tree)
        case exp.Delete():
            _refuse_more(tree, "using", "DELETE … USING")
            return DeleteRows(_table(tree.this), _where(tree))
        case exp.TruncateTable():
            return DeleteRows(_table(tree.expressions[0]), None)
        case exp.Update():
            return _update(tree)
        case exp.Merge():
            return merge_of(tree, _table(tree.this))
        case exp.Create() if tree.kind == "TABLE" and tree.expression is not None:
            partition = tree.find(exp.PartitionedByProperty)
            keys = tuple(k.sql("duckdb") for k in partition.this.expressions) if partition else ()
            target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
            return CreateFromRows(_table(target), tree.expression.sql("duckdb"), keys)
        case _:
            return definition(tree, text)


def _insert(tree: exp.Insert) -> InsertRows:
    _refuse_more(tree, "conflict", "ON CONFLICT")
    _refuse_more(tree, "returning", "RETURNING")
    target, columns = tree.this, ()
    if isinstance(target, exp.Schema):
        target, columns = target.this, tuple(column.name for column in target.expressions)
    if tree.expression is None:
        raise UsageError("INSERT needs VALUES or a SELECT")
    query = tree.expression.sql("duckdb")
    if isinstance(tree.expression, exp.Values):
        query = f"SELECT * FROM ({query})"
    return InsertRows(_table(target), columns, query)


def _update(tree: exp.Update) -> UpdateRows:
    _refuse_more(tree, "from_", "UPDATE … FROM")
    _refuse_more(tree, "from", "UPDATE … FROM")
    assignments = tuple(
        (each.this.name, each.expression.sql("duckdb")) for each in tree.expressions
    )
    return UpdateRows(_table(tree.this), assignments, _where(tree))


def _refuse_more(tree: exp.Expr, part: str, name: str) -> None:
    if tree.args.get(part):
        raise Unsupported(f"{name} is not available", hint="use MERGE, or two statements")


def _where(tree: exp.Expr) -> str | None:
    where = tree.args.get("where")
    return None if where is None else where.this.sql("duckdb")


def _table(node: exp.Expr) -> TableName:
    if not isinstance(node, exp.Table):
        raise UsageError("the statement names no table")
    return TableName(node.db or DEFAULT_SCHEMA, node.name)

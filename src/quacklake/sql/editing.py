"""SQL that changes a lake, read into values. A query is not ours: it gives None."""

from __future__ import annotations

import logging
import re
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from quacklake.client.references import DEFAULT_SCHEMA
from quacklake.format.table import TableName
from quacklake.kernel.errors import Unsupported, UsageError
from quacklake.sql.choosing import chosen, is_plain, names_virtual
from quacklake.sql.defining import definition, partition_keys, refuse_temporary
from quacklake.sql.edits import (
    CreateFromRows,
    DeleteChosen,
    DeleteRows,
    Edit,
    InsertRows,
    UpdateChosen,
    UpdateRows,
)
from quacklake.sql.merging import merge_of

_WORDS: Final = frozenset(
    {"insert", "delete", "update", "truncate", "merge", "create", "drop", "alter", "comment"}
)
_WRITES: Final = re.compile(r"\b(insert|delete|update)\b", re.IGNORECASE)


def edit_of(text: str, dialect: str = "duckdb") -> Edit | None:
    """The change that one statement asks for; None if it is a query.

    Queries in it stay in the dialect they are written in. Conditions and values become
    DuckDB's, which evaluates them wherever the statement runs.
    """
    first = text.lstrip("( \n\t;").split(None, 1)[:1]
    word = first[0].lower() if first else ""
    if word not in _WORDS and not (word == "with" and _WRITES.search(text)):
        return None
    # A statement that sqlglot only half knows is read by us; its warning would confuse users.
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    try:
        trees = [tree for tree in sqlglot.parse(text, dialect=dialect) if tree is not None]
    except SqlglotError as error:
        if word == "with":
            # It may be a query; whoever runs it can say better what is wrong.
            return None
        raise UsageError(f"the statement is not valid SQL: {_problem(error)}") from error
    if word == "with" and not any(isinstance(tree, exp.DML) for tree in trees):
        return None
    if len(trees) != 1:
        raise UsageError("there are several statements", hint="run one at a time")
    return _edit(trees[0], text, dialect)


def _problem(error: SqlglotError) -> str:
    details = getattr(error, "errors", None)
    if not details:
        return "syntax error"
    first = details[0]
    # What it got instead is told in words of the parser.
    said = str(first.get("description", "syntax error")).partition(" but got <")[0]
    return f"{said} (line {first.get('line', 1)})"


def _edit(tree: exp.Expr, text: str, dialect: str) -> Edit:
    match tree:
        case exp.Insert():
            return _insert(tree, dialect)
        case exp.Delete():
            return _delete(tree)
        case exp.TruncateTable():
            return DeleteRows(_table(tree.expressions[0]), None)
        case exp.Update():
            return _update(tree)
        case exp.Merge():
            return merge_of(tree, _table(tree.this), dialect)
        case exp.Create() if tree.kind == "TABLE" and tree.expression is not None:
            refuse_temporary(tree)
            target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
            return CreateFromRows(
                _table(target),
                tree.expression.sql(dialect),
                partition_keys(tree),
                replaces=bool(tree.args.get("replace")),
                if_not_exists=bool(tree.args.get("exists")),
            )
        case _:
            return definition(tree, text)


def _insert(tree: exp.Insert, dialect: str) -> InsertRows:
    _refuse_more(tree, "conflict", "ON CONFLICT")
    _refuse_more(tree, "alternative", "INSERT OR …")
    _refuse_more(tree, "overwrite", "INSERT OVERWRITE")
    _refuse_more(tree, "returning", "RETURNING")
    target, columns = tree.this, ()
    if isinstance(target, exp.Schema):
        target, columns = target.this, tuple(column.name for column in target.expressions)
    if tree.expression is None:
        raise UsageError("INSERT needs VALUES or a SELECT")
    query = tree.expression.sql(dialect)
    if tree.args.get("with_"):
        query = f"{tree.args['with_'].sql(dialect)} {query}"
    if isinstance(tree.expression, exp.Values):
        query = f"SELECT * FROM ({query})"
    return InsertRows(_table(target), columns, query, by_name=bool(tree.args.get("by_name")))


def _delete(tree: exp.Delete) -> DeleteRows | DeleteChosen:
    _refuse_more(tree, "returning", "RETURNING")
    table = _table(tree.this)
    plain = DeleteRows(table, _where(tree)) if is_plain(tree) else None
    if plain is not None and not names_virtual(tree):
        return plain
    return DeleteChosen(table, chosen(tree), plain)


def _update(tree: exp.Update) -> UpdateRows | UpdateChosen:
    _refuse_more(tree, "returning", "RETURNING")
    table = _table(tree.this)
    assignments = tuple(
        (each.this.name, each.expression.sql("duckdb")) for each in tree.expressions
    )
    plain = UpdateRows(table, assignments, _where(tree)) if is_plain(tree) else None
    if plain is not None and not names_virtual(tree):
        return plain
    return UpdateChosen(table, assignments, chosen(tree), plain)


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

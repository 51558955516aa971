"""A query as DuckDB's own parser sees it: what it reads, where its text names it.

Parsing with the parser that will run the query leaves no grammar of ours to disagree with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import duckdb

from quacklake.format import casting
from quacklake.kernel.errors import Unsupported, UsageError
from quacklake.sql.spelling import canonical
from quacklake.sql.virtual import Star, named_in, stars_in

_NOWHERE: Final = 2**64 - 1
_LISTING_SCHEMAS: Final = frozenset({"information_schema", "pg_catalog"})
_LISTING_FUNCTIONS: Final = frozenset(
    {"duckdb_columns", "duckdb_schemas", "duckdb_tables", "duckdb_views"}
)
_EXPLAIN: Final = re.compile(r"\s*EXPLAIN\s+(?:ANALYZE\s+|\([^)]*\)\s*)*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reference:
    """A table that a query names; `start` is where its name begins in the text."""

    catalog: str | None
    schema: str | None
    table: str
    start: int
    travels: bool


@dataclass(frozen=True, slots=True)
class Statement:
    """One query: its text, and the names in it.

    `local` are the names of common table expressions; `lists` says that the query asks what
    tables there are; `prefix` is EXPLAIN, if the query only wants to be explained. `virtual` are
    the virtual columns it names; only if there are any are its `stars` known.
    """

    text: str
    references: tuple[Reference, ...]
    functions: frozenset[str]
    local: frozenset[str]
    lists: bool
    virtual: frozenset[str] = frozenset()
    stars: tuple[Star, ...] = ()
    prefix: str = ""


def parsed(text: str) -> Statement:
    """The one query that `text` holds; anything else is a `UsageError`."""
    source = canonical(text).strip().rstrip(";")
    prefix = _EXPLAIN.match(source)
    if prefix:
        return replace(parsed(source[prefix.end() :]), prefix=prefix[0])
    tree = _tree(source)
    count = len(tree.get("statements", ()))
    if count == 0:
        raise UsageError("the query is empty", hint="write one such as: SELECT * FROM my_table")
    if count > 1:
        raise UsageError("there are several statements", hint="run one query at a time")
    return _statement(source, tree)


def _statement(source: str, tree: Mapping[str, Any]) -> Statement:
    encoded = source.encode()
    references, functions, local, lists = [], set(), set(), False
    for node in _nodes(tree):
        if node.get("type") == "BASE_TABLE":
            references.append(_reference(node, encoded))
        if node.get("type") == "SHOW_REF" and "query" not in node:
            lists = True
        if "function_name" in node and not node.get("is_operator"):
            functions.add(str(node["function_name"]).casefold())
        for entry in node.get("cte_map", {}).get("map", ()):
            local.add(str(entry["key"]).casefold())
    lists = lists or bool(functions & _LISTING_FUNCTIONS)
    lists = lists or any((each.schema or "").lower() in _LISTING_SCHEMAS for each in references)
    own = tuple(each for each in references if (each.schema or "").lower() not in _LISTING_SCHEMAS)
    virtual = named_in(_nodes(tree))
    stars = stars_in(_nodes(tree), encoded) if virtual else ()
    return Statement(source, own, frozenset(functions), frozenset(local), lists, virtual, stars)


def _nodes(tree: Any) -> Iterator[Mapping[str, Any]]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def _reference(node: Mapping[str, Any], encoded: bytes) -> Reference:
    location = int(node.get("query_location", _NOWHERE))
    start = -1 if location == _NOWHERE else len(encoded[:location].decode(errors="replace"))
    return Reference(
        node.get("catalog_name") or None,
        node.get("schema_name") or None,
        str(node["table_name"]),
        start,
        travels="at_clause" in node,
    )


def _tree(source: str) -> Mapping[str, Any]:
    question = "SELECT json_serialize_sql(?, skip_null := true, skip_empty := true)"
    row = casting.session().execute(question, [source]).fetchone()
    tree: Mapping[str, Any] = json.loads(row[0]) if row else {}
    if not tree.get("error"):
        return tree
    if tree.get("error_type") == "parser":
        raise UsageError(
            f"the query is not valid SQL: {tree.get('error_message')}{_place(source, tree)}"
        )
    raise _not_a_query(source)


def _place(source: str, tree: Mapping[str, Any]) -> str:
    position = tree.get("position")
    if position is None:
        return ""
    # Unlike locations in the tree, this one counts characters.
    before = source[: int(position)]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return f" (line {line}, column {column})"


_WRITES: Final = frozenset(
    {"ALTER", "COPY", "CREATE", "DELETE", "DROP", "INSERT", "MERGE_INTO", "UPDATE"}
)


def _not_a_query(source: str) -> UsageError:
    try:
        found = casting.session().extract_statements(source)
    except duckdb.Error as error:
        return UsageError("the query is not valid SQL: " + str(error).splitlines()[0])
    if len(found) > 1 and any(not statement.query for statement in found):
        return Unsupported(
            "a PIVOT must list its values in this version", hint="write PIVOT t ON a IN (1, 2, 3)"
        )
    if len(found) > 1:
        return UsageError("there are several statements", hint="run one query at a time")
    if found and found[0].type.name in _WRITES:
        return Unsupported(
            "this way of writing is not available",
            hint="write INSERT, UPDATE, DELETE, MERGE, CREATE, ALTER or DROP",
        )
    return Unsupported("only queries can be run", hint="write SELECT, DESCRIBE, SHOW or EXPLAIN")

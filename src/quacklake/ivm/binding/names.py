"""SQL text becomes a tree in which every name is resolved and every expression typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from quacklake.ivm.expressions import Expr
from quacklake.ivm.refusals import refusal, refuse_unsupported
from quacklake.ivm.schema import Schema, SourceColumn
from quacklake.kernel.errors import NotFound, UsageError

DIALECT = "spark"


@dataclass(frozen=True, slots=True)
class Source:
    """A source of a query, and its columns by the names the query uses."""

    name: str
    columns: Mapping[str, SourceColumn]


@dataclass(frozen=True, slots=True)
class Resolved:
    """A query whose tables are named by the keys of `sources`."""

    tree: exp.Query
    sources: Mapping[str, Source]


def resolve(tree: exp.Query, schema: Schema) -> Resolved:
    """A query over the tables of `schema`; refuses what no view may contain."""
    refuse_unsupported(tree)
    sources = _named_sources(tree, schema)
    types = MappingSchema(
        {
            key: {name: column.type or "VARIANT" for name, column in source.columns.items()}
            for key, source in sources.items()
        },
        dialect=DIALECT,
    )
    try:
        qualified = qualify(tree, schema=types, dialect=DIALECT)
        typed = annotate_types(qualified, schema=types, dialect=DIALECT)
    except SqlglotError as error:
        raise UsageError(
            "a name in the query cannot be resolved", hint=str(error).splitlines()[0]
        ) from error
    if not isinstance(typed, exp.Query):
        raise refusal("a statement that is not a query", "a view is a SELECT")
    return Resolved(typed, sources)


def table_names(sql: str) -> tuple[str, ...]:
    """The tables a query names, as it writes them, in the order of their first use."""
    found = source_tables(parsed(sql))
    return tuple(dict.fromkeys(".".join(part.name for part in each.parts) for each in found))


def source_tables(tree: exp.Query) -> list[exp.Table]:
    """The places where a query names a table, and not a common table expression of its own."""
    return [each for each in tree.find_all(exp.Table) if not _is_cte(each)]


def parsed(sql: str) -> exp.Query:
    """The one query that a text is."""
    try:
        statements = [each for each in sqlglot.parse(sql, dialect=DIALECT) if each is not None]
    except SqlglotError as error:
        raise UsageError(
            "the query is not valid SQL", hint="Spark's dialect is understood"
        ) from error
    if len(statements) != 1:
        raise UsageError("a view is one query", hint=f"{len(statements)} statements were given")
    if not isinstance(statements[0], exp.Query):
        raise refusal("a statement that is not a query", "a view is a SELECT")
    return statements[0]


def _named_sources(tree: exp.Query, schema: Schema) -> dict[str, Source]:
    """Give every source of the tree one plain name; answers which name is which source."""
    by_name = {name.casefold(): name for name in schema}
    keys: dict[str, str] = {}
    for table in source_tables(tree):
        written = ".".join(part.name for part in table.parts)
        if written.casefold() not in by_name:
            raise NotFound(f"there is no table '{written}'", hint="check its schema and spelling")
        name = by_name[written.casefold()]
        key = keys.setdefault(name, f"source_{len(keys)}")
        if not table.alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name, quoted=True)))
        for part in ("db", "catalog"):
            table.set(part, None)
        table.set("this", exp.to_identifier(key))
    return {
        key: Source(name, {column.name.lower(): column for column in schema[name]})
        for name, key in keys.items()
    }


def _is_cte(table: exp.Table) -> bool:
    """Whether a name means a common table expression that is visible where it stands."""
    return not table.args.get("db") and table.name.casefold() in _visible_ctes(table)


def _visible_ctes(node: Expr) -> Iterator[str]:
    inside: Expr | None = None
    place = node.parent
    while place is not None:
        if isinstance(place, exp.CTE):
            inside = place
        clause = place.args.get("with_")
        if isinstance(clause, exp.With):
            for cte in clause.expressions:
                if cte is inside and not clause.recursive:
                    break
                yield cte.alias.casefold()
            inside = None
        place = place.parent

"""The one gate through which statements reach catalog tables.

Whatever narrows a statement to one lake belongs here, because no statement gets at a table
in another way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy import (
    BigInteger,
    Column,
    MetaData,
    Text,
    and_,
    bindparam,
    column,
    false,
    literal,
    null,
    or_,
    select,
    table,
    text,
)
from sqlalchemy.sql import ColumnElement, FromClause, Select, Subquery, func
from sqlalchemy.sql.schema import Table
from sqlalchemy.types import TypeEngine

from quacklake.catalog.location import Backend
from quacklake.catalog.tables import WORD, define, define_own

INLINED_DELETES: Final = "ducklake_inlined_delete_"
"""Name of the table of inlined deletes, before the table's id."""

AT: Final = bindparam("at", type_=BigInteger())
"""The snapshot a statement is about."""
TABLE: Final = bindparam("table", type_=BigInteger())
"""The id of the table a statement is about."""

AFTER: Final = bindparam("after", type_=BigInteger())
"""The snapshot before a window of snapshots."""
UPTO: Final = bindparam("upto", type_=BigInteger())
"""The last snapshot of a window."""

P = ParamSpec("P")
S = TypeVar("S")


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """The catalog tables of one lake: which database, and which schema in it."""

    backend: Backend
    schema: str | None
    tables: Mapping[str, Table] = field(init=False, repr=False)
    own: Mapping[str, Table] = field(init=False, repr=False)
    views: dict[str, FromClause] = field(init=False, repr=False)
    built: dict[tuple[object, ...], Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        tables, own = define(self.schema), define_own(self.schema)
        views = {name: rows.alias(name) for name, rows in {**tables, **own}.items()}
        object.__setattr__(self, "tables", tables)
        object.__setattr__(self, "own", own)
        object.__setattr__(self, "views", views)

    def rows(self, name: str) -> FromClause:
        """The rows of `ducklake_<name>`, or of our own table `name`, that belong to this lake."""
        return self.views[name]

    def target(self, name: str) -> Table:
        """`ducklake_<name>`, or our own table `name`, to be changed."""
        return self.own[name] if name in self.own else self.tables[name]

    def inlined_table(self, name: str, types: dict[str, TypeEngine[Any]]) -> Table:
        """An inlined data table, to be made or changed: three columns of the format, then ours."""
        life = ("row_id", "begin_snapshot", "end_snapshot")
        numbers = [Column(word, BigInteger()) for word in life]
        own = [Column(word, kind) for word, kind in types.items()]
        return Table(name, MetaData(schema=self.schema), *numbers, *own)

    def inlined_delete_table(self, table_id: int) -> Table:
        """The table of a table's inlined deletes, to be made or changed."""
        numbers = [Column(name, BigInteger()) for name in ("file_id", "row_id", "begin_snapshot")]
        return Table(f"{INLINED_DELETES}{table_id}", MetaData(schema=self.schema), *numbers)

    def spelled(self, name: str) -> str:
        """The full name of a table as the database's own SQL quotes it."""
        mark = "`" if self.backend is Backend.MYSQL else '"'
        parts = (name,) if self.schema is None else (self.schema, name)
        return ".".join(mark + part.replace(mark, mark * 2) + mark for part in parts)

    def in_text(self, name: str) -> str:
        """The full name of a table in textual statements, where a colon begins a parameter."""
        return self.spelled(name).replace(":", "\\:")

    def inlined_deletes(self, table_id: int) -> FromClause:
        """The inlined deletes of a table, which exist only after the first one."""
        numbers = [column(name, BigInteger()) for name in ("file_id", "row_id", "begin_snapshot")]
        return table(f"{INLINED_DELETES}{table_id}", *numbers, schema=self.schema)

    def inlined_rows(self, name: str, columns: tuple[str, ...]) -> FromClause:
        """An inlined data table: three columns of the format, then `columns`."""
        life = [column(word, BigInteger()) for word in ("row_id", "begin_snapshot", "end_snapshot")]
        shape = [*life, *(column(word) for word in columns)]
        if self.backend is not Backend.POSTGRES or not columns:
            return table(name, *shape, schema=self.schema)
        # DuckDB lets PostgreSQL fold some names to lower case: go by position, under our names.
        named = select(*(null().label(each.name) for each in shape)).where(false())
        everything = text(f"SELECT * FROM {self.in_text(name)}").columns(*shape)
        return named.union_all(everything).subquery("inlined")

    def installed(self) -> Subquery:
        """The names of all tables in the lake's schema, as `name`."""
        chosen: Select[Any]
        match self.backend:
            case Backend.SQLITE:
                names = table("sqlite_master", column("name", WORD), column("type", WORD))
                chosen = select(names.c.name).where(names.c.type == literal("table"))
            case Backend.DUCKDB:
                found = func.duckdb_tables().table_valued(
                    "database_name", "schema_name", "table_name"
                )
                chosen = select(found.c.table_name.label("name")).where(
                    found.c.database_name == func.current_database(),
                    found.c.schema_name == literal(self.schema),
                )
            case Backend.POSTGRES:
                classes = table(
                    "pg_class",
                    column("relname", Text()),
                    column("relnamespace"),
                    schema="pg_catalog",
                )
                spaces = table(
                    "pg_namespace", column("oid"), column("nspname", Text()), schema="pg_catalog"
                )
                chosen = (
                    select(classes.c.relname.label("name"))
                    .join_from(classes, spaces, classes.c.relnamespace == spaces.c.oid)
                    .where(spaces.c.nspname == literal(self.schema))
                )
            case Backend.MYSQL:
                names = table(
                    "tables",
                    column("table_name"),
                    column("table_schema"),
                    schema="information_schema",
                )
                chosen = select(names.c.table_name.label("name")).where(
                    names.c.table_schema
                    == (literal(self.schema) if self.schema else func.database())
                )
        return chosen.subquery("installed")


_LASTING: Final = 2_000
"""How many statements a scope keeps: some name a table, and there may be many tables."""


@lru_cache(maxsize=64)
def scope_of(backend: Backend, schema: str | None) -> Scope:
    """The scope, with the statements that were built before: lakes are opened often."""
    return Scope(backend, schema)


def visible(rows: FromClause) -> ColumnElement[bool]:
    """Whether a row is part of the lake at the snapshot `AT`."""
    columns: Any = rows.c
    return and_(
        columns.begin_snapshot <= AT,
        or_(columns.end_snapshot.is_(None), columns.end_snapshot > AT),
    )


def within(snapshot: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether a snapshot lies in the window after `AFTER`, up to and including `UPTO`."""
    return and_(snapshot > AFTER, snapshot <= UPTO)


def built_once(build: Callable[Concatenate[Scope, P], S]) -> Callable[Concatenate[Scope, P], S]:
    """Build a statement once per scope: composing one takes longer than many databases answer."""
    name = f"{build.__module__}.{build.__qualname__}"

    @wraps(build)
    def statement(scope: Scope, /, *args: P.args, **kwargs: P.kwargs) -> S:
        key = name, args, *kwargs.items()
        found: S | None = scope.built.get(key)
        if found is None:
            if len(scope.built) >= _LASTING:
                scope.built.clear()
            found = scope.built[key] = build(scope, *args, **kwargs)
        return found

    return statement

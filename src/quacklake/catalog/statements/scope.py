"""The one gate through which statements reach catalog tables.

Whatever narrows a statement to one lake belongs here, because no statement gets at a table
in another way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import BigInteger, Text, and_, column, literal, or_, select, table
from sqlalchemy.sql import ColumnElement, FromClause, Subquery
from sqlalchemy.sql.schema import Table
from sqlalchemy.sql import func

from quacklake.catalog.location import Backend
from quacklake.catalog.tables import WORD, define

INLINED_DELETES = "ducklake_inlined_delete_"
"""Name of the table of inlined deletes, before the table's id."""


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """The catalog tables of one lake: which database, and which schema in it."""

    backend: Backend
    schema: str | None
    tables: dict[str, Table] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", define(self.schema))

    def rows(self, name: str) -> FromClause:
        """The rows of `ducklake_<name>` that belong to this lake."""
        return self.tables[name].alias(name)

    def inlined_deletes(self, table_id: int) -> FromClause:
        """The inlined deletes of a table, which exist only after the first one."""
        numbers = [column(name, BigInteger()) for name in ("file_id", "row_id", "begin_snapshot")]
        return table(f"{INLINED_DELETES}{table_id}", *numbers, schema=self.schema)

    def inlined_rows(self, name: str, columns: tuple[str, ...]) -> FromClause:
        """An inlined data table: three columns of the format, then `columns`."""
        life = [
            column(word, BigInteger()) for word in ("row_id", "begin_snapshot", "end_snapshot")
        ]
        return table(name, *life, *(column(word) for word in columns), schema=self.schema)

    def installed(self) -> Subquery:
        """The names of all tables in the lake's schema, as `name`."""
        match self.backend:
            case Backend.SQLITE:
                names = table("sqlite_master", column("name", WORD), column("type", WORD))
                chosen = select(names.c.name).where(names.c.type == literal("table"))
            case Backend.DUCKDB:
                found = func.duckdb_tables().table_valued("database_name", "schema_name", "table_name")
                chosen = select(found.c.table_name.label("name")).where(
                    found.c.database_name == func.current_database(),
                    found.c.schema_name == literal(self.schema),
                )
            case Backend.POSTGRES:
                classes = table("pg_class", column("relname", Text()), column("relnamespace"), schema="pg_catalog")
                spaces = table("pg_namespace", column("oid"), column("nspname", Text()), schema="pg_catalog")
                chosen = (
                    select(classes.c.relname.label("name"))
                    .join_from(classes, spaces, classes.c.relnamespace == spaces.c.oid)
                    .where(spaces.c.nspname == literal(self.schema))
                )
            case Backend.MYSQL:
                names = table("tables", column("table_name"), column("table_schema"), schema="information_schema")
                chosen = select(names.c.table_name.label("name")).where(
                    names.c.table_schema == (literal(self.schema) if self.schema else func.database())
                )
        return chosen.subquery("installed")


def visible(rows: FromClause, at: int | ColumnElement[int]) -> ColumnElement[bool]:
    """Whether a row is part of the lake at snapshot `at`."""
    columns: Any = rows.c
    return and_(
        columns.begin_snapshot <= at,
        or_(columns.end_snapshot.is_(None), columns.end_snapshot > at),
    )

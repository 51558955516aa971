"""A plan becomes an in-memory DuckDB in which its query can run.

Each snapshot is a database of views over our scan. Nothing else can be reached: no files, no
extensions, no Python variables.
"""

from __future__ import annotations

import tempfile
from typing import Final, assert_never

import duckdb

from quacklake.client.session import Session
from quacklake.engine.local.sources import Source
from quacklake.format.sqltypes import literal, quoted, sql_type
from quacklake.format.table import Macro
from quacklake.kernel.errors import UsageError
from quacklake.sql.plan import (
    DeclaredMacro,
    DeclaredTable,
    DeclaredView,
    QueryPlan,
    database_name,
    qualified,
)

_CONFIG: Final[dict[str, str | bool | int | float | list[str]]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}


def opened(
    plan: QueryPlan, session: Session, problems: list[BaseException]
) -> duckdb.DuckDBPyConnection:
    """A connection where everything `plan` names is declared; close it after use."""
    connection = duckdb.connect(":memory:", config=_CONFIG)
    try:
        _prepare(connection, plan)
        for number, declared in enumerate(plan.declarations):
            match declared:
                case DeclaredTable(stands_in=True):
                    _stand_in(connection, declared)
                case DeclaredTable():
                    source = Source(
                        session, declared.table, declared.at, problems, declared.virtual
                    )
                    _table(connection, source, f"source {number}")
                case DeclaredView():
                    _view(connection, declared)
                case DeclaredMacro():
                    _macro(connection, declared)
                case _:
                    assert_never(declared)
    except BaseException:
        connection.close()
        raise
    connection.execute("SET lock_configuration = true")
    return connection


def _prepare(connection: duckdb.DuckDBPyConnection, plan: QueryPlan) -> None:
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(f"SET temp_directory = {literal(tempfile.gettempdir())}")
    head = database_name(plan.snapshot.id)
    for database in sorted({head, *(each.database for each in plan.declarations)}):
        connection.execute(f"ATTACH ':memory:' AS {quoted(database)}")
    connection.execute(f"USE {quoted(head)}")
    # The name of the first database would stand in the way of a schema called like it.
    connection.execute("DETACH memory")
    connection.execute("SET enable_external_access = false")
    for declared in plan.declarations:
        owner = quoted(declared.database)
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {owner}.{quoted(declared.name.schema)}")


def _table(connection: duckdb.DuckDBPyConnection, source: Source, name: str) -> None:
    connection.register(name, source.dataset())
    relation = qualified(source.table.name, source.at.id, virtual=bool(source.virtual))
    connection.execute(
        f"CREATE VIEW {relation} AS SELECT {source.typed_columns()} FROM temp.main.{quoted(name)}"
    )


def _stand_in(connection: duckdb.DuckDBPyConnection, declared: DeclaredTable) -> None:
    columns = ", ".join(
        f"{quoted(column.name)} {sql_type(column.type)}" for column in declared.table.columns
    )
    connection.execute(f"CREATE TABLE {qualified(declared.table.name, declared.at.id)} ({columns})")


def _view(connection: duckdb.DuckDBPyConnection, declared: DeclaredView) -> None:
    aliases = ", ".join(quoted(alias) for alias in declared.view.column_aliases)
    listed = f" ({aliases})" if aliases else ""
    name = qualified(declared.view.name, declared.at.id)
    try:
        connection.execute(f"CREATE VIEW {name}{listed} AS\n{declared.sql}")
    except duckdb.Error as error:
        raise UsageError(
            f"view '{declared.view.name}' cannot be read: {first_line(error)}",
            hint="its definition no longer fits the tables it reads",
        ) from error


def _macro(connection: duckdb.DuckDBPyConnection, declared: DeclaredMacro) -> None:
    bodies = ", ".join(_implementation(each) for each in declared.implementations)
    try:
        connection.execute(f"CREATE MACRO {qualified(declared.name, declared.at.id)} {bodies}")
    except duckdb.Error as error:
        raise UsageError(f"macro '{declared.name}' cannot be used: {first_line(error)}") from error


def _implementation(macro: Macro) -> str:
    kind = "TABLE" if macro.is_table else ""
    return f"({', '.join(macro.parameters)}) AS {kind}\n{macro.sql}\n"


def first_line(error: duckdb.Error) -> str:
    """What DuckDB says, without its name for the kind of error and without the query."""
    line = str(error).splitlines()[0]
    _, separator, rest = line.partition(" Error: ")
    return rest if separator else line

"""Tables of inlined rows and deletes: made, filled, emptied and dropped.

Rows are inserted by position: DuckDB lets PostgreSQL fold some names of columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, assert_never

from sqlalchemy import BigInteger, LargeBinary, String, delete, select, text, update
from sqlalchemy.dialects import mysql
from sqlalchemy.schema import CreateTable, DropTable
from sqlalchemy.types import TypeEngine

from quacklake.catalog.encode import Kept, cells, kept_as
from quacklake.catalog.location import Backend
from quacklake.catalog.mutations import (
    CreateInlined,
    DropInlined,
    DropInlinedDeletes,
    EndInlined,
    InsertInlined,
    InsertInlinedDeletes,
    RemoveInlined,
    RemoveInlinedDeletes,
)
from quacklake.catalog.statements.bulk import inserted
from quacklake.catalog.statements.inlined import Spelled
from quacklake.catalog.statements.scope import Scope
from quacklake.catalog.statements.work import (
    STAGED,
    Define,
    Drop,
    Load,
    Statement,
    Work,
    batches,
)
from quacklake.catalog.tables import WORD
from quacklake.format.casting import restored
from quacklake.format.sqltypes import sql_type
from quacklake.format.types import Decimal, Kind, LakeType, Scalar
from quacklake.kernel.ids import TableId

_POSTGRES: Final = {
    Kind.BOOLEAN: "BOOLEAN",
    Kind.INT8: "SMALLINT",
    Kind.INT16: "SMALLINT",
    Kind.INT32: "INTEGER",
    Kind.INT64: "BIGINT",
    Kind.UINT8: "INTEGER",
    Kind.UINT16: "INTEGER",
    Kind.UINT32: "BIGINT",
    Kind.FLOAT32: "REAL",
    Kind.FLOAT64: "DOUBLE PRECISION",
    Kind.TIME: "TIME",
    Kind.TIMETZ: "TIME WITH TIME ZONE",
    Kind.INTERVAL: "INTERVAL",
    Kind.UUID: "UUID",
    Kind.VARCHAR: "BYTEA",
    Kind.JSON: "BYTEA",
    Kind.BLOB: "BYTEA",
}


def storage_type(lake_type: LakeType, backend: Backend) -> TypeEngine[Any]:
    """The type of a column of inlined rows, as DuckDB makes it in such a catalog."""
    match backend:
        case Backend.DUCKDB:
            return Spelled(sql_type(lake_type))
        case Backend.POSTGRES:
            return Spelled(_postgres(lake_type))
        case Backend.SQLITE:
            return _plain(lake_type, String(), LargeBinary())
        case Backend.MYSQL:
            return _plain(lake_type, WORD, mysql.LONGBLOB())


def _postgres(lake_type: LakeType) -> str:
    match lake_type:
        case Scalar(kind):
            return _POSTGRES.get(kind, "VARCHAR")
        case Decimal(precision, scale):
            return f"NUMERIC({precision}, {scale})"
        case _:
            return "VARCHAR"


def _plain(lake_type: LakeType, words: TypeEngine[Any], octets: TypeEngine[Any]) -> TypeEngine[Any]:
    match kept_as(lake_type):
        case Kept.NUMBER | Kept.FLAG:
            return BigInteger()
        case Kept.BYTES:
            return octets
        case Kept.WORD | Kept.TEXT:
            return words


def name_of(table: TableId, schema_version: int) -> str:
    """The name of the table that holds a table's inlined rows of one schema."""
    return f"ducklake_inlined_data_{table}_{schema_version}"


def defined(
    scope: Scope, mutation: CreateInlined | DropInlined | DropInlinedDeletes
) -> Iterator[Work]:
    """Tables that come and go."""
    registry = scope.target("inlined_data_tables")
    match mutation:
        case CreateInlined(table, version, columns):
            name = name_of(table, version)
            types = {each.name: storage_type(each.type, scope.backend) for each in columns}
            made = scope.inlined_table(name, types)
            yield Define(
                CreateTable(made),
                DropTable(made, if_exists=True),
                select(registry.c.table_id).where(registry.c.table_name == name),
            )
            yield from inserted(scope, registry, [(table, name, version)])
        case DropInlined(table, version):
            here = registry.c.table_id == table
            yield Statement(delete(registry).where(here, registry.c.schema_version == version))
            gone = scope.inlined_table(name_of(table, version), {})
            yield Drop(DropTable(gone, if_exists=True))
        case DropInlinedDeletes(table):
            yield Drop(DropTable(scope.inlined_delete_table(table), if_exists=True))
        case _:
            assert_never(mutation)


def rows_changed(
    scope: Scope, mutation: InsertInlined | EndInlined | RemoveInlined
) -> Iterator[Work]:
    """Inlined rows that come, end and go."""
    name = name_of(mutation.table, mutation.schema_version)
    match mutation:
        case InsertInlined():
            if mutation.rows.num_rows:
                yield _inserted_rows(scope, name, mutation)
        case EndInlined(row_ids=row_ids, at=at):
            rows = scope.inlined_table(name, {})
            for batch in batches(row_ids):
                # An update gives the new row, begun in this very commit, the old one's id.
                live = rows.c.end_snapshot.is_(None) & (rows.c.begin_snapshot != at)
                ended = update(rows).where(rows.c.row_id.in_(batch), live)
                yield Statement(ended.values(end_snapshot=at))
        case RemoveInlined(until=until):
            rows = scope.inlined_table(name, {})
            yield Statement(delete(rows).where(rows.c.begin_snapshot <= until))
        case _:
            assert_never(mutation)


def _inserted_rows(scope: Scope, name: str, mutation: InsertInlined) -> Statement | Load:
    row_ids, *values = mutation.rows.columns
    if scope.backend is Backend.DUCKDB:
        return _staged(scope, name, mutation)
    columns = cells(values, mutation.columns, scope.backend)
    begins = [mutation.begin] * len(row_ids)
    rows = zip(row_ids.to_pylist(), begins, [None] * len(row_ids), *columns, strict=True)
    names = [f"p{i}" for i in range(3 + len(columns))]
    places = ", ".join(f":{name}" for name in names)
    return Statement(
        text(f"INSERT INTO {scope.in_text(name)} VALUES ({places})"),
        [dict(zip(names, row, strict=True)) for row in rows],
    )


def _staged(scope: Scope, name: str, mutation: InsertInlined) -> Load:
    names = [f"c{i}" for i in range(1 + len(mutation.columns))]
    values = [
        restored(name, column.type)
        for name, column in zip(names[1:], mutation.columns, strict=True)
    ]
    chosen = ", ".join((names[0], str(int(mutation.begin)), "NULL", *values))
    return Load(
        f"INSERT INTO {scope.spelled(name)} SELECT {chosen} FROM {STAGED}",
        mutation.rows.rename_columns(names),
    )


def deletes_changed(
    scope: Scope, mutation: InsertInlinedDeletes | RemoveInlinedDeletes
) -> Iterator[Work]:
    """Inlined deletes that come and go."""
    rows = scope.inlined_delete_table(mutation.table)
    match mutation:
        case InsertInlinedDeletes(positions=positions, begin=begin):
            yield Define(CreateTable(rows, if_not_exists=True))
            added = [(file, position, begin) for file, position in positions]
            yield from inserted(scope, rows, added)
        case RemoveInlinedDeletes(files=files, until=until):
            for batch in batches(files):
                known = rows.c.begin_snapshot <= until
                yield Statement(delete(rows).where(rows.c.file_id.in_(batch), known))
        case _:
            assert_never(mutation)

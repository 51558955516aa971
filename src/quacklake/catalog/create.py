"""An empty lake: the tables of the format and its first snapshot."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

from sqlalchemy import insert
from sqlalchemy.engine import Connection
from sqlalchemy.schema import CreateSchema, CreateTable

from quacklake.catalog.location import Backend
from quacklake.catalog.statements.scope import Scope

FORMAT_VERSION = "1.0"
CREATED_BY = "Quacklake"


def create_lake(
    connection: Connection, scope: Scope, data_path: str, *, encrypted: bool = False
) -> None:
    """Write an empty lake with `data_path` into a database that has none."""
    if scope.schema is not None and scope.backend is not Backend.MYSQL:
        connection.execute(CreateSchema(scope.schema, if_not_exists=True))
    for table in scope.tables.values():
        connection.execute(CreateTable(table, if_not_exists=True))
    tables = scope.tables
    facts = {
        "version": FORMAT_VERSION,
        "created_by": CREATED_BY,
        "data_path": data_path,
        "encrypted": "true" if encrypted else "false",
    }
    connection.execute(
        insert(tables["metadata"]), [{"key": key, "value": value} for key, value in facts.items()]
    )
    connection.execute(
        insert(tables["snapshot"]),
        {
            "snapshot_id": 0,
            "snapshot_time": datetime.now(UTC),
            "schema_version": 0,
            "next_catalog_id": 1,
            "next_file_id": 0,
        },
    )
    connection.execute(
        insert(tables["snapshot_changes"]),
        {"snapshot_id": 0, "changes_made": 'created_schema:"main"'},
    )
    connection.execute(
        insert(tables["schema"]),
        {
            "schema_id": 0,
            "schema_uuid": str(uuid4()),
            "begin_snapshot": 0,
            "schema_name": "main",
            "path": "main/",
            "path_is_relative": True,
        },
    )

"""The ways a user names a table or a snapshot, as values."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlglot import exp
from sqlglot.errors import SqlglotError

from quacklake.format.snapshot import AtTime, AtVersion, Latest, SnapshotRef
from quacklake.format.table import TableName
from quacklake.kernel.errors import UsageError
from quacklake.kernel.ids import SnapshotId

DEFAULT_SCHEMA = "main"


def table_name(text: str) -> TableName:
    """`name`, `schema.name`, each part quoted with double quotes where it needs to be."""
    try:
        table = exp.to_table(text, dialect="duckdb")
    except SqlglotError as error:
        raise UsageError(
            f"'{text}' is not a table name", hint='quote unusual names: schema."my table"'
        ) from error
    if not table.name or table.catalog:
        raise UsageError(f"'{text}' is not a table name", hint="write table or schema.table")
    return TableName(table.db or DEFAULT_SCHEMA, table.name)


def snapshot_ref(snapshot: int | None, timestamp: datetime | str | None) -> SnapshotRef:
    """The snapshot a call asks for: by id, by time, or the newest."""
    if snapshot is not None and timestamp is not None:
        raise UsageError("a scan takes a snapshot or a timestamp, not both")
    if snapshot is not None:
        if isinstance(snapshot, bool) or not isinstance(snapshot, int):
            raise UsageError(f"a snapshot is a number, not {type(snapshot).__name__}")
        return AtVersion(SnapshotId(snapshot))
    return Latest() if timestamp is None else AtTime(instant(timestamp))


def instant(given: datetime | str) -> datetime:
    """A point in time; without a zone it is UTC."""
    if isinstance(given, str):
        try:
            given = datetime.fromisoformat(given)
        except ValueError as error:
            raise UsageError(
                f"'{given}' is not a timestamp", hint="write it like 2026-01-31 12:00:00+00:00"
            ) from error
    return given if given.tzinfo else given.replace(tzinfo=UTC)

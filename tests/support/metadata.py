"""Every row of a catalog's metadata tables, in a form in which two lakes can be compared.

Ids, counters, statistics and change texts are kept as they are. What two writers cannot agree
on is replaced: instants, uuids, names of files, and sizes that depend on a Parquet library.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping

from quacklake.format.changes import ChangeKind, parse_changes

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_INSTANTS = {"snapshot_time", "schedule_start"}
_SIZES = {"file_size_bytes", "footer_size", "column_size_bytes"}
_NOT_COMPARED = {"ducklake_metadata"}

Row = tuple[object, ...]


def metadata_rows(path: str) -> dict[str, list[Row]]:
    """The rows of each metadata table of a SQLite catalog, inlined tables included."""
    with sqlite3.connect(path) as database:
        names = [
            name
            for (name,) in database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'ducklake%'"
            )
            if name not in _NOT_COMPARED
        ]
        found = {name: _rows(database, name) for name in sorted(names)}
    database.close()
    return found


def _rows(database: sqlite3.Connection, name: str) -> list[Row]:
    cursor = database.execute(f'SELECT * FROM "{name}"')
    columns = [description[0] for description in cursor.description]
    return sorted((_normal(row, columns) for row in cursor), key=repr)


def _normal(row: Iterable[object], columns: list[str]) -> Row:
    return tuple(_cell(value, column) for value, column in zip(row, columns, strict=True))


def _cell(value: object, column: str) -> object:
    if value is None:
        return None
    if column in _INSTANTS:
        return "<instant>"
    if column in _SIZES:
        return "<size>"
    return _UUID.sub("<uuid>", value) if isinstance(value, str) else value


GUARDS = frozenset(
    {ChangeKind.DELETED_FROM_TABLE, ChangeKind.INLINED_INSERT, ChangeKind.INLINED_DELETE}
)
"""Words we say beside what we did, so that a DuckDB writer gives way."""


def _without_guards(mine: list[Row], other: list[Row]) -> list[Row]:
    """Our change texts as DuckDB has them, if all they say more are guards."""
    theirs = {row[0]: row for row in other}
    made = []
    for row in mine:
        expected = theirs.get(row[0], row)
        extra = set(parse_changes(str(row[1]))) - set(parse_changes(str(expected[1])))
        missing = set(parse_changes(str(expected[1]))) - set(parse_changes(str(row[1])))
        same = not missing and all(change.kind in GUARDS for change in extra)
        made.append(expected if same else row)
    return made


def _without_lead(snapshots: list[Row], lead: Mapping[int, int]) -> list[Row]:
    """Our snapshots as if the counter of files had not been raised for live sessions' sake."""
    return [(*row[:-1], int(str(row[-1])) - lead.get(int(str(row[0])), 0)) for row in snapshots]


def differences(
    ours: dict[str, list[Row]], theirs: dict[str, list[Row]], lead: Mapping[int, int]
) -> list[str]:
    """What stands only in one of two lakes, one line each.

    `lead` says by how much our counter of files is ahead in each snapshot.
    """
    lines = []
    for table in sorted(ours.keys() | theirs.keys()):
        mine, other = list(ours.get(table, [])), list(theirs.get(table, []))
        if table == "ducklake_snapshot_changes":
            mine = _without_guards(mine, other)
        if table == "ducklake_snapshot":
            mine = _without_lead(mine, lead)
        if (table in ours) != (table in theirs):
            lines.append(f"{table} exists only in {'ours' if table in ours else 'theirs'}")
        lines += [f"ours   {table} {row}" for row in mine if row not in other]
        lines += [f"theirs {table} {row}" for row in other if row not in mine]
        if len(mine) != len(other):
            lines.append(f"{table} has {len(mine)} rows, theirs {len(other)}")
    return lines

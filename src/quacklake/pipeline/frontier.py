"""How far each source of a stream table has been read: one position per source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from quacklake.format.table import Table, TableName
from quacklake.kernel.ids import SnapshotId, TableId


@dataclass(frozen=True, slots=True)
class Position:
    """A snapshot of a lake table; the id tells a table from one made anew under its name."""

    snapshot: SnapshotId
    table: TableId


Frontier: TypeAlias = Mapping[str, Position]
"""Positions by the name of the source, such as `ducklake:main.orders`."""


def source_key(name: TableName) -> str:
    """What a lake table is called in frontiers."""
    return f"ducklake:{name}"


def snapshots(frontier: Frontier, tables: Mapping[str, Table]) -> dict[str, SnapshotId]:
    """The snapshot of each table up to which it was read, as far as it was."""
    known = ((name, frontier.get(source_key(table.name))) for name, table in tables.items())
    return {name: position.snapshot for name, position in known if position is not None}


def frontier_text(frontier: Frontier) -> str:
    """The frontier as the catalog keeps it."""
    return json.dumps(shown(frontier), sort_keys=True)


def shown(frontier: Frontier) -> dict[str, dict[str, int]]:
    """The frontier as users see it."""
    return {
        key: {"snapshot_id": int(each.snapshot), "table_id": int(each.table)}
        for key, each in frontier.items()
    }


def frontier_from(text: str) -> Frontier:
    """The frontier that the catalog keeps."""
    return {
        key: Position(SnapshotId(each["snapshot_id"]), TableId(each["table_id"]))
        for key, each in json.loads(text).items()
    }

"""What a commit says it did: the `changes_made` grammar.

Entries are `kind:value`, separated by commas outside quotes. A value is a decimal id, a
quoted schema name, or two quoted names joined by a point.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from quacklake.kernel.errors import CorruptLake


class ChangeKind(StrEnum):
    """Every kind of change the format knows; no other may be written."""

    DROPPED_SCHEMA = "dropped_schema"
    DROPPED_TABLE = "dropped_table"
    DROPPED_VIEW = "dropped_view"
    CREATED_SCHEMA = "created_schema"
    CREATED_TABLE = "created_table"
    CREATED_VIEW = "created_view"
    CREATED_SCALAR_MACRO = "created_scalar_macro"
    CREATED_TABLE_MACRO = "created_table_macro"
    DROPPED_SCALAR_MACRO = "dropped_scalar_macro"
    DROPPED_TABLE_MACRO = "dropped_table_macro"
    INSERTED_INTO_TABLE = "inserted_into_table"
    DELETED_FROM_TABLE = "deleted_from_table"
    ALTERED_TABLE = "altered_table"
    ALTERED_VIEW = "altered_view"
    INLINED_INSERT = "inlined_insert"
    INLINED_DELETE = "inlined_delete"
    INLINE_FLUSH = "inline_flush"
    MERGE_ADJACENT = "merge_adjacent"
    REWRITE_DELETE = "rewrite_delete"
    COMPACTED_TABLE = "compacted_table"


_ALIASES = {"flushed_inlined": ChangeKind.INLINE_FLUSH}


@dataclass(frozen=True, slots=True)
class Change:
    """One thing a commit did: to the object with `id`, or to the one with `names`."""

    kind: ChangeKind
    id: int | None = None
    names: tuple[str, ...] = ()


_NAME = r'"(?:[^"]|"")*"'
_ENTRY = re.compile(rf"\s*([A-Za-z_]+):(\d+|{_NAME}(?:\.{_NAME})?)\s*(?:,|$)")


def parse_changes(text: str | None) -> tuple[Change, ...]:
    """The changes of a commit, in the order written; nothing for a commit that says nothing."""
    found: list[Change] = []
    position = 0
    source = text or ""
    while position < len(source):
        match = _ENTRY.match(source, position)
        if match is None:
            raise CorruptLake("a snapshot's list of changes is malformed", changes=source)
        found.append(_change(match[1], match[2]))
        position = match.end()
    return tuple(found)


def _change(kind_name: str, value: str) -> Change:
    name = kind_name.lower()
    try:
        kind = _ALIASES.get(name) or ChangeKind(name)
    except ValueError:
        raise CorruptLake(f"unknown kind of change '{kind_name}' in a snapshot") from None
    if value.isdigit():
        return Change(kind, id=int(value))
    names = tuple(part[1:-1].replace('""', '"') for part in re.findall(_NAME, value))
    return Change(kind, names=names)


def render_changes(changes: tuple[Change, ...]) -> str:
    """The text of a commit's changes, in the format's order."""
    order = list(ChangeKind)
    return ",".join(
        _rendered(change) for change in sorted(changes, key=lambda c: order.index(c.kind))
    )


def _rendered(change: Change) -> str:
    if change.id is not None:
        return f"{change.kind}:{change.id}"
    names = ('"' + name.replace('"', '""') + '"' for name in change.names)
    return f"{change.kind}:{'.'.join(names)}"

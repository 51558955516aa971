"""The options in force for a table: its own, its schema's, the lake's, or the defaults."""

from __future__ import annotations

from collections.abc import Iterable

from quacklake.catalog.inspection import Option
from quacklake.format.table import TableName

DEFAULT_INLINING_LIMIT = 10


def options_for(options: Iterable[Option], table: TableName) -> dict[str, str]:
    """Option values by name, the narrowest scope first."""
    own = f"{table.schema}.{table.table}".casefold()
    ranks = {"global": 0, "schema": 1, "table": 2}
    found: dict[str, tuple[int, str]] = {}
    for option in options:
        name = (option.scope_name or "").casefold()
        applies = (
            option.scope == "global"
            or (option.scope == "schema" and name == table.schema.casefold())
            or (option.scope == "table" and name == own)
        )
        rank = ranks.get(option.scope, -1)
        if applies and rank >= found.get(option.key, (-1, ""))[0]:
            found[option.key] = rank, option.value
    return {key: value for key, (_, value) in found.items()}


def inlining_limit(options: dict[str, str]) -> int:
    """How many rows of one statement the catalog keeps itself."""
    return int(options.get("data_inlining_row_limit", DEFAULT_INLINING_LIMIT))


def sorts_on_insert(options: dict[str, str]) -> bool:
    """Whether new files are written in the table's sort order."""
    return options.get("sort_on_insert", "true").lower() in ("true", "1")

"""The options in force for a table: its own, its schema's, the lake's, or the defaults."""

from __future__ import annotations

from collections.abc import Iterable

from quacklake.catalog.inspection import Option
from quacklake.catalog.mutations import Delete, Insert
from quacklake.client.references import table_name
from quacklake.client.session import Session
from quacklake.format.options import stored_value
from quacklake.format.snapshot import Latest
from quacklake.format.table import TableName
from quacklake.kernel.errors import NotFound, UsageError

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


def set_option(
    session: Session, name: str, value: object, *, schema: str | None, table: str | None
) -> None:
    """Store an option; options have no history, so no snapshot is made."""
    if schema is not None and table is not None:
        raise UsageError("an option is set for a schema or for a table, not both")
    text = stored_value(name, value)
    with session.catalog.write() as writer:
        at = writer.snapshot(Latest())
        scope: str | None = None
        identity: int | None = None
        if table is not None:
            scope, identity = "table", int(writer.table(table_name(table), at).id)
        elif schema is not None:
            found = [s.id for s in writer.schemas(at) if s.name.casefold() == schema.casefold()]
            if not found:
                raise NotFound(f"no schema '{schema}'", kind="schema", name=schema)
            scope, identity = "schema", int(found[0])
        where = (("key", name), ("scope", scope), ("scope_id", identity))
        writer.apply(
            (Delete("metadata", where), Insert("metadata", ((name, text, scope, identity),)))
        )

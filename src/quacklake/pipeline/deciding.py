"""What a refresh will do: nothing, follow the change, or compute anew; and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from quacklake.catalog.reader import CatalogReader
from quacklake.changefeed.counting import counted_rows, delete_files
from quacklake.changefeed.plan import ChangePlan, ChangeRequest, plan_changes
from quacklake.client.session import Session
from quacklake.format.snapshot import AtVersion
from quacklake.kernel.errors import SnapshotExpired, Unsupported
from quacklake.kernel.ids import SnapshotId, TableId
from quacklake.pipeline.choosing import Choice, Sizes, choose
from quacklake.pipeline.definition import Definition, LostHistory, Mode
from quacklake.pipeline.frontier import source_key
from quacklake.pipeline.sources import KeptQuery, Tables
from quacklake.pipeline.supply import Supply
from quacklake.pipeline.window import Since

_OPENED: Final = 100
"""So many delete files are opened at most to know how large a change is."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What happened to the sources, what to do about it, and what was read to know that."""

    since: Since
    choice: Choice | None
    supply: Supply | None = None


def decide(
    session: Session,
    target: SnapshotId,
    definition: Definition,
    view: KeptQuery,
    tables: Tables,
    since: Since,
    mode: Mode,
    staged: Mapping[TableId, int],
) -> Choice | None:
    """How to bring a view up to `target`; None if there is nothing to do.

    `staged` are how many rows of sources change in the same transaction.
    """
    if mode is Mode.FULL:
        return Choice(Mode.FULL, "asked for")
    if since.anew is not None:
        return anew(definition, mode, since.anew)
    if since.lost is not None:
        return _without_history(definition, mode, since.lost)
    if not since.changed:
        return None
    if view.recomputed is not None:
        return anew(definition, mode, view.recomputed)
    if mode is Mode.INCREMENTAL:
        return Choice(Mode.INCREMENTAL, "asked for")
    with session.reading() as reader:
        history = reader.refresh_rows(definition.table_id)
        whole, plans = _sources(reader, target, definition, tables, since)
    more = sum(staged.get(tables[name].id, 0) for name in since.changed)
    choice = choose(Sizes(sum(plan.rows for plan in plans) + more, whole), history)
    if choice.mode is Mode.FULL and 0 < sum(map(delete_files, plans)) <= _OPENED:
        exact = sum(counted_rows(plan, session.storage) for plan in plans)
        return choose(Sizes(exact + more, whole), history)
    return choice


def _sources(
    reader: CatalogReader,
    target: SnapshotId,
    definition: Definition,
    tables: Tables,
    since: Since,
) -> tuple[int, list[ChangePlan]]:
    """How many rows the sources have, and how the changes of those that changed are read."""
    plans: list[ChangePlan] = []
    whole = 0
    for name, table in tables.items():
        stats = reader.table_stats(table)
        whole += stats.record_count if stats else 0
        if name in since.changed:
            after = definition.frontier[source_key(table.name)].snapshot
            request = ChangeRequest(table.name, AtVersion(after), AtVersion(target))
            plans.append(plan_changes(reader, request, net=True))
    return whole, plans


def anew(definition: Definition, mode: Mode, why: str) -> Choice:
    """To compute anew, and why; an error if only changes are wanted."""
    if mode is Mode.INCREMENTAL:
        raise Unsupported(
            f"'{definition.name}' cannot be refreshed incrementally: {why}",
            hint="refresh it once with mode='full'",
        )
    return Choice(Mode.FULL, why)


def _without_history(definition: Definition, mode: Mode, lost: int) -> Choice:
    """What to do when snapshot `lost`, where the view stands, can no longer be read."""
    gone = f"snapshot {lost}, where it stands, has expired"
    policy = definition.settings.compaction_policy
    if policy is LostHistory.ERROR or mode is Mode.INCREMENTAL:
        raise SnapshotExpired(
            f"'{definition.name}' cannot be refreshed incrementally: {gone}",
            hint="refresh it with mode='full', and let snapshots live longer before they expire",
            snapshot=lost,
        )
    return Choice(Mode.FULL, f"{gone}; let snapshots live longer before they expire")

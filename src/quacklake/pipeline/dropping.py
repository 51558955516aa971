"""Stream tables dropped: the results, their states and their entries in one commit."""

from __future__ import annotations

from quacklake.client.defining import entries
from quacklake.client.session import Session
from quacklake.client.workspace import Workspace
from quacklake.format.table import TableName
from quacklake.kernel.errors import UsageError
from quacklake.pipeline.definition import Definition
from quacklake.pipeline.entries import Closed
from quacklake.pipeline.registry import definition_called, readers_of
from quacklake.transaction.commit import RetryPolicy
from quacklake.transaction.lowering.commit import CommitInfo


def drop(session: Session, name: TableName, *, cascade: bool = False) -> tuple[TableName, ...]:
    """Drop a stream table, its result and its states; with `cascade` those that read it too."""
    with session.reading() as reader:
        wanted = definition_called(reader, name)
        going = [wanted, *readers_of(reader, wanted)]
    if len(going) > 1 and not cascade:
        raise UsageError(
            f"stream table '{going[1].name}' reads '{wanted.name}'",
            hint="drop it first, or drop with cascade",
        )
    work = Workspace(session, refreshes=True)
    for each in going:
        close(work, each)
    work.commit(CommitInfo(message=f"drop stream table {wanted.name}"), RetryPolicy())
    return tuple(each.name for each in going)


def close(work: Workspace, definition: Definition) -> None:
    """Stage that a stream table goes."""
    names = (definition.state_name(state) for state in definition.states)
    # Another client may have dropped one: that is no reason to keep the rest.
    states = tuple(name for name in names if work.exists(name))
    ids = tuple(int(work.drafted(state).table.id) for state in states)
    for table in (definition.name, *states):
        entries.drop_table(work, table)
    work.draft = work.draft.with_entry(Closed(definition.table_id, ids))

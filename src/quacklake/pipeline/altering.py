"""The settings of a stream table changed; its rows stay as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from quacklake.catalog.ledger import moved
from quacklake.client.session import Session
from quacklake.format.table import TableName
from quacklake.pipeline.definition import Definition, altered_settings
from quacklake.pipeline.registry import definition_called


def alter(session: Session, name: TableName, given: Mapping[str, object]) -> Definition:
    """Change the settings that are given; it makes no snapshot."""
    with session.catalog.write() as writer:
        before = definition_called(writer, name)
        settings = altered_settings(before.settings, given)
        if settings == before.settings:
            return before
        after = replace(before, settings=settings, generation=before.generation + 1)
        writer.apply([moved(after.row(), before.generation)])
    return after

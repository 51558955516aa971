"""A stream table as it was declared, and as the catalog keeps it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, TypeVar
from uuid import uuid4

from quacklake.catalog.ledger import StreamRow
from quacklake.client.durations import duration
from quacklake.format.table import TableName
from quacklake.kernel.errors import UsageError
from quacklake.kernel.ids import TableId
from quacklake.pipeline.frontier import Frontier, frontier_from, frontier_text

W = TypeVar("W", bound=StrEnum)

STATE_SCHEMA: Final = "_quacklake"
"""The schema of the tables that carry what the columns of results do not."""


class Mode(StrEnum):
    """How a refresh is made: by what is cheaper, by the change alone, or anew."""

    AUTO = "auto"
    INCREMENTAL = "incremental"
    FULL = "full"


class LostHistory(StrEnum):
    """What a refresh does when the changes since its frontier can no longer be read."""

    FALLBACK = "fallback"
    ERROR = "error"


class Keeper(StrEnum):
    """The engines that keep results."""

    SPARK = "spark"
    LOCAL = "local"


_SETTINGS: Final = ("mode", "schedule", "compaction_policy", "engine")


@dataclass(frozen=True, slots=True)
class Settings:
    """What users set; `engine` keeps the results that it computed first.

    `columns` are those that each source had when the query was declared: a `*` means them.
    With `row_ids` every row is stored under the row id of the source's row it comes from. They
    are in `doubt` after others merged files, which may number rows anew.
    """

    mode: Mode = Mode.AUTO
    schedule: str | None = None
    compaction_policy: LostHistory = LostHistory.FALLBACK
    engine: str = "spark"
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    row_ids: bool = False
    doubt: bool = False


@dataclass(frozen=True, slots=True)
class Definition:
    """A stream table: its result's name and id, the query, and how far it was refreshed.

    `states` are the tables in `_quacklake` by the names the compiler gives them.
    """

    table_id: TableId
    name: TableName
    query: str
    settings: Settings
    states: Mapping[str, str]
    frontier: Frontier
    generation: int = 1

    def state_name(self, state: str) -> TableName:
        """The table that keeps one state."""
        return TableName(STATE_SCHEMA, self.states[state])

    def row(self) -> StreamRow:
        """The row of the catalog, with a token that no other has."""
        return StreamRow(
            self.table_id,
            self.query,
            _settings_text(self.settings),
            json.dumps(dict(self.states), sort_keys=True),
            frontier_text(self.frontier),
            self.generation,
            str(uuid4()),
        )

    def advanced(self, frontier: Frontier) -> Definition:
        """The next generation, refreshed up to `frontier`."""
        return replace(self, frontier=frontier, generation=self.generation + 1)

    def identified(self, *, row_ids: bool, doubt: bool = False) -> Definition:
        """The same, its rows stored under row ids of the source or not; no new generation."""
        settings = replace(self.settings, row_ids=row_ids, doubt=row_ids and doubt)
        return self if settings == self.settings else replace(self, settings=settings)


def definition_of(row: StreamRow, name: TableName) -> Definition:
    """The stream table that a row of the catalog keeps."""
    return Definition(
        TableId(row.table_id),
        name,
        row.query,
        _settings_from(row.settings),
        json.loads(row.states),
        frontier_from(row.frontier),
        row.generation,
    )


def _settings_text(settings: Settings) -> str:
    known: dict[str, object] = {
        "mode": settings.mode,
        "schedule": settings.schedule,
        "compaction_policy": settings.compaction_policy,
        "engine": settings.engine,
        "columns": {key: list(names) for key, names in settings.columns.items()},
    }
    if settings.row_ids:
        # Only where it is so: who does not know the word must not refresh such a table.
        known["row_ids"] = "in doubt" if settings.doubt else "kept"
    return json.dumps(known, sort_keys=True)


def _settings_from(text: str) -> Settings:
    known = json.loads(text)
    columns = {key: tuple(names) for key, names in known.pop("columns").items()}
    ids = known.pop("row_ids", None)
    settings = replace(checked_settings(Settings(), known), columns=columns)
    return replace(settings, row_ids=ids is not None, doubt=ids == "in doubt")


def checked_settings(settings: Settings, given: Mapping[str, object]) -> Settings:
    """`settings` with what is given; a word that means nothing is an error."""
    for name in given:
        if name not in _SETTINGS:
            raise UsageError(
                f"stream tables have no setting '{name}'", hint=f"they have {', '.join(_SETTINGS)}"
            )
    if "mode" in given:
        settings = replace(settings, mode=_word(Mode, "mode", given["mode"]))
    if "compaction_policy" in given:
        policy = _word(LostHistory, "compaction_policy", given["compaction_policy"])
        settings = replace(settings, compaction_policy=policy)
    if "schedule" in given:
        settings = replace(settings, schedule=_schedule(given["schedule"]))
    if "engine" in given:
        settings = replace(settings, engine=_word(Keeper, "engine", given["engine"]).value)
    return settings


def altered_settings(settings: Settings, given: Mapping[str, object]) -> Settings:
    """`settings` with what is given, of what may change while there are rows."""
    changed = checked_settings(settings, given)
    if changed.engine != settings.engine:
        raise UsageError(
            f"the engine of a stream table stays the one that made it, '{settings.engine}'",
            hint="replace the stream table to have it made by another engine",
        )
    return changed


def _word(kind: type[W], name: str, given: object) -> W:
    try:
        return kind(str(given))
    except ValueError:
        words = ", ".join(kind)
        raise UsageError(f"{name} '{given}' is not one of {words}") from None


def _schedule(given: object) -> str | None:
    text = None if given is None else str(given)
    if text is not None and not duration(text):
        raise UsageError(f"'{text}' is not a schedule", hint='write how often: "1m", "2 hours"')
    return text

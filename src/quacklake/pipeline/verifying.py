"""A stream table compared with its query, computed anew where the frontier stands."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from quacklake.client.session import Session
from quacklake.format.table import TableName
from quacklake.pipeline.comparing import LISTED, stored_plan
from quacklake.pipeline.ports import ProgramEngines
from quacklake.pipeline.refreshing import Refreshing
from quacklake.pipeline.sources import compiled
from quacklake.pipeline.supply import Supply


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether the stored rows are those of the query; `differences` has a weight for each row.

    A positive weight is how many copies are missing, a negative one how many are too many. Of
    very many differences some are listed, and they are not `complete`.
    """

    name: str
    rows: int
    differences: pa.Table
    complete: bool = True

    @property
    def ok(self) -> bool:
        """Whether there is no difference."""
        return bool(self.differences.num_rows == 0)

    def __bool__(self) -> bool:
        return self.ok


def verify(session: Session, engines: ProgramEngines, name: TableName) -> Verification:
    """Compute the query of a stream table at its frontier, and compare as bags."""
    run = Refreshing(session, engines, commits=False)
    definition = run.called(name)
    tables = run.tables(definition)
    view = compiled(definition.query, tables, definition.settings.columns)
    supply = run.supply(definition, tables)
    supply = Supply(run.work, tables, {}, dict(supply.old), supply.own)
    engine = engines(definition.settings.engine)
    stored = stored_plan(session, supply.own[""], run.target)
    with engine.filled(view, supply) as filled:
        rows, differences = engine.differing(filled.rows, session, stored)
    complete = differences.num_rows <= LISTED
    return Verification(str(name), rows, differences.slice(0, LISTED), complete)

"""A stream table compared with its query, computed anew where the frontier stands."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.changefeed.weighted import consolidated
from quacklake.client.session import Session
from quacklake.client.workspace import Workspace
from quacklake.format.snapshot import AtVersion
from quacklake.format.table import TableName
from quacklake.ivm import WEIGHT_COLUMN
from quacklake.pipeline.ports import ProgramEngines
from quacklake.pipeline.refreshing import Refreshing
from quacklake.pipeline.registry import definition_called
from quacklake.pipeline.sources import compiled
from quacklake.pipeline.supply import Supply
from quacklake.scan.plan import Request
from quacklake.scan.reading import read_table


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether the stored rows are those of the query; `differences` has a weight for each row.

    A positive weight is how many copies are missing, a negative one how many are too many.
    """

    name: str
    rows: int
    differences: pa.Table

    @property
    def ok(self) -> bool:
        """Whether there is no difference."""
        return bool(self.differences.num_rows == 0)

    def __bool__(self) -> bool:
        return self.ok


def verify(session: Session, engines: ProgramEngines, name: TableName) -> Verification:
    """Compute the query of a stream table at its frontier, and compare as bags."""
    with session.reading() as reader:
        definition = definition_called(reader, name)
    run = Refreshing(session, engines)
    tables = run.tables(definition)
    view = compiled(definition.query, tables, definition.settings.columns)
    supply = run.supply(definition, tables)
    supply = Supply(run.work, tables, {}, dict(supply.old), supply.own)
    engine = engines(definition.settings.engine)
    stored = supply.own[""]
    expected = engine.table(engine.filled(view, supply).rows, stored.columns)
    found = _stored_rows(run.work, definition.name)
    signed = [*_weighted(expected, 1).to_batches(), *_weighted(found, -1).to_batches()]
    schema = _weighted(found, -1).schema
    differences = consolidated(signed, stored.columns, schema)
    return Verification(str(name), found.num_rows, differences)


def _stored_rows(work: Workspace, name: TableName) -> pa.Table:
    at = AtVersion(work.ground.snapshot.id)
    return read_table(work.session.plan(Request(name, at)), work.storage)


def _weighted(rows: pa.Table, weight: int) -> pa.Table:
    weights = pc.multiply(pa.scalar(weight, pa.int64()), pa.repeat(1, rows.num_rows))
    return rows.append_column(WEIGHT_COLUMN, weights)

"""What a commit tells our own tables: a stream table opened, refreshed, altered or closed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from quacklake.catalog.ledger import RefreshRow, closed, moved, opened, recorded
from quacklake.catalog.mutations import Mutation
from quacklake.kernel.ids import SnapshotId, TableId
from quacklake.pipeline.definition import Definition
from quacklake.pipeline.frontier import Frontier, Position, frontier_text
from quacklake.pipeline.reports import RefreshReport

HERE = SnapshotId(-1)
"""The snapshot that the commit itself will make."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A stream table declared and filled; ids of tables made here are local ones."""

    definition: Definition
    states: tuple[int, ...]
    report: RefreshReport

    def mutations(self, catalog_id: Callable[[int], int], snapshot: int) -> Iterator[Mutation]:
        """Its rows in our own tables."""
        made = _settled(self.definition, catalog_id, snapshot)
        yield from opened(made.row(), tuple(catalog_id(table) for table in self.states))
        yield recorded(_row(made, self.report, snapshot))


@dataclass(frozen=True, slots=True)
class Refreshed:
    """A stream table moved on from the generation before, or the commit is a conflict."""

    definition: Definition
    report: RefreshReport

    def mutations(self, catalog_id: Callable[[int], int], snapshot: int) -> Iterator[Mutation]:
        """Its new row, and one more refresh."""
        made = _settled(self.definition, catalog_id, snapshot)
        yield moved(made.row(), made.generation - 1)
        yield recorded(_row(made, self.report, snapshot))


@dataclass(frozen=True, slots=True)
class Closed:
    """A stream table dropped."""

    table: TableId
    states: tuple[int, ...]

    def mutations(self, catalog_id: Callable[[int], int], snapshot: int) -> Iterable[Mutation]:
        """What is forgotten."""
        del catalog_id, snapshot
        return closed(self.table, self.states)


def _settled(definition: Definition, catalog_id: Callable[[int], int], snapshot: int) -> Definition:
    """The definition with real ids in the place of those given before the commit."""
    frontier: Mapping[str, Position] = {
        key: Position(
            SnapshotId(snapshot) if each.snapshot == HERE else each.snapshot,
            TableId(catalog_id(each.table)),
        )
        for key, each in definition.frontier.items()
    }
    table = TableId(catalog_id(definition.table_id))
    return replace(definition, table_id=table, frontier=frontier)


def _row(made: Definition, report: RefreshReport, snapshot: int) -> RefreshRow:
    return refresh_row(made, report, made.frontier, snapshot)


def refresh_row(
    definition: Definition, report: RefreshReport, frontier: Frontier, snapshot: int | None
) -> RefreshRow:
    """A refresh as the catalog remembers it."""
    return RefreshRow(
        definition.table_id,
        definition.generation,
        snapshot,
        datetime.now(UTC),
        report.mode,
        report.reason,
        frontier_text(frontier),
        report.rows_in,
        report.rows_out,
        report.rows_read,
        report.bytes_read,
        report.files_read,
        report.duration_ms,
    )

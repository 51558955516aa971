"""What the client asks of a cluster: frames in, frames out, and large changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from quacklake.client.ports import Planner
from quacklake.client.session import Session
from quacklake.client.workspace import Workspace
from quacklake.client.writing.affected import Affected
from quacklake.client.writing.clauses import Clauses
from quacklake.format.table import TableName
from quacklake.kernel.errors import UsageError
from quacklake.maintenance.moving import Move, Moved
from quacklake.scan.plan import ScanPlan
from quacklake.transaction.draft import TableDraft

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc

Frame: TypeAlias = Any
"""A DataFrame of a cluster; its library is not ours to import."""


class DistributedRows(Protocol):
    """Rows that a cluster holds: it writes them itself, and only tells what it wrote.

    They are computed when they are added or merged, and again after a lost commit. Work that
    the cluster repeats counts once; when it fails, nothing is staged and its files are orphans.
    """

    @property
    def schema(self) -> pa.Schema:
        """The columns, as Arrow has them."""

    @property
    def repeatable(self) -> bool:
        """Whether the rows can be computed again after a lost commit."""

    def add(
        self, work: Workspace, draft: TableDraft, *, row_ids: str | None = None
    ) -> tuple[TableDraft, int]:
        """`draft` with the rows added, and how many they were.

        `row_ids` names a column that is none of the table's: the ids under which rows are stored.
        """

    def merge(
        self, work: Workspace, name: TableName, on: tuple[str, ...], clauses: Clauses
    ) -> Affected:
        """Bring the rows in by key."""


class Cluster(Protocol):
    """Many processes that read and write files side by side; nothing starts before it is used.

    It stages changes in the workspace it is given, and never commits. A call may come again
    with a newer workspace; what an earlier one wrote is then nobody's.
    """

    def takes(self, rows: object) -> bool:
        """Whether `rows` are a frame of this cluster."""

    def rows(self, rows: Frame) -> DistributedRows:
        """A frame of this cluster, to be written."""

    def frame(self, source: Planner, plan: ScanPlan, spark: Any = None) -> Frame:
        """A planned scan as a frame of the session given, or of the one in use."""

    def delete(
        self, work: Workspace, name: TableName, where: str | pc.Expression | None
    ) -> Affected:
        """Remove the rows that satisfy a condition."""

    def update(
        self,
        work: Workspace,
        name: TableName,
        assignments: Mapping[str, str],
        where: str | pc.Expression | None,
    ) -> Affected:
        """Give columns new values where a condition holds."""

    def carry(self, moves: Sequence[Move]) -> list[tuple[Moved, ...]]:
        """Make moves of rows side by side; all of them are made, or none stays."""


def cluster_of(planner: Planner) -> Cluster:
    """The cluster that frames come from and go to."""
    if planner.cluster is None:
        raise UsageError("this lake was opened without a cluster")
    return cast("Cluster", planner.cluster)


def bulk_of(session: Session) -> Cluster | None:
    """The cluster that large changes run on; None where this process makes them."""
    return cluster_of(session) if session.bulk else None

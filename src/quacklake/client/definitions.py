"""The part of a lake, or of a transaction, that makes and drops things."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from quacklake.client.defining import entries
from quacklake.client.references import table_name
from quacklake.client.running import Runs
from quacklake.client.table import TableHandle
from quacklake.client.workspace import Workspace
from quacklake.client.writing import operations
from quacklake.client.writing.affected import NOTHING_AFFECTED, Affected
from quacklake.client.writing.clusters import Cluster, cluster_of
from quacklake.client.writing.inputs import Rows, input_of
from quacklake.format.table import TableName


class MakesEntries(Runs, ABC):
    """Schemas, tables and views."""

    @abstractmethod
    def _handle(self, name: TableName) -> TableHandle:
        """The table that was just made."""

    def create_schema(self, name: str, *, if_not_exists: bool = False) -> None:
        """Make a schema."""
        self._define(lambda work: entries.create_schema(work, name, if_not_exists=if_not_exists))

    def drop_schema(self, name: str, *, cascade: bool = False) -> None:
        """Drop a schema; with `cascade` everything in it too."""
        self._define(lambda work: entries.drop_schema(work, name, cascade=cascade))

    def create_table(
        self,
        name: str,
        columns: Any,
        *,
        partition_by: Sequence[str] = (),
    ) -> TableHandle:
        """Make a table from a pyarrow schema, from names with SQL types, or from rows.

        Rows, a frame or the result of a query, give both the columns and the first contents.
        """
        wanted = table_name(name)
        rows = _rows(columns, cluster_of(self._session))

        def make(work: Workspace) -> Affected:
            shape = columns if rows is None else rows.schema
            entries.create_table(work, wanted, shape, partition_by=partition_by)
            return NOTHING_AFFECTED if rows is None else operations.append(work, wanted, rows)

        self._run(make, repeatable=rows is None or rows.repeatable)
        return self._handle(wanted)

    def drop_table(self, name: str) -> None:
        """Drop a table; older snapshots still have it."""
        self._define(lambda work: entries.drop_table(work, table_name(name)))

    def create_view(self, name: str, sql: str, *, replace: bool = False) -> None:
        """Store a query under a name."""
        self._define(
            lambda work: entries.create_view(work, table_name(name), sql, replace_it=replace)
        )

    def drop_view(self, name: str) -> None:
        """Drop a view."""
        self._define(lambda work: entries.drop_view(work, table_name(name)))

    def rename_view(self, name: str, new_name: str) -> None:
        """Give a view another name in its schema."""
        self._define(lambda work: entries.rename_view(work, table_name(name), new_name))

    def comment_on_view(self, name: str, text: str | None) -> None:
        """Set or remove the comment of a view."""
        self._define(lambda work: entries.comment_on_view(work, table_name(name), text))


def _rows(given: Any, cluster: Cluster) -> Rows | None:
    """The rows to begin with, unless only columns are given."""
    if cluster.takes(given):
        return cluster.rows(given)
    if isinstance(given, pa.Schema | dict):
        return None
    is_result = not isinstance(given, pa.Table | pa.RecordBatch) and hasattr(given, "to_batches")
    return input_of(given.to_arrow() if is_result else given)
